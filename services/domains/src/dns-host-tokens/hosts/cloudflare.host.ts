import { z } from 'zod';
import {
  DnsHostError,
  type HostClient,
  type HostCredential,
  type HostRequest,
  type MakeHost,
  type PresentRecord,
  type RecordChange,
} from './dns-host.port.js';
import { readAnswer, readJson } from './host-answer.rules.js';
import { plainName, quoteText, readContent } from './presentation.rules.js';

// https://developers.cloudflare.com/api/resources/dns/subresources/records/ (read 2026-11)
const TTL = 3_600;
const MAX_AT_NAME = 100;

const Zones = z.object({ result: z.array(z.object({ id: z.string().regex(/^[0-9a-z]{1,64}$/) })) });
const Records = z.object({
  result: z.array(
    z.object({
      id: z.string().max(64),
      name: z.string(),
      type: z.string(),
      content: z.string(),
      ttl: z.number(),
      priority: z.number().nullish(),
      proxied: z.boolean().nullish(),
    }),
  ),
});
const Failure = z.object({ errors: z.array(z.object({ code: z.number(), message: z.string() })) });

/** Cloudflare: records have ids; a batch is one transaction. */
export const cloudflare: MakeHost = (api, credential) => {
  const call = <T>(schema: z.ZodType<T>, request: Omit<HostRequest, 'headers'>) =>
    callCloudflare(api, credential, schema, request);

  const zoneId = async (zone: string): Promise<string> => {
    const { result } = await call(Zones, { method: 'GET', path: `/zones?name=${encodeURIComponent(zone)}` });
    const [first, ...others] = result;
    if (!first) throw new DnsHostError('zone_missing', `the token sees no zone ${zone}`);
    if (others.length > 0) throw new DnsHostError('zone_ambiguous', `the token sees ${zone} more than once`);
    return first.id;
  };

  return {
    async recordsAt(zone, names) {
      const id = await zoneId(zone);
      const found: PresentRecord[] = [];
      for (const name of names) {
        const query = `name=${encodeURIComponent(name)}&per_page=${MAX_AT_NAME}`;
        const { result } = await call(Records, { method: 'GET', path: `/zones/${id}/dns_records?${query}` });
        found.push(...result.map(toPresent).filter((record) => record.name === name));
      }
      return found;
    },

    async write(zone, changes) {
      const patches = changes.flatMap((change) =>
        change.replaced ? [{ id: change.replaced.id, ...toRecord(change) }] : [],
      );
      const posts = changes.filter(({ replaced }) => !replaced).map(toRecord);
      const path = `/zones/${await zoneId(zone)}/dns_records/batch`;
      await call(z.object({}), { method: 'POST', path, body: JSON.stringify({ patches, posts }) });
    },
  };
};

async function callCloudflare<T>(
  api: HostClient,
  { token }: HostCredential,
  schema: z.ZodType<T>,
  request: Omit<HostRequest, 'headers'>,
): Promise<T> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const { status, text } = await api.request({ ...request, headers });
  if (status === 200) return readAnswer(schema, text);
  const failure = readJson(Failure, text);
  const detail = failure?.errors.map(({ code, message }) => `${message} (${code})`).join(', ');
  // a token in a wrong form is a 400 with code 6003
  const isToken = failure?.errors.some(({ code }) => code === 6003 || code === 10000 || code === 9109);
  throw new DnsHostError(isToken ? 'token_refused' : 'refused', detail ?? `status ${status}`);
}

const toPresent = (record: z.infer<typeof Records>['result'][number]): PresentRecord => {
  const { id, type, content, ttl, priority, proxied } = record;
  const raw = type === 'MX' ? `${priority ?? 0} ${content}` : content;
  return {
    id,
    name: plainName(record.name),
    type,
    content: readContent(type, raw),
    raw,
    ttl,
    isSpecial: proxied === true,
  };
};

function toRecord({ name, type, content }: RecordChange): object {
  if (type === 'TXT') return { name, type, content: quoteText(content), ttl: TTL };
  if (type === 'CNAME') return { name, type, content, ttl: TTL, proxied: false };
  const [priority = '', host = ''] = content.split(' ');
  return { name, type, content: host, priority: Number(priority), ttl: TTL };
}
