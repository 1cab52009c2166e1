import { z } from 'zod';
import { AccountId } from '../ids.js';

/** `POST /internal/idempotency-keys/held` of every service that has idempotent operations. */
export const HeldKeyRequest = z.object({ account_id: AccountId, key: z.string().min(1).max(255) });
export type HeldKeyRequest = z.infer<typeof HeldKeyRequest>;

/** Whether the account's key is in progress or completed there, and not over (spec 1-platform §4.3). */
export const HeldKeyAnswer = z.object({ held: z.boolean() });
export type HeldKeyAnswer = z.infer<typeof HeldKeyAnswer>;
