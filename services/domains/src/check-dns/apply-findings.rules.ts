import type { RecordsContext } from '../dns-records/dns-records.rules.js';
import { dnsRecords } from '../dns-records/dns-records.rules.js';
import { effectiveLabel, effectiveSelector } from '../dns-records/effective-names.rules.js';
import { SUBDOMAIN_KINDS, type DnsRecordKind, type SubdomainKind } from '../dns-records/record-kinds.js';
import type { RecordVerdict, SendingDomain } from '../sending-domain/sending-domain.js';
import { nextCheckAt } from './check-schedule.rules.js';
import { judgeDomain, nextDnsState, type CheckSource } from './dns-state.rules.js';
import type { Finding, Findings } from './domain-checker.js';

export interface CheckContext {
  records: RecordsContext;
  source: CheckSource;
  now: Date;
  /** from 0 to 1 */
  chance: number;
}

export interface CheckResult {
  after: SendingDomain;
  /** the kinds that were judged conclusively */
  judged: readonly DnsRecordKind[];
  /** something that a reader of the domain would notice, apart from the time of the check */
  changed: boolean;
  becameInvalid: boolean;
  becameValid: boolean;
}

/**
 * The domain after a check.
 * @param before as it is now, which may differ from what was looked up: a finding about a record that is no
 * longer asked for counts for nothing
 */
export function applyFindings(before: SendingDomain, findings: Findings, context: CheckContext): CheckResult {
  const current = stillAsked(before, findings.records, context.records);
  const conclusive = current.filter(({ verdict }) => verdict !== 'unknown');
  const state = nextDnsState(before, judgeDomain(requiredVerdicts(current)), context.source);
  const { becameInvalid, becameValid, ...next } = state;
  const records = { ...before.records };
  for (const finding of conclusive) records[finding.kind] = recordAfter(before, finding, context.records);
  const seen: SendingDomain = {
    ...before,
    ...next,
    records,
    locked_selector: selectorAfter(before, conclusive, context.records),
    published_spf: findings.publishedSpf === undefined ? before.published_spf : findings.publishedSpf,
  };
  const changed = differs(before, seen);
  const after = timesAfter(before, seen, { ...context, changed });
  return { after, judged: conclusive.map(({ kind }) => kind), changed, becameInvalid, becameValid };
}

function timesAfter(
  before: SendingDomain,
  seen: SendingDomain,
  { now, chance, changed }: CheckContext & { changed: boolean },
): SendingDomain {
  const since = seen.state === before.state ? before.state_since : now;
  return {
    ...seen,
    state_since: since,
    last_dns_check_at: now,
    next_check_at: nextCheckAt({ state: seen.state, since, now, chance }),
    updated_at: changed ? now : before.updated_at,
    revision: before.revision + (changed ? 1 : 0),
  };
}

/** A required record that was asked for in another form while we looked is not judged. */
function stillAsked(domain: SendingDomain, findings: readonly Finding[], context: RecordsContext): Finding[] {
  return dnsRecords(domain, context).map(({ kind, host, content, required }) => {
    const found = findings.find((finding) => finding.kind === kind);
    // the SPF text follows what the owner publishes, and what is judged is the include in it
    const same = found?.host === host && (kind === 'spf' || found.content === content);
    return { kind, host, content, required, verdict: found && same ? found.verdict : 'unknown' };
  });
}

const requiredVerdicts = (findings: readonly Finding[]) =>
  findings.filter(({ required }) => required).map(({ verdict }) => verdict);

function recordAfter(domain: SendingDomain, finding: Finding, context: RecordsContext): RecordVerdict {
  const known = domain.records[finding.kind]?.locked_label ?? null;
  const propagated = finding.verdict === 'pass';
  const locks = propagated && known === null && isSubdomain(finding.kind);
  return {
    propagated,
    locked_label: locks ? effectiveLabel(domain, finding.kind as SubdomainKind, context.account) : known,
  };
}

const isSubdomain = (kind: DnsRecordKind): kind is SubdomainKind =>
  (SUBDOMAIN_KINDS as readonly string[]).includes(kind);

/** The selector locks when DKIM first passes (spec 1-platform §11.6). */
function selectorAfter(
  domain: SendingDomain,
  conclusive: readonly Finding[],
  context: RecordsContext,
): string | null {
  const passes = conclusive.some(({ kind, verdict }) => kind === 'dkim' && verdict === 'pass');
  return passes ? effectiveSelector(domain, context.account) : domain.locked_selector;
}

function differs(before: SendingDomain, after: SendingDomain): boolean {
  const visible = ({ state, published_spf, locked_selector, records }: SendingDomain) =>
    JSON.stringify([state, published_spf, locked_selector, Object.entries(records).sort()]);
  return visible(before) !== visible(after);
}
