import { z } from 'zod';
import { AccountId } from '../ids.js';
import { ServiceName } from '../services.js';

/**
 * The service with the register of all idempotency keys: the one with the most frequent operations, because its own
 * keys need no second look-up.
 */
export const IDEMPOTENCY_REGISTER: ServiceName = 'messages';

/** `POST /internal/idempotency-keys/held` of every service that has idempotent operations. */
export const HeldKeyRequest = z.object({ account_id: AccountId, key: z.string().min(1).max(255) });
export type HeldKeyRequest = z.infer<typeof HeldKeyRequest>;

/** Whether the account's key is in progress or completed there, and not over (spec 1-platform §4.3). */
export const HeldKeyResponse = z.object({ held: z.boolean() });
export type HeldKeyResponse = z.infer<typeof HeldKeyResponse>;

/** `POST /internal/idempotency-keys/reserve` of the service that keeps the register. */
export const ReserveKeyRequest = HeldKeyRequest.extend({
  /** SHA-256, base64 */
  fingerprint: z.base64().length(44),
  /** token of the run that holds the key in its home service */
  token: z.uuid(),
  home: ServiceName,
});
export type ReserveKeyRequest = z.infer<typeof ReserveKeyRequest>;

/** False: the key belongs to an operation of another service. */
export const ReserveKeyResponse = z.object({ reserved: z.boolean() });
export type ReserveKeyResponse = z.infer<typeof ReserveKeyResponse>;
