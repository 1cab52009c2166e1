import { backoffMs, pause } from '@postmesh/concurrency';
import { failureKind, tookTooLong } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';

export interface RetryOptions {
  /** what waits, for the log */
  what: string;
  logger: Pick<Logger, 'warn'>;
  /** what it waits for; default: the database */
  awaited?: keyof typeof NAMES;
  /** default: a minute */
  limitMs?: number;
  /** a failure that another try does not cure, though its kind is transient */
  isFinal?: (error: unknown) => boolean;
}

const NAMES = { database: 'the database', kafka: 'Kafka', redis: 'Redis' } as const;

// Longer than a connection takes on a machine that was killed under load and starts all processes at once; short
// enough
// that a wrong address is reported soon, and that a supervisor acts.
const LIMIT_MS = 60_000;
const BACKOFF = { firstMs: 200, maxMs: 5_000, spread: 0.2 };

/**
 * A step of a start: while its dependency is unavailable, starting or too busy to answer, it is tried again with
 * backoff instead of ending the process.
 * @param step leaves nothing behind when it fails
 * @throws the error of the last try when the limit is over; at once an error that a retry cannot cure, as a wrong
 * password
 */
export async function retryTransient<T>(
  step: () => Promise<T>,
  { what, logger, awaited = 'database', limitMs = LIMIT_MS, isFinal = () => false }: RetryOptions,
): Promise<T> {
  const until = performance.now() + limitMs;
  for (let failures = 1; ; failures += 1) {
    try {
      return await step();
    } catch (error) {
      const waitMs = backoffMs(failures, BACKOFF);
      const isCurable = failureKind(error) === 'transient' && !tookTooLong(error) && !isFinal(error);
      if (!isCurable || performance.now() + waitMs > until) throw error;
      const about = { event: `${awaited}.awaited`, what, failures, wait_ms: waitMs, err: error };
      logger.warn(about, `${NAMES[awaited]} does not respond, will retry`);
      await pause(waitMs);
    }
  }
}
