export { Idempotency } from './idempotency.js';
export type { IdempotencySettings } from './idempotency.js';
export { IDEMPOTENCY_MIGRATIONS } from './idempotency.migrations.js';
export { idempotencyKeyOf } from './idempotency.rules.js';
export { RunOvertaken } from './run-overtaken.js';
export { fingerprint } from './fingerprint.js';
export type {
  Claim,
  ClaimRequest,
  EndedRun,
  IdempotencyMode,
  IdempotentRun,
  RunResponse,
} from './idempotency.types.js';
export type { Elsewhere } from './elsewhere.js';
export type { Reservation } from './key-register.js';
