import { Resolver } from 'node:dns/promises';
import { z } from 'zod';
import { ApiError } from '@postmesh/contracts';
import type { ApiTarget } from '../apply/target.js';
import { RefusedRequest } from '../apply/target.js';
import { readJson } from '../read/json-file.js';
import { fieldOf } from '../read/rows.js';
import type { RecordsForm, Source } from '../sources/source.js';
import {
  dnsDifference,
  type DifferenceLine,
  type DnsRecord,
  type WantedRecord,
} from './dns-difference.rules.js';

const DNS_TIMEOUT_MS = 5_000;
const MAX_DEPTH = 6;
const MAX_RECORDS = 100;
const HERE_ALREADY = 409;

const Domain = z.object({
  dns_records: z.array(
    z.object({
      type: z.string(),
      host: z.string(),
      content: z.string(),
      required: z.boolean(),
      label: z.string(),
    }),
  ),
});

export interface DomainsReport {
  what: 'domains';
  domain: string;
  /** it was not in the account */
  added: boolean;
  records: DifferenceLine[];
  refused: number;
}

export interface DomainsJob {
  source: Source;
  /** JSON of the service about one domain */
  file: string;
  api: ApiTarget;
  /** where the file does not name it */
  domain?: string | undefined;
  /** `host:port` of a DNS server; default: the machine's */
  dns?: string | undefined;
}

/**
 * The difference between the records of another service and ours. With `applies` the domain is added to the account where it
 * is missing; the DNS is the owner's to change. @throws ApiError 400
 */
export async function compareDomain(
  { source, file, api, dns, domain: given }: DomainsJob,
  applies: boolean,
): Promise<DomainsReport> {
  const form = source.records;
  if (!form) throw new ApiError(400, source.without.domains ?? `${source.title} exports no records`);
  const { domain, records: old } = readRecords(await readJson(file), form, given);
  const { added, wanted } = await ourRecords(api, domain, applies);
  const hosts = [...wanted, ...old, { type: 'TXT', host: domain }];
  const published = await lookUp(hosts, dns);
  return {
    what: 'domains',
    domain,
    added,
    records: dnsDifference({ wanted, old, published, spf: source.spf }),
    refused: 0,
  };
}

async function ourRecords(
  api: ApiTarget,
  domain: string,
  applies: boolean,
): Promise<{ added: boolean; wanted: WantedRecord[] }> {
  const path = `/domains/${encodeURIComponent(domain)}`;
  const find = () =>
    api.call('GET', path).catch((error: unknown) => {
      if (error instanceof RefusedRequest && error.status === 404) return undefined;
      throw error;
    });
  let found = await find();
  const added = !found && applies;
  if (added) {
    await api.call('POST', '/domains', { domain }).catch((error: unknown) => {
      if (!(error instanceof RefusedRequest) || error.status !== HERE_ALREADY) throw error;
    });
    found = await find();
  }
  if (!found)
    throw new ApiError(400, `the account has no domain ${domain}: repeat with --apply, which adds it`);
  const wanted = Domain.parse(found).dns_records.map(({ type, host, content, required, label }) => ({
    ...{ type, host: wholeName(host, domain), value: content, required, label },
  }));
  return { added, wanted };
}

/** @throws ApiError 400 for a file without a domain or records */
export function readRecords(
  value: unknown,
  form: RecordsForm,
  given?: string,
): { domain: string; records: DnsRecord[] } {
  const about: unknown = Array.isArray(value) ? value[0] : value;
  const domain = String(fieldOf(about, form.domain) ?? given ?? '').toLowerCase();
  if (domain === '') throw new ApiError(400, 'the file does not name its domain: give it with --domain');
  const records: DnsRecord[] = [];
  const add = (type: unknown, host: unknown, content: unknown) => {
    if (typeof host !== 'string' || typeof content !== 'string' || host === '' || content === '') return;
    if (records.length < MAX_RECORDS) {
      records.push({ type: String(type).toUpperCase(), host: wholeName(host, domain), value: content });
    }
  };
  for (const { type, host, value: content } of form.fields ?? [])
    add(type, fieldOf(about, host), fieldOf(about, content));
  const search = (one: unknown, depth: number): void => {
    if (typeof one !== 'object' || one === null || depth > MAX_DEPTH) return;
    const type = fieldOf(one, form.type);
    const [host] = form.host.map((name) => fieldOf(one, name)).filter((name) => typeof name === 'string');
    const [content] = form.value.map((name) => fieldOf(one, name)).filter((name) => typeof name === 'string');
    if (typeof type === 'string' && host !== undefined && content !== undefined) add(type, host, content);
    for (const inner of Object.values(one)) search(inner, depth + 1);
  };
  if (form.host.length > 0) search(about, 0);
  // Amazon SES names tokens, of which its documentation makes the records
  const tokens = fieldOf(about, 'DkimAttributes.Tokens');
  for (const token of Array.isArray(tokens) ? tokens : []) {
    add('CNAME', `${token}._domainkey.${domain}`, `${token}.dkim.amazonses.com`);
  }
  return { domain, records };
}

/** Services name hosts within the domain, or whole. */
function wholeName(host: string, domain: string): string {
  const plain = host.toLowerCase().replace(/\.$/, '');
  if (plain === '@' || plain === '') return domain;
  return plain === domain || plain.endsWith(`.${domain}`) ? plain : `${plain}.${domain}`;
}

/** The published records at these hosts. A failed look-up counts as none. */
async function lookUp(
  hosts: readonly { type: string; host: string }[],
  server: string | undefined,
): Promise<DnsRecord[]> {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: 2 });
  if (server !== undefined) resolver.setServers([server]);
  const questions = new Map(hosts.map(({ type, host }) => [`${type} ${host}`, { type, host }]));
  const found = await Promise.all(
    [...questions.values()].map(async ({ type, host }) => {
      const values = await valuesOf(resolver, type, host).catch(() => []);
      return values.map((value) => ({ type, host, value }));
    }),
  );
  return found.flat();
}

async function valuesOf(resolver: Resolver, type: string, host: string): Promise<string[]> {
  if (type === 'TXT') return (await resolver.resolveTxt(host)).map((parts) => parts.join(''));
  if (type === 'CNAME') return resolver.resolveCname(host);
  if (type === 'MX') return (await resolver.resolveMx(host)).map(({ exchange }) => exchange);
  if (type === 'NS') return resolver.resolveNs(host);
  return type === 'A' ? resolver.resolve4(host) : [];
}
