import { Transient } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { UnrecoverableError, WaitingError, type Job } from 'bullmq';
import type { JobDefinition, JobHandler } from '../define-job.js';
import { label, storedPayload } from '../payload.js';
import { judgeFailure, storable } from './retry.rules.js';

const LONGEST_STACK = 4_000;

export interface RunContext {
  definition: JobDefinition;
  handler: JobHandler;
  /** aborted when the process cannot wait for its runs any longer */
  ending: AbortSignal;
  logger: Logger;
}

/** A failed run as BullMQ stores it. */
export class RunFailed extends Error {
  override readonly name = 'RunFailed';
  constructor(
    message: string,
    readonly retryAfterMs: number | undefined,
  ) {
    super(message);
  }
}

/**
 * One run of one job: payload, handler, time limit, and what a failure means.
 * @throws RunFailed (try again), UnrecoverableError (do not) or WaitingError (put back, not counted)
 */
export async function runJob(job: Job<unknown, void>, token: string, context: RunContext): Promise<void> {
  const { definition, logger } = context;
  const begun = performance.now();
  const facts = { job: label(definition), job_id: job.id, attempt: job.attemptsMade + 1 };
  const tookMs = () => Math.round(performance.now() - begun);
  try {
    await runBounded(job, context);
    logger.debug({ ...facts, took_ms: tookMs() }, 'job done');
  } catch (error) {
    if (context.ending.aborted) {
      await job.moveToWait(token);
      logger.info({ ...facts, took_ms: tookMs() }, 'job put back: the process ends');
      throw new WaitingError();
    }
    const failure = judgeFailure(error);
    const last = !failure.again || job.attemptsMade + 1 >= definition.attempts;
    logger[last ? 'error' : 'warn'](
      { ...facts, took_ms: tookMs(), reason: failure.reason, last },
      'job failed',
    );
    throw asStored(error, failure);
  }
}

async function runBounded(job: Job<unknown, void>, context: RunContext): Promise<void> {
  const { definition, ending } = context;
  ending.throwIfAborted();
  const payload = storedPayload(definition, job.data);
  // not AbortSignal.any: with listeners on it, it lives as long as `ending` does
  const run = new AbortController();
  const end = () => run.abort(ending.reason);
  const tooLong = () => run.abort(new Transient(`the run took longer than ${definition.timeoutMs} ms`));
  const stopped = new Promise<never>((_resolve, reject) => {
    run.signal.addEventListener('abort', () => reject(run.signal.reason as unknown), { once: true });
  });
  const limit = setTimeout(tooLong, definition.timeoutMs);
  ending.addEventListener('abort', end);
  try {
    // a handler that does not heed the signal is left behind: its run has failed all the same
    await Promise.race([
      stopped,
      context.handler({ payload, id: job.id ?? '', attempt: job.attemptsMade + 1, signal: run.signal }),
    ]);
  } finally {
    clearTimeout(limit);
    ending.removeEventListener('abort', end);
  }
}

function asStored(error: unknown, failure: ReturnType<typeof judgeFailure>): Error {
  const stored = failure.again
    ? new RunFailed(failure.reason, failure.retryAfterMs)
    : new UnrecoverableError(failure.reason);
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  stored.stack = storable(stack, LONGEST_STACK);
  return stored;
}
