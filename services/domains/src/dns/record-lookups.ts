import { Inject, Injectable } from '@nestjs/common';
import type { SendingDomain } from '../database/entities.js';
import { AliasPublication } from '../managed-zone/alias-publication.js';
import {
  dkimAlias,
  type DnsRecord,
  type DnsRecordKind,
  dnsRecords,
  organisationalDomain,
  wantedOwnKey,
} from './dns-records.rules.js';
import type { AccountSettings } from '../domain-store/account-settings.js';
import {
  canonicalName,
  DNS_RESOLVER,
  MAX_CNAME_CHAIN,
  type DnsLookups,
  type DnsResolver,
  type Lookup,
} from './dns-resolver.port.js';
import { DnsBudget } from './dns-budget.js';
import { evaluateSpf, onlySpf } from './spf-evaluation.js';
import { judgeDkimText, judgeDmarc, type Verdict } from './text-records.rules.js';

/** One record as it was looked for, and what came of it. */
export interface Finding {
  kind: DnsRecordKind;
  host: string;
  content: string;
  required: boolean;
  verdict: Verdict;
}

export interface Findings {
  records: readonly Finding[];
  /** the owner's only SPF record, null when there is none or several; undefined = not found out */
  publishedSpf: string | null | undefined;
  /** the alias in our own zone: whether it could be looked up, and whether our key is there */
  alias: 'published' | 'missing' | 'unreachable' | 'not-needed';
}

/** Below the 30 s of the gateway, with room for what comes after the look-ups. */
const CHECK_BUDGET_MS = 15_000;
/** A create does not wait for slow name servers: the next check finds out as well. */
const CREATE_BUDGET_MS = 3_000;

/** Looks a domain's records up and judges them, as receivers of its messages would (spec 1-platform §11.4). */
@Injectable()
export class RecordLookups {
  constructor(
    @Inject(DNS_RESOLVER) private readonly resolver: DnsResolver,
    private readonly aliases: AliasPublication,
  ) {}

  lookUp(domain: SendingDomain, account: AccountSettings): Promise<Findings> {
    return DnsBudget.within(CHECK_BUDGET_MS, this.resolver, async (dns) => {
      const wanted = dnsRecords(domain, account.records);
      const [judged, alias, texts] = await Promise.all([
        Promise.all(wanted.map((record) => judge(dns, { domain, account, record }))),
        this.alias(dns, domain, account),
        dns.txt(domain.domain),
      ]);
      const records = account.returnPathSatisfiesSpf ? acceptReturnPath(judged) : judged;
      return { records, publishedSpf: publishedSpf(texts), alias };
    });
  }

  /** The SPF record that an owner has already; null when it cannot be found out in time. */
  findPublishedSpf(domain: string): Promise<string | null> {
    return DnsBudget.within(
      CREATE_BUDGET_MS,
      this.resolver,
      async (dns) => publishedSpf(await dns.txt(domain)) ?? null,
    );
  }

  /** What still waits to be published is, before it is looked up: resolvers remember that a name was not there. */
  private async alias(
    dns: DnsLookups,
    { id, dnsMode, domainToken, activeSlot, publicKeys }: SendingDomain,
    account: AccountSettings,
  ): Promise<Findings['alias']> {
    if (dnsMode !== 'managed') return 'not-needed';
    if ((await this.aliases.waitsBecause(id, activeSlot)) !== undefined) return 'unreachable';
    const texts = await dns.txt(dkimAlias(domainToken, activeSlot, account.records.hosts));
    const verdict = judgeDkimText(texts, publicKeys[activeSlot] ?? '');
    if (verdict === 'unknown') return 'unreachable';
    if (verdict === 'fail') await this.aliases.writeAgain(id, activeSlot);
    return verdict === 'pass' ? 'published' : 'missing';
  }
}

interface Question {
  domain: SendingDomain;
  account: AccountSettings;
  record: DnsRecord;
}

async function judge(dns: DnsLookups, question: Question): Promise<Finding> {
  const { kind, host, content, required } = question.record;
  return { kind, host, content, required, verdict: await verdictOn(dns, question) };
}

async function verdictOn(dns: DnsLookups, { domain, account, record }: Question): Promise<Verdict> {
  switch (record.kind) {
    case 'spf': {
      const txt = (name: string) => dns.txt(name);
      return evaluateSpf(record.host, await dns.txt(record.host), { ours: account.records.hosts.spf, txt });
    }
    case 'dmarc':
      return judgeInheritedDmarc(dns, domain.domain);
    case 'mx':
      return judgeMx(dns, record.host, account.records.hosts.mx);
    case 'dkim':
      if (record.type === 'CNAME') return endsAt(dns, record.host, record.content);
      return judgeDkimText(await dns.txt(record.host), wantedOwnKey(domain));
    default:
      return endsAt(dns, record.host, record.content);
  }
}

async function judgeInheritedDmarc(dns: DnsLookups, domain: string): Promise<Verdict> {
  const own = judgeDmarc(await dns.txt(`_dmarc.${domain}`));
  if (own !== 'absent') return own;
  const inherited = judgeDmarc(await dns.txt(`_dmarc.${organisationalDomain(domain)}`));
  return inherited === 'absent' ? 'fail' : inherited;
}

async function judgeMx(dns: DnsLookups, host: string, ours: string): Promise<Verdict> {
  const found = await dns.mx(host);
  if (found.kind === 'unknown') return 'unknown';
  const listed =
    found.kind === 'found' && found.values.some(({ exchange }) => exchange === canonicalName(ours));
  return listed ? 'pass' : 'fail';
}

/** Walks a CNAME chain until it reaches the target. */
async function endsAt(dns: DnsLookups, host: string, target: string): Promise<Verdict> {
  const wanted = canonicalName(target);
  let at = host;
  for (let step = 0; step <= MAX_CNAME_CHAIN; step += 1) {
    const alias = await dns.cname(at);
    if (alias.kind === 'unknown') return 'unknown';
    const next = alias.kind === 'found' ? alias.values[0] : undefined;
    if (next === undefined) return 'fail';
    if (next === wanted) return 'pass';
    at = next;
  }
  return 'fail';
}

/** An account of the operator's choice is let pass by its return-path alone: its envelopes are all there. */
function acceptReturnPath(findings: readonly Finding[]): Finding[] {
  const verified = findings.some(({ kind, verdict }) => kind === 'return_path' && verdict === 'pass');
  return findings.map((finding) =>
    verified && finding.kind === 'spf' ? { ...finding, verdict: 'pass' as const } : finding,
  );
}

function publishedSpf(texts: Lookup<string>): string | null | undefined {
  if (texts.kind === 'unknown') return undefined;
  return texts.kind === 'found' ? (onlySpf(texts.values) ?? null) : null;
}
