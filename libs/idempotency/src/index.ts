export { Idempotency, STORED_RESPONSES } from './idempotency.js';
export { IDEMPOTENCY_MIGRATIONS } from './idempotency.migrations.js';
export { idempotencyKeyOf } from './idempotency.rules.js';
export type { Claim, ClaimRequest, IdempotentRun } from './claims.js';
export { RunOvertaken } from './stored-responses.js';
export type { EndedRun } from './stored-responses.js';
