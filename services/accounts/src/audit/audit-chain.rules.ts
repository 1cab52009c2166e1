import { createHash } from 'node:crypto';

/** The sealed fields of an entry, as PostgreSQL writes them. */
export interface SealedFields {
  readonly id: string;
  readonly at: Date;
  readonly actorKind: string;
  readonly actorId: string | null;
  readonly action: string;
  readonly accountId: string | null;
  readonly subjectId: string | null;
  /** the text of the jsonb value, which is the same for the same value */
  readonly details: string;
}

/** An end of the chain. */
export interface Link {
  readonly seq: number;
  /** SHA-256 */
  readonly hash: Buffer;
}

/** Before the first entry. */
export const CHAIN_BEGIN: Link = { seq: 0, hash: Buffer.alloc(32) };

/** The link of the entry that follows: its hash covers all entries before it. */
export function linkAfter(before: Link, entry: SealedFields): Link {
  const { id, at, actorKind, actorId, action, accountId, subjectId, details } = entry;
  const seq = before.seq + 1;
  const fields = [seq, id, at.toISOString(), actorKind, actorId, action, accountId, subjectId, details];
  const hash = createHash('sha256').update(before.hash).update(JSON.stringify(fields)).digest();
  return { seq, hash };
}

/** An entry with its stored link. */
export type Sealed = SealedFields & Link;

/**
 * Recomputes a part of the chain.
 * @param entries in the order of their numbers
 * @param noted an end that was written down earlier
 * @returns the last good link, and the first thing that is wrong
 */
export function verifyChain(
  begin: Link,
  entries: readonly Sealed[],
  noted?: Link,
): { last: Link; problem: string | null } {
  let last = begin;
  for (const entry of entries) {
    const next = linkAfter(last, entry);
    if (entry.seq !== next.seq) return { last, problem: `entry ${next.seq} is missing` };
    if (!next.hash.equals(entry.hash)) return { last, problem: `entry ${entry.seq} was changed` };
    if (noted?.seq === entry.seq && !noted.hash.equals(entry.hash)) {
      return { last, problem: `the chain until entry ${entry.seq} is not the one that was noted` };
    }
    last = next;
  }
  return { last, problem: null };
}
