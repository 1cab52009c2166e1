import { failureKind, Transient } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { UnrecoverableError, WaitingError, type Job } from 'bullmq';

/**
 * Does the work once; resolving = done, rejecting = failed until the next run. It may run again after a crash, so it
 * reads the rows first.
 * @param signal aborted when the time is up or the process ends: release claims and reject
 */
export type Run = (signal: AbortSignal) => Promise<void>;

export interface RunContext {
  label: string;
  run: Run;
  timeoutMs: number;
  /** aborted when the process cannot wait for its runs any longer */
  ending: AbortSignal;
  logger: Logger;
}

const MAX_REASON_CHARS = 1_000;
const MAX_STACK_CHARS = 4_000;

/**
 * One run: time limit, log, and what a failure means.
 * @throws UnrecoverableError (to the failed list) or WaitingError (put back, not counted)
 */
export async function runTask(job: Job<unknown, void>, token: string, context: RunContext): Promise<void> {
  const { logger, label } = context;
  const begun = performance.now();
  const facts = () => ({ job: label, job_id: job.id, took_ms: Math.round(performance.now() - begun) });
  try {
    await runBounded(context);
    logger.debug({ event: 'job.done', ...facts() }, 'job done');
  } catch (error) {
    if (context.ending.aborted) {
      await job.moveToWait(token);
      logger.info({ event: 'job.put_back', ...facts() }, 'job put back: the process ends');
      throw new WaitingError();
    }
    const failure = asStored(error);
    logger.error({ event: 'job.failed', ...facts(), reason: failure.message }, 'job failed');
    throw failure;
  }
}

async function runBounded({ run, timeoutMs, ending }: RunContext): Promise<void> {
  ending.throwIfAborted();
  // not AbortSignal.any: with listeners on it, it lives as long as `ending` does
  const stop = new AbortController();
  const end = () => stop.abort(ending.reason);
  const tooLong = () => stop.abort(new Transient(`the run took longer than ${timeoutMs} ms`));
  const stopped = new Promise<never>((_resolve, reject) => {
    stop.signal.addEventListener('abort', () => reject(stop.signal.reason as unknown), { once: true });
  });
  const limit = setTimeout(tooLong, timeoutMs);
  ending.addEventListener('abort', end);
  try {
    // a run that does not heed the signal is left behind: it has failed all the same
    await Promise.race([stopped, run(stop.signal)]);
  } finally {
    clearTimeout(limit);
    ending.removeEventListener('abort', end);
  }
}

/** As the failed list shows it: the kind of failure and one line that a person reads. */
function asStored(error: unknown): UnrecoverableError {
  const message = error instanceof Error ? error.message : String(error);
  const stored = new UnrecoverableError(storable(`${failureKind(error)}: ${message}`, MAX_REASON_CHARS));
  stored.stack = storable(error instanceof Error ? (error.stack ?? '') : '', MAX_STACK_CHARS);
  return stored;
}

/** PostgreSQL stores no NUL: a remote server's text with one in it must not keep a job from failing. */
function storable(text: string, maxChars: number): string {
  return text.replaceAll('\0', '\uFFFD').slice(0, maxChars);
}
