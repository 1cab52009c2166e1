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
  /** the kinds of which something is to be written: a verdict, or why there is none */
  looked: readonly DnsRecordKind[];
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
  // a record that was asked for in another form while we looked is looked for at once
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

/** The findings about records that are asked for in this form still. */
function stillAsked(domain: SendingDomain, findings: readonly Finding[], context: RecordsContext): Finding[] {
  const wanted = dnsRecords(domain, context);
  return findings.filter((finding) => {
    const record = wanted.find(({ kind }) => kind === finding.kind);
    // the SPF text follows what the owner publishes, and what is judged is the include in it
    return record?.host === finding.host && (record.kind === 'spf' || record.content === finding.content);
  });
}

/** A required record that was asked for in another form while we looked is not judged. */
function requiredVerdicts(
  domain: SendingDomain,
  looked: readonly Finding[],
  context: RecordsContext,
): Verdict[] {
  return dnsRecords(domain, context)
    .filter(({ required }) => required)
    .map(({ kind }) => looked.find((finding) => finding.kind === kind)?.verdict ?? 'unknown');
}

/** What was not found out stays as it was; only why is noted. */
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

/** What is said about a problem changes nothing that the API shows. */
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

/** Who asked for a check: a failure counts at once for the API; the background checks again first. */
export type CheckSource = 'api' | 'background';

interface StateBefore {
  state: DnsState;
  /** background failures in a row */
  failures: number;
  contested: boolean;
}

interface StateAfter {
  state: DnsState;
  failures: number;
  contested: boolean;
  /** the domain could send until now and no longer can: an event, once (spec 1-platform §11.5 rule 5) */
  becameInvalid: boolean;
  /** a copy of the domain in another account may have lost its place (rule 8) */
  becameValid: boolean;
}

/** The first failure and two more looks. */
const FAILURES_TO_INVALID = 3;

/** The verdict on a domain from those on its required records. */
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

/** The stored result is fresh for this long: check-dns then looks nothing up (spec 1-platform §11.3). */
const FRESH_MS = MINUTE_MS;

/** While a domain does not validate: minutes after it came into that state, then hourly, then daily (§11.4 rule 7). */
const FIRST_LOOKS_MS = [1, 5, 15, 30].map((minutes) => minutes * MINUTE_MS);
const HOURLY_FOR_MS = 14 * DAY_MS;

const SUSPECT_MS = 5 * MINUTE_MS;
const VALID_MS = { from: 15 * MINUTE_MS, to: 30 * MINUTE_MS };

export const isFresh = (lastCheck: Date | null, now: Date): boolean =>
  lastCheck !== null && now.getTime() - lastCheck.getTime() < FRESH_MS;

/**
 * When the background looks next.
 * @param since when the domain came into its state
 * @param chance from 0 to 1: spreads the valid domains, so that they do not come due together
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
