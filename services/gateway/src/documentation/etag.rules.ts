import { hash } from 'node:crypto';

/** A strong validator: the same bytes have the same one, in every process. */
export const etagOf = (bytes: Buffer): string => `"${hash('sha256', bytes, 'base64url')}"`;

/** Whether the client has what it asks for (RFC 9110 §13.1.2, compared weakly). */
export function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const given = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return given.includes('*') || given.includes(etag);
}
