import { backoffMs, pause } from '@postmesh/concurrency';
import { failureKind, tookTooLong } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';

export interface RetryOptions {
  /** what is waited for, for the log */
  what: string;
  logger: Pick<Logger, 'warn'>;
  /** default: a minute */
  limitMs?: number;
}

// Longer than a connection takes on a machine that has just been killed under load and starts everything at once; short
// enough that who has mistyped an address is told so, and that a supervisor acts.
const LIMIT_MS = 60_000;
const BACKOFF = { firstMs: 200, maxMs: 5_000, spread: 0.2 };

/**
 * A step of a start: while the database is away, starting or too busy to answer, it is tried again with backoff instead
 * of ending the process.
 * @param step leaves nothing behind when it fails
 * @throws what the last try met when the limit is over; at once what no other try cures, as a wrong password
 */
export async function retryTransient<T>(
  step: () => Promise<T>,
  { what, logger, limitMs = LIMIT_MS }: RetryOptions,
): Promise<T> {
  const until = performance.now() + limitMs;
  for (let failures = 1; ; failures += 1) {
    try {
      return await step();
    } catch (error) {
      const waitMs = backoffMs(failures, BACKOFF);
      const isCurable = failureKind(error) === 'transient' && !tookTooLong(error);
      if (!isCurable || performance.now() + waitMs > until) throw error;
      const about = { event: 'database.awaited', what, failures, wait_ms: waitMs, err: error };
      logger.warn(about, 'the database does not answer: trying again');
      await pause(waitMs);
    }
  }
}
