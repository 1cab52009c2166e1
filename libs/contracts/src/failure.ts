/** The kind of a failure decides what happens next: one table per consumer reads these kinds. */
export type FailureKind = 'permanent' | 'transient' | 'poison' | 'bug';

export abstract class Failure extends Error {
  abstract readonly kind: FailureKind;
}

/** Every retry fails in the same way; an operator has to act. */
export class Permanent extends Failure {
  readonly kind = 'permanent';
}

/** A dependency failed (connection, lock, overload); the same work may succeed later. */
export class Transient extends Failure {
  readonly kind = 'transient';
  constructor(
    message: string,
    readonly retryAfterMs?: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The work exceeds the limits of one transaction, which was seen before it began: callers that can split it do so. */
export class TooMuchAtOnce extends Transient {}

/** Cannot be parsed. */
export class Poison extends Failure {
  readonly kind = 'poison';
}

const TRANSIENT_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  // Postgres: connection trouble, serialization, deadlock, resources, operator intervention (SQLSTATE classes 08, 40, 53, 57)
  '40001',
  '40P01',
  '55P03',
  // a full disk of a service or of Postgres (53100 is in class 53)
  'ENOSPC',
  'EDQUOT',
  // a disk that fails: of a service, or of Postgres (io_error)
  'EIO',
  '58030',
]);

// Errors without a code of the driver and of TypeORM for a lost connection: before, in and between the statements of a
// transaction
const CONNECTION_LOST =
  /Connection terminated|timeout exceeded when trying to connect|is not queryable|Query runner already released|provided by a query runner was already released/;

// Postgres: a statement, a lock or a transaction exceeded its timeout
const TOO_LONG_CODES = new Set(['57014', '55P03', '25P03', '25P04']);

/** @returns the kind of any thrown value; an unknown error is a bug of ours */
export function failureKind(error: unknown): FailureKind {
  if (error instanceof Failure) return error.kind;
  const code = errorCode(error);
  if (code !== undefined && (TRANSIENT_CODES.has(code) || /^(08|53|57)/.test(code))) return 'transient';
  const { message } = error instanceof Error ? error : { message: '' };
  const isOfUnixSocket = (code === 'ENOENT' || code === 'EAGAIN') && message.startsWith('connect ');
  return isOfUnixSocket || CONNECTION_LOST.test(message) ? 'transient' : 'bug';
}

const DISK_FULL_CODES = new Set(['53100', 'ENOSPC', 'EDQUOT']);
const DISK_BROKEN_CODES = new Set(['58030', 'EIO']);
// Conflicts between transactions
const CONFLICT_CODES = new Set(['40001', '40P01']);

/**
 * A key that all failures of one outage share: a dependency of every service is down or full.
 * @returns undefined for a failure that is no outage
 */
export function outageOf(error: unknown): string | undefined {
  if (failureKind(error) !== 'transient' || tookTooLong(error)) return undefined;
  if (error instanceof Failure) return error.message;
  const code = errorCode(error) ?? '';
  if (CONFLICT_CODES.has(code)) return undefined;
  if (DISK_BROKEN_CODES.has(code)) return 'disk broken';
  return DISK_FULL_CODES.has(code) ? 'disk full' : 'connection';
}

/**
 * Whether the database cancelled the work because it took too long, or it would have taken too long. The failure is
 * transient, but a retry takes as long: callers that can split the work do so.
 */
export function tookTooLong(error: unknown): boolean {
  return error instanceof TooMuchAtOnce || TOO_LONG_CODES.has(errorCode(error) ?? '');
}

function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  if ('driverError' in error) return errorCode(error.driverError);
  if ('cause' in error) return errorCode(error.cause);
  return undefined;
}
