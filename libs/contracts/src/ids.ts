import { createHash, randomFillSync } from 'node:crypto';
import { z } from 'zod';

export const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Any RFC 4122 textual UUID; letter case is ignored (spec 1-platform §1.1). */
export const Uuid = z
  .string()
  .regex(UUID_PATTERN)
  .transform((text) => text.toLowerCase());

export const AccountId = Uuid.brand<'AccountId'>();
export type AccountId = z.infer<typeof AccountId>;
export const UserId = Uuid.brand<'UserId'>();
export type UserId = z.infer<typeof UserId>;
export const ApiKeyId = Uuid.brand<'ApiKeyId'>();
export type ApiKeyId = z.infer<typeof ApiKeyId>;
export const SmtpCredentialId = Uuid.brand<'SmtpCredentialId'>();
export type SmtpCredentialId = z.infer<typeof SmtpCredentialId>;
export const SessionId = Uuid.brand<'SessionId'>();
export type SessionId = z.infer<typeof SessionId>;
export const DomainId = Uuid.brand<'DomainId'>();
export type DomainId = z.infer<typeof DomainId>;
export const SendRequestId = Uuid.brand<'SendRequestId'>();
export type SendRequestId = z.infer<typeof SendRequestId>;
export const MessageId = Uuid.brand<'MessageId'>();
export type MessageId = z.infer<typeof MessageId>;
export const WebhookId = Uuid.brand<'WebhookId'>();
export type WebhookId = z.infer<typeof WebhookId>;
export const BlobId = Uuid.brand<'BlobId'>();
export type BlobId = z.infer<typeof BlobId>;

/** Owns the mail of Postmesh itself (invitations, notices). It has no row in the accounts service, so it has no keys. */
export const SYSTEM_ACCOUNT_ID = AccountId.parse('00000000-0000-7000-8000-000000000001');

// Random bytes are read in blocks: one system call for 512 ids.
const RANDOM_BLOCK = Buffer.alloc(4096);
let randomAt = RANDOM_BLOCK.length;

function copyRandomEight(to: Buffer, at: number): void {
  if (randomAt >= RANDOM_BLOCK.length) {
    randomFillSync(RANDOM_BLOCK);
    randomAt = 0;
  }
  for (let nth = 0; nth < 8; nth += 1) to[at + nth] = RANDOM_BLOCK[randomAt + nth] as number;
  randomAt += 8;
}

// of the id that is being made: a buffer for each would cost more than its bytes
const ID_BYTES = Buffer.alloc(16);

let lastMs = 0;
let sequence = 0;
// After a smaller step back of the clock, ids keep the last time; after a larger one they follow the clock.
const MAX_AHEAD_MS = 5_000;

/**
 * A UUIDv7 (RFC 9562 §5.7). Ids of one process ascend even within a millisecond: the 12 bits after the
 * version hold a counter, so rows written in one batch keep their order in an index.
 * @param nowMs Unix time in milliseconds; the current time when left out
 */
export function newId(nowMs: number = Date.now()): string {
  if (nowMs > lastMs || nowMs < lastMs - MAX_AHEAD_MS) {
    lastMs = nowMs;
    sequence = 0;
  } else if (++sequence > 0xfff) {
    lastMs += 1;
    sequence = 0;
  }
  ID_BYTES.writeUIntBE(lastMs, 0, 6);
  ID_BYTES.writeUInt16BE(0x7000 | sequence, 6);
  copyRandomEight(ID_BYTES, 8);
  ID_BYTES[8] = ((ID_BYTES[8] ?? 0) & 0x3f) | 0x80;
  return uuidText(ID_BYTES);
}

/** @param id of `newId`, with or without hyphens. @returns its time, Unix ms */
export const timeOfId = (id: string): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

/** The same id for the same parts in the same order: a UUID of version 8 (RFC 9562 §5.8). */
export function derivedId(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  const bytes = hash.digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return uuidText(bytes);
}

function uuidText(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
