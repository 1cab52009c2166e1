import { createHash } from 'node:crypto';

/** The personal part of a consent record; emptied when the contact is deleted. */
export interface ConsentDetails {
  readonly email: string;
  /** the client's address; empty when another person acted for the contact */
  readonly ip: string;
  /** random, so that the digest cannot be compared with digests of known addresses */
  readonly salt: string;
}

/** The fields that the chain seals. */
export interface SealedConsent {
  readonly contactId: string;
  readonly listId: string;
  readonly action: 'granted' | 'withdrawn';
  readonly way: 'form' | 'console' | 'preferences';
  readonly formId: string | null;
  readonly textVersion: number | null;
  /** SHA-256 of the words, hexadecimal */
  readonly textDigest: string;
  readonly at: Date;
  readonly detailsDigest: string;
}

/** An end of the chain of an account. */
export interface ConsentLink {
  readonly seq: number;
  /** SHA-256 */
  readonly hash: Buffer;
}

/** Before the first record. */
export const NO_CONSENTS: ConsentLink = { seq: 0, hash: Buffer.alloc(32) };

export const textDigest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Stays when the details are emptied, so that the chain is still whole. */
export const detailsDigest = ({ salt, email, ip }: ConsentDetails): string =>
  textDigest(JSON.stringify([salt, email, ip]));

/** The link of the record that follows: its hash covers all records before it. */
export function consentAfter(before: ConsentLink, record: SealedConsent): ConsentLink {
  const seq = before.seq + 1;
  const { contactId, listId, action, way, formId, textVersion, at } = record;
  const { textDigest: words, detailsDigest: details } = record;
  const fields = [
    seq,
    ...[contactId, listId, action, way, formId, textVersion],
    ...[words, at.toISOString(), details],
  ];
  const hash = createHash('sha256').update(before.hash).update(JSON.stringify(fields)).digest();
  return { seq, hash };
}

/** A stored record. */
export interface StoredConsent extends SealedConsent, ConsentLink {
  /** null: its contact was deleted */
  readonly details: ConsentDetails | null;
}

/**
 * Recomputes a part of the chain.
 * @param records in the order of their numbers
 * @returns the last good link, and the first thing that is wrong
 */
export function verifyConsents(
  begin: ConsentLink,
  records: readonly StoredConsent[],
): { last: ConsentLink; problem: string | null } {
  let last = begin;
  for (const record of records) {
    const next = consentAfter(last, record);
    if (record.seq !== next.seq) return { last, problem: `record ${next.seq} is missing` };
    const isSame = record.details === null || detailsDigest(record.details) === record.detailsDigest;
    if (!isSame || !next.hash.equals(record.hash))
      return { last, problem: `record ${record.seq} was changed` };
    last = next;
  }
  return { last, problem: null };
}
