import { hasPropagated, otherSlot, type RecordVerdict, type SendingDomain } from '../database/entities.js';

/** From the publication of the standby key to the switch (spec 1-platform §11.7 rule 4). */
export const isRotating = ({ rotationStartedAt }: Pick<SendingDomain, 'rotationStartedAt'>): boolean =>
  rotationStartedAt !== null;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Every resolver must have seen the new key for this time before it signs. */
const SWITCH_AFTER_MS = DAY_MS;
/** Signatures of the old key can be verified for this time after the switch. */
const KEEP_OLD_KEY_MS = 7 * DAY_MS;
/** Interval of checks while a rotation is due, but the owner does not publish the standby record. */
const NOT_READY_MS = DAY_MS;
/** Interval changes, of the domain or the account, are noticed within this. */
const LOOK_AGAIN_MS = DAY_MS;
/** Retry interval for our zone, a resolver or a key that is being made. */
const TROUBLE_MS = 15 * MINUTE_MS;
const CHANGED_MS = MINUTE_MS;
/** Older findings do not count: the process may have been stopped in between. */
const SIGHT_MS = 2 * MINUTE_MS;
/** A failure that lasts longer ends the rotation, which begins again: none stays "in progress" forever. */
const MAX_IN_PROGRESS_MS = 3 * DAY_MS;

/** Inputs of a rotation in addition to the row of the domain. */
export interface RotationFacts {
  /** when the active key began to sign */
  activeSince: Date;
  /** the domain's interval, else its account's, else the installation's */
  intervalDays: number;
  /** last publication of the standby key in our zone; null: it is due; undefined: others publish it */
  standbyPublishedAt: Date | null | undefined;
  /** the owner's standby record: `<selector>2._domainkey.<domain>`, or without the `2` */
  standbyHost: string;
}

/** Separate answers of every configured resolver about the standby key. */
export interface StandbySight {
  /** start of the look-ups */
  at: Date;
  /** the public key that was looked up: the answer holds for no other */
  key: string;
  host: string;
  /** `alias-missing`: our own zone; `host-missing`: the owner's record; `unknown`: a resolver gave no answer */
  seen: 'everywhere' | 'alias-missing' | 'host-missing' | 'unknown';
  /** the resolvers that do not see it, and why */
  detail: string;
}

export interface Observations {
  standby?: StandbySight;
  /** public key of a pair that was just made */
  freshKey?: string;
}

/**
 * `start`: the rotation is in progress; `verify`: every resolver sees the standby key; `unverify`: not any more;
 * `abandon`: back to the beginning; `switch`: the standby key signs; `replace`: a fresh key replaces the old one.
 */
type RotationMove = 'wait' | 'start' | 'verify' | 'unverify' | 'abandon' | 'switch' | 'replace';

export interface RotationStep {
  move: RotationMove;
  /** reason of the wait */
  reason: string;
  /** time of the next check */
  nextAt: Date;
  /** input with which the step could be another one */
  needs?: 'standby' | 'fresh-key';
}

/**
 * The next step of a domain's rotation (spec 1-platform §11.7): publish the standby key → every resolver sees it →
 * a day → it signs → seven days → the old key is replaced by a fresh one. A key signs only after every resolver has
 * seen it at our alias and through the owner's record, a day ago and again now.
 * @param domain with managed DNS, as it is now
 * @param seen look-ups and keys made for this step; those of another key or record do not count
 */
export function nextRotationStep(
  domain: SendingDomain,
  facts: RotationFacts,
  seen: Observations,
  now: Date,
): RotationStep {
  const keptUntil = later(domain.rotationSwitchedAt, KEEP_OLD_KEY_MS);
  if (keptUntil !== null && now < keptUntil) return wait('the old key stays published', keptUntil);
  if (keptUntil !== null || standbyKey(domain) === undefined) return replaceOldKey(seen, now);
  if (domain.rotationStartedAt === null) return begin(domain, facts, now);
  if (!isReady(domain)) return abandon(NOT_READY, now);
  const switchAt = switchableAt(domain, facts);
  if (switchAt !== null && now < switchAt) return wait('every resolver sees the standby key', switchAt);
  return proceed(
    domain,
    { startedAt: domain.rotationStartedAt, sight: currentSight(domain, facts, { ...seen, now }) },
    now,
  );
}

/** Resolvers may have cached that a key is missing, also one that was lost and published again. */
function switchableAt(
  { rotationVerifiedAt }: SendingDomain,
  { standbyPublishedAt }: RotationFacts,
): Date | null {
  if (rotationVerifiedAt === null) return null;
  const since = Math.max(rotationVerifiedAt.getTime(), standbyPublishedAt?.getTime() ?? 0);
  return new Date(since + SWITCH_AFTER_MS);
}

const NOT_READY = 'the DKIM standby record of the domain is not seen in DNS';

const wait = (reason: string, nextAt: Date): RotationStep => ({ move: 'wait', reason, nextAt });

const abandon = (reason: string, now: Date): RotationStep => ({
  move: 'abandon',
  reason,
  nextAt: after(now, NOT_READY_MS),
});

