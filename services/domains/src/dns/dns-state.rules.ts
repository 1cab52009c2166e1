import {
  otherSlot,
  type DnsState,
  type RecordVerdict,
  type SendingDomain,
  SUBDOMAIN_KINDS,
  type DnsRecordKind,
  type SubdomainKind,
} from '../database/entities.js';
import { dnsRecords, effectiveLabel, wantedSelector, type RecordsContext } from './dns-records.rules.js';
import type { Verdict } from './judgement.js';
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
  /** the kinds with something to write: a verdict, or the reason of its absence */
  looked: readonly DnsRecordKind[];
  /** a visible change of the domain, apart from the time of the check */
  changed: boolean;
  becameInvalid: boolean;
  becameValid: boolean;
}

/**
 * The domain after a check.
 * @param before the current row, which may differ from the one that was looked up: a result for a record that is no
 * longer required does not count
 */
export function applyFindings(before: SendingDomain, findings: Findings, context: CheckContext): CheckResult {
  const looked = stillAsked(before, findings.records, context.records);
  const conclusive = looked.filter(({ verdict }) => verdict !== 'unknown');
  const verdict = judgeDomain(requiredVerdicts(before, looked, context.records));
  const { becameInvalid, becameValid, ...next } = nextDnsState(before, verdict, context.source);
  const records = { ...before.records };
  for (const finding of looked) records[finding.kind] = recordAfter(before, finding, context.records);
  const seen: SendingDomain = {
    ...before,
    ...next,
    records,
    ...keysAfter(before, conclusive),
    ...selectorAfter(before, conclusive, context.records),
    publishedSpf: findings.publishedSpf === undefined ? before.publishedSpf : findings.publishedSpf,
  };
  const changed = differs(before, seen);
  const times = timesAfter(before, seen, { ...context, changed });
  const after = { ...seen, ...times };
  // a record whose required form changed during the look-up is checked at once
  if (looked.length < dnsRecords(before, context.records).length) after.nextCheckAt = context.now;
  return { after, looked: looked.map(({ kind }) => kind), changed, becameInvalid, becameValid };
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

/** The results for records whose required form has not changed. */
function stillAsked(domain: SendingDomain, findings: readonly Finding[], context: RecordsContext): Finding[] {
  const wanted = dnsRecords(domain, context);
  return findings.filter((finding) => {
    const record = wanted.find(({ kind }) => kind === finding.kind);
    // the SPF text follows the owner's record, and only the include in it is judged
    return record?.host === finding.host && (record.kind === 'spf' || record.content === finding.content);
  });
}

/** A record whose required form changed during the look-up is not judged. */
function requiredVerdicts(
  domain: SendingDomain,
  looked: readonly Finding[],
  context: RecordsContext,
): Verdict[] {
  return dnsRecords(domain, context)
    .filter(({ required }) => required)
    .map(({ kind }) => looked.find((finding) => finding.kind === kind)?.verdict ?? 'unknown');
}

/** Without a result the state stays unchanged; only the reason is recorded. */
function recordAfter(
  domain: SendingDomain,
  { kind, verdict, problem }: Finding,
  { account }: RecordsContext,
): RecordVerdict {
  const before = domain.records[kind];
  const locked = before?.lockedLabel ?? null;
  if (verdict === 'unknown') return { propagated: before?.propagated ?? false, lockedLabel: locked, problem };
  const propagated = verdict === 'pass';
  const locks = propagated && locked === null && isSubdomain(kind);
  return { propagated, lockedLabel: locks ? effectiveLabel(domain, kind, account) : locked, problem };
}

const isSubdomain = (kind: DnsRecordKind): kind is SubdomainKind =>
  (SUBDOMAIN_KINDS as readonly string[]).includes(kind);

/** A partner's new key signs once its record is seen. */
function keysAfter(
  domain: SendingDomain,
  conclusive: readonly Finding[],
): Pick<SendingDomain, 'activeSlot' | 'publicKeys'> {
  const { activeSlot, publicKeys, dnsMode } = domain;
  const next = otherSlot(activeSlot);
  if (dnsMode !== 'manual' || publicKeys[next] === undefined || !passesDkim(conclusive))
    return { activeSlot, publicKeys };
  return { activeSlot: next, publicKeys: { [next]: publicKeys[next] } };
}

/** The selector locks when DKIM first passes (spec 1-platform §11.6); one that takes its place signs from then on. */
function selectorAfter(
  domain: SendingDomain,
  conclusive: readonly Finding[],
  { account }: RecordsContext,
): Pick<SendingDomain, 'lockedSelector' | 'nextSelector'> {
  const { lockedSelector, nextSelector } = domain;
  if (!passesDkim(conclusive)) return { lockedSelector, nextSelector };
  return { lockedSelector: wantedSelector(domain, account), nextSelector: null };
}

const passesDkim = (conclusive: readonly Finding[]): boolean =>
  conclusive.some(({ kind, verdict }) => kind === 'dkim' && verdict === 'pass');

/** The text of a problem is not shown by the API. */
function differs(before: SendingDomain, after: SendingDomain): boolean {
  const visible = ({ state, publishedSpf, lockedSelector, records }: SendingDomain) => {
    const seen = Object.entries(records).map(([kind, { propagated, lockedLabel }]) => [
      kind,
      propagated,
      lockedLabel,
    ]);
    return JSON.stringify([
      state,
      publishedSpf,
      lockedSelector,
      seen.filter(([, propagated, label]) => propagated || label).sort(),
    ]);
  };
  return visible(before) !== visible(after);
}

/** Source of a check: a failure counts at once for the API; the background checks again first. */
export type CheckSource = 'api' | 'background';

interface StateBefore {
  state: DnsState;
  /** consecutive failures of background checks */
  failures: number;
  contested: boolean;
}

interface StateAfter {
  state: DnsState;
  failures: number;
  contested: boolean;
  /** the domain can no longer send: one event (spec 1-platform §11.5 rule 5) */
  becameInvalid: boolean;
  /** a copy of the domain in another account may have lost its records (rule 8) */
  becameValid: boolean;
}

/** The first failure and two more checks. */
const FAILURES_TO_INVALID = 3;

/** The verdict on a domain from the verdicts on its required records. */
export function judgeDomain(required: readonly Verdict[]): Verdict {
  if (required.includes('fail')) return 'fail';
  return required.includes('unknown') ? 'unknown' : 'pass';
}

/** The next state of a domain (spec 1-platform §11.5). */
export function nextDnsState(before: StateBefore, verdict: Verdict, source: CheckSource): StateAfter {
  if (verdict === 'unknown') return { ...before, becameInvalid: false, becameValid: false };
  const quiet = { failures: 0, contested: false, becameInvalid: false, becameValid: false };
  if (verdict === 'pass') {
    return {
      ...quiet,
      state: 'valid',
      becameValid: before.state === 'pending' || before.state === 'invalid',
    };
  }
  if (before.state === 'pending' || before.state === 'invalid') return { ...quiet, state: before.state };
  const failures = before.failures + 1;
  const atOnce = source === 'api' || before.contested;
  if (atOnce || failures >= FAILURES_TO_INVALID) return { ...quiet, state: 'invalid', becameInvalid: true };
  return { ...quiet, state: 'suspect', failures };
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The stored result is fresh for this time: check-dns then makes no look-up (spec 1-platform §11.3). */
const FRESH_MS = MINUTE_MS;

/** While a domain does not validate: minutes after the change of state, then hourly, then daily (§11.4 rule 7). */
const FIRST_LOOKS_MS = [1, 5, 15, 30].map((minutes) => minutes * MINUTE_MS);
const HOURLY_FOR_MS = 14 * DAY_MS;

const SUSPECT_MS = 5 * MINUTE_MS;
const VALID_MS = { from: 15 * MINUTE_MS, to: 30 * MINUTE_MS };

export const isFresh = (lastCheck: Date | null, now: Date): boolean =>
  lastCheck !== null && now.getTime() - lastCheck.getTime() < FRESH_MS;

/**
 * Time of the next background check.
 * @param since time of the last change of state
 * @param chance from 0 to 1: spreads the valid domains, so that they do not become due together
 */
export function nextCheckAt(about: { state: DnsState; since: Date; now: Date; chance: number }): Date {
  const now = about.now.getTime();
  return new Date(now + waitMs(about.state, now - about.since.getTime(), about.chance));
}

function waitMs(state: DnsState, ageMs: number, chance: number): number {
  if (state === 'valid') return VALID_MS.from + chance * (VALID_MS.to - VALID_MS.from);
  if (state === 'suspect') return SUSPECT_MS;
  const early = FIRST_LOOKS_MS.find((at) => at > ageMs);
  if (early !== undefined) return early - ageMs;
  return ageMs < HOURLY_FOR_MS ? HOUR_MS : DAY_MS;
}
