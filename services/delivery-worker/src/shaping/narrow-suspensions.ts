import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Sender } from './group-limits.port.js';
import type { Cause } from './learning.rules.js';
import type { Signal } from './signal.rules.js';

export type NarrowScope = 'source+domain' | 'account';

/** A suspension of one sending domain from one source, or of one account. */
export interface NarrowSuspension {
  readonly groupKey: string;
  /** empty for an account: applies to every source */
  readonly source: string;
  readonly scope: NarrowScope;
  /** the sending domain, or the id of the account */
  readonly subject: string;
  /** Unix ms */
  readonly until: number;
  /** suspensions, each soon after the one before */
  readonly strikes: number;
  readonly cause: Cause;
}

type Place = Pick<NarrowSuspension, 'groupKey' | 'source' | 'scope' | 'subject'>;

const MAX_KNOWN = 20_000;
const DEFAULT_MS = 10 * 60_000;
const LONGEST_MS = 12 * 3_600_000;
/** After this long without another one, a suspension counts as the first one again. */
const STRIKES_FORGOTTEN_MS = 6 * 3_600_000;

/** Suspensions that are narrower than a source address, as this worker has read them. */
@Injectable()
export class NarrowSuspensions {
  private readonly known = new LRUCache<string, NarrowSuspension>({ max: MAX_KNOWN });

  /** The one that ends last. */
  find(groupKey: string, source: string, sender: Sender, now: number): NarrowSuspension | undefined {
    if (this.known.size === 0) return undefined;
    const found = placesOf(groupKey, source, sender)
      .map((place) => this.known.get(keyOf(place)))
      .filter((one) => one !== undefined && one.until > now);
    return found.sort((one, other) => (other?.until ?? 0) - (one?.until ?? 0))[0];
  }

  /** @returns undefined when it is suspended already: replies in flight belong to the same event */
  next(place: Place, signal: Signal, cause: Omit<Cause, 'did'>): NarrowSuspension | undefined {
    const before = this.known.get(keyOf(place));
    const now = cause.at;
    if (before !== undefined && before.until > now) return undefined;
    const repeats = before !== undefined && now - before.until < STRIKES_FORGOTTEN_MS ? before.strikes : 0;
    const longest = Math.min((signal.longestSeconds ?? LONGEST_MS / 1_000) * 1_000, LONGEST_MS);
    const first = signal.forSeconds === undefined ? DEFAULT_MS : signal.forSeconds * 1_000;
    const until = now + Math.min(first * 2 ** Math.min(repeats, 10), longest);
    const next = { ...place, until, strikes: repeats + 1, cause: { ...cause, did: 'suspended' } };
    this.known.set(keyOf(place), next);
    return next;
  }

  /** @param groupKeys groups whose suspensions are all given; without it those of every group are */
  replace(suspensions: readonly NarrowSuspension[], groupKeys?: readonly string[]): void {
    for (const [key, one] of this.known.entries()) {
      if (groupKeys === undefined || groupKeys.includes(one.groupKey)) this.known.delete(key);
    }
    for (const one of suspensions) this.known.set(keyOf(one), one);
  }
}

/** The key under which a signal of a narrower scope is stored. */
export function placeOf(
  scope: NarrowScope,
  { groupKey, source, senderDomain, accountId }: Sender & { groupKey: string; source: string },
): Place {
  if (scope === 'account') return { groupKey, source: '', scope, subject: accountId };
  return { groupKey, source, scope, subject: senderDomain };
}

const placesOf = (groupKey: string, source: string, sender: Sender): readonly Place[] =>
  (['source+domain', 'account'] as const).map((scope) => placeOf(scope, { groupKey, source, ...sender }));

const keyOf = ({ groupKey, source, scope, subject }: Place): string =>
  JSON.stringify([groupKey, source, scope, subject]);