function begin(domain: SendingDomain, facts: RotationFacts, now: Date): RotationStep {
  const due = dueAt(facts);
  if (now < due) {
    return wait(`the key signs until ${due.toISOString()}`, earliest(due, after(now, LOOK_AGAIN_MS)));
  }
  if (!isReady(domain)) return wait(NOT_READY, after(now, NOT_READY_MS));
  return { move: 'start', reason: 'the standby key is being published', nextAt: now };
}

function replaceOldKey({ freshKey }: Observations, now: Date): RotationStep {
  if (freshKey !== undefined) return { move: 'replace', reason: 'the old key was replaced', nextAt: now };
  return { ...wait('a fresh key is being made', after(now, TROUBLE_MS)), needs: 'fresh-key' };
}

interface Progress {
  startedAt: Date;
  sight: StandbySight | undefined;
}

function proceed(domain: SendingDomain, { startedAt, sight }: Progress, now: Date): RotationStep {
  const isVerified = domain.rotationVerifiedAt !== null;
  if (sight === undefined) {
    return { ...wait('the standby key is being looked up', after(now, CHANGED_MS)), needs: 'standby' };
  }
  if (sight.seen === 'everywhere') {
    if (isVerified)
      return { move: 'switch', reason: 'the old key stays published', nextAt: after(now, KEEP_OLD_KEY_MS) };
    return {
      move: 'verify',
      reason: 'every resolver sees the standby key',
      nextAt: after(now, SWITCH_AFTER_MS),
    };
  }
  if (sight.seen === 'host-missing') return abandon(`${NOT_READY}: ${sight.detail}`, now);
  const reason = `the standby key is not seen by every resolver: ${sight.detail}`;
  if (now >= after(startedAt, MAX_IN_PROGRESS_MS)) return abandon(reason, now);
  const nextAt = after(now, TROUBLE_MS);
  if (isVerified && sight.seen === 'alias-missing') return { move: 'unverify', reason, nextAt };
  return wait(reason, nextAt);
}

function currentSight(
  domain: SendingDomain,
  { standbyHost, standbyPublishedAt }: RotationFacts,
  { standby, now }: Observations & { now: Date },
): StandbySight | undefined {
  // a resolver missed it a moment ago: it is published again first
  if (standbyPublishedAt === null && standby?.seen === 'everywhere') return undefined;
  const isCurrent =
    standby?.key === standbyKey(domain) &&
    standby?.host === standbyHost &&
    now <= after(standby.at, SIGHT_MS);
  return isCurrent ? standby : undefined;
}

/**
 * The domain after a step.
 * @param freshKey the public key that takes the standby slot, for `replace`
 */
export function domainAfterStep(
  domain: SendingDomain,
  step: RotationStep,
  now: Date,
  freshKey?: string,
): SendingDomain {
  const next = { ...domain, rotationNextAt: step.nextAt, rotationReason: step.reason };
  const idle = { rotationStartedAt: null, rotationVerifiedAt: null };
  switch (step.move) {
    case 'wait':
      return next;
    case 'start':
      return { ...next, rotationStartedAt: now };
    case 'verify':
      return { ...next, rotationVerifiedAt: now };
    case 'unverify':
      return { ...next, rotationVerifiedAt: null };
    case 'abandon':
      return { ...next, ...idle };
    case 'switch':
      return { ...next, ...idle, ...swappedSlots(domain), rotationSwitchedAt: now, updatedAt: now };
    case 'replace':
      return { ...next, ...withStandbyKey(domain, freshKey), rotationSwitchedAt: null };
  }
}

/** The hosts stay with their slots, so their record states move along: the required record was seen before. */
function swappedSlots({ activeSlot, records, revision }: SendingDomain) {
  const { dkim = NEVER_SEEN, dkim_standby = NEVER_SEEN, ...others } = records;
  return {
    activeSlot: otherSlot(activeSlot),
    records: { ...others, dkim: dkim_standby, dkim_standby: dkim },
    revision: revision + 1,
  };
}

const NEVER_SEEN: RecordVerdict = { propagated: false, lockedLabel: null, problem: null };

/** Readers of the zone notice a changed key by the revision. */
function withStandbyKey({ activeSlot, publicKeys, revision }: SendingDomain, freshKey: string | undefined) {
  if (freshKey === undefined) throw new Error('a key is replaced by none');
  return { publicKeys: { ...publicKeys, [otherSlot(activeSlot)]: freshKey }, revision: revision + 1 };
}

const standbyKey = ({ publicKeys, activeSlot }: SendingDomain): string | undefined =>
  publicKeys[otherSlot(activeSlot)];

/**
 * `rotation_ready` (§11.7 rule 2): the owner's standby record was seen at the last conclusive check. While the selector
 * moves, the record that is seen is below another selector than the one that signs.
 */
const isReady = (domain: SendingDomain): boolean =>
  hasPropagated(domain, 'dkim_standby') && domain.nextSelector === null;

const dueAt = ({ activeSince, intervalDays }: RotationFacts): Date =>
  after(activeSince, intervalDays * DAY_MS);

const after = (date: Date, ms: number): Date => new Date(date.getTime() + ms);
const later = (date: Date | null, ms: number): Date | null => (date === null ? null : after(date, ms));
const earliest = (one: Date, other: Date): Date => (one < other ? one : other);
