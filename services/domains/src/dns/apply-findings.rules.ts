import type { RecordVerdict, SendingDomain } from '../database/entities.js';
import { dnsRecords, type RecordsContext } from '../dns-records/dns-records.rules.js';
import {
  effectiveLabel,
  effectiveSelector,
  SUBDOMAIN_KINDS,
  type DnsRecordKind,
  type SubdomainKind,
} from '../dns-records/record-names.rules.js';
import { judgeDomain, nextCheckAt, nextDnsState, type CheckSource } from './dns-state.rules.js';
import type { Finding, Findings } from './record-lookups.js';

interface CheckContext {
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
  const required = current.filter((finding) => finding.required).map(({ verdict }) => verdict);
  const { becameInvalid, becameValid, ...next } = nextDnsState(before, judgeDomain(required), context.source);
  const conclusive = current.filter(({ verdict }) => verdict !== 'unknown');
  const records = { ...before.records };
  for (const finding of conclusive) records[finding.kind] = recordAfter(before, finding, context.records);
  const seen: SendingDomain = {
    ...before,
    ...next,
    records,
    lockedSelector: selectorAfter(before, conclusive, context.records),
    publishedSpf: findings.publishedSpf === undefined ? before.publishedSpf : findings.publishedSpf,
  };
  const changed = differs(before, seen);
  const after = { ...seen, ...timesAfter(before, seen, { ...context, changed }) };
  return { after, judged: conclusive.map(({ kind }) => kind), changed, becameInvalid, becameValid };
}

function timesAfter(
  before: SendingDomain,
  { state }: SendingDomain,
  { now, chance, changed }: CheckContext & { changed: boolean },
) {
  const since = state === before.state ? before.stateSince : now;
  return {
    stateSince: since,
    lastDnsCheckAt: now,
    nextCheckAt: nextCheckAt({ state, since, now, chance }),
    updatedAt: changed ? now : before.updatedAt,
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

function recordAfter(
  domain: SendingDomain,
  { kind, verdict }: Finding,
  { account }: RecordsContext,
): RecordVerdict {
  const locked = domain.records[kind]?.lockedLabel ?? null;
  const propagated = verdict === 'pass';
  const locks = propagated && locked === null && isSubdomain(kind);
  return { propagated, lockedLabel: locks ? effectiveLabel(domain, kind, account) : locked };
}

const isSubdomain = (kind: DnsRecordKind): kind is SubdomainKind =>
  (SUBDOMAIN_KINDS as readonly string[]).includes(kind);

/** The selector locks when DKIM first passes (spec 1-platform §11.6). */
function selectorAfter(
  domain: SendingDomain,
  conclusive: readonly Finding[],
  { account }: RecordsContext,
): string | null {
  const passes = conclusive.some(({ kind, verdict }) => kind === 'dkim' && verdict === 'pass');
  return passes ? effectiveSelector(domain, account) : domain.lockedSelector;
}

function differs(before: SendingDomain, after: SendingDomain): boolean {
  const visible = ({ state, publishedSpf, lockedSelector, records }: SendingDomain) =>
    JSON.stringify([state, publishedSpf, lockedSelector, Object.entries(records).sort()]);
  return visible(before) !== visible(after);
}
