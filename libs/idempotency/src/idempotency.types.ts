import type { AccountId } from '@postmesh/contracts';

/** `secret`: the rules for creates whose answer holds an API key (spec 1-platform §4.4). */
export type IdempotencyMode = 'standard' | 'secret';

export interface ClaimRequest {
  /** the account of the authenticated key: the namespace of the idempotency key (§4.2.1) */
  accountId: AccountId;
  key: string;
  /** of `Idempotency.fingerprint` */
  fingerprint: Buffer;
  mode: IdempotencyMode;
}

/** The right to run an operation under a key, until its lease ends and another run takes the key over. */
export interface IdempotentRun {
  readonly accountId: AccountId;
  readonly key: string;
  readonly mode: IdempotencyMode;
  /** the fencing token (§4.3.6) */
  readonly token: string;
}

/** An answer as it is sent and, byte for byte, replayed. */
export interface RunResponse {
  status: number;
  body: Buffer;
  contentType: string;
  /** holds a one-time secret: encrypted at rest (§4.4.4) */
  encrypt?: boolean;
}

export interface EndedRun {
  run: IdempotentRun;
  response: RunResponse;
}

/** What a claim met (the table of spec 1-platform §4.3). */
export type Claim =
  | { kind: 'run'; run: IdempotentRun }
  | { kind: 'replay'; status: number; body: Buffer; contentType: string }
  | { kind: 'in-progress'; retryAfterSeconds: number }
  | { kind: 'mismatch' };
