import { z } from 'zod';
import { AccountId } from '../ids.js';
import { ServiceName } from '../services.js';

/**
 * The service with the register of all idempotency keys: the one with the most frequent operations, because its own
 * keys need no second look-up.
 */
export const IDEMPOTENCY_REGISTER: ServiceName = 'messages';

const KeyRequest = z.object({ account_id: AccountId, key: z.string().min(1).max(255) });

/**
 * An entry of the register: microseconds since 1970 at which it was made, in decimals. A later entry of a key has a
 * greater one.
 */
const KeyEntry = z.string().regex(/^\d{1,18}$/);

/** The service that holds a key according to the register; that service decides whether it still holds it. */
export const KeyHolder = z.object({ home: ServiceName, entry: KeyEntry });
export type KeyHolder = z.infer<typeof KeyHolder>;

/** The gateway's entry in the head of a request with an idempotency key. */
export const KEY_ENTRY_HEADER = 'x-key-entry';
/**
 * The digest of a request in the dialect of another service, in the head of each call that the gateway has made of it. It
 * is part of the identity of these calls: the client's key is for all of them.
 */
export const REQUEST_DIGEST_HEADER = 'x-request-digest';
/** `<home> <entry>` in a 422 of the register's service: another service may hold the key. */
export const KEY_HOLDER_HEADER = 'x-key-holder';

/** `POST /internal/idempotency-keys/enter` of the service that keeps the register: asked by the gateway. */
export const EnterKeyRequest = KeyRequest.extend({
  /** the service of the operation */
  home: ServiceName,
  /** the entry of a service that gave the key up */
  freed: KeyEntry.optional(),
});
export type EnterKeyRequest = z.infer<typeof EnterKeyRequest>;

/** Both null: the key is that of an operation of the register's service. */
export const EnterKeyResponse = z.object({ entry: KeyEntry.nullable(), holder: KeyHolder.nullable() });
export type EnterKeyResponse = z.infer<typeof EnterKeyResponse>;

/** `POST /internal/idempotency-keys/forget` of the service that keeps the register: its holder gave the key up. */
export const ForgetKeyRequest = KeyRequest.extend({ entry: KeyEntry });
export type ForgetKeyRequest = z.infer<typeof ForgetKeyRequest>;

/**
 * `POST /internal/idempotency-keys/yield` of every service that has idempotent operations: it gives the key up, unless it
 * holds it. From then on no request with this entry, or an earlier one, can claim the key there.
 */
export const YieldKeyRequest = KeyRequest.extend({ entry: KeyEntry, to: ServiceName });
export type YieldKeyRequest = z.infer<typeof YieldKeyRequest>;

/** `POST /internal/idempotency-keys/held`: asked by the release before only. */
export const HeldKeyRequest = KeyRequest;
export type HeldKeyRequest = z.infer<typeof HeldKeyRequest>;

/** Whether the account's key is in progress or completed there, and not over (spec 1-platform §4.3). */
export const HeldKeyResponse = z.object({ held: z.boolean() });
export type HeldKeyResponse = z.infer<typeof HeldKeyResponse>;

/** `POST /internal/idempotency-keys/reserve` of the service that keeps the register: asked by the release before only. */
export const ReserveKeyRequest = KeyRequest.extend({ home: ServiceName });
export type ReserveKeyRequest = z.infer<typeof ReserveKeyRequest>;

/** False: the key belongs to an operation of another service. */
export const ReserveKeyResponse = z.object({ reserved: z.boolean() });
export type ReserveKeyResponse = z.infer<typeof ReserveKeyResponse>;
