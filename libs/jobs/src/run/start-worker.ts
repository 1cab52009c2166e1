import type { Logger } from '@postmesh/observability';
import { Worker, type IQueueBackend, type JobProgress } from 'bullmq';
import { NO_CONNECTION, type JobBackend } from '../backend/backend.js';
import type { JobDefinition, JobHandler } from '../define-job.js';
import { label } from '../payload.js';
import { quietly } from './quietly.js';
import { retryDelayMs } from './retry.rules.js';
import { RunFailed, runJob } from './run-job.js';

export type JobWorker = Worker<unknown, void, string, IQueueBackend, JobProgress, object>;

/** How soon a run is taken over whose process was killed: at most `lockMs` + 2 × `checkMs`. */
export interface Recovery {
  lockMs: number;
  checkMs: number;
}

// A run that takes its process down with it comes back this often, then it lies in the failed list.
const MOST_CRASHES = 3;

/** Begins to take jobs of one kind; resolves when the worker is connected. */
export async function startWorker(options: {
  queueName: string;
  definition: JobDefinition;
  handler: JobHandler;
  backend: JobBackend;
  recovery: Recovery;
  ending: AbortSignal;
  logger: Logger;
}): Promise<JobWorker> {
  const { definition, backend, recovery, logger } = options;
  const worker: JobWorker = new Worker(
    options.queueName,
    (job, token) => runJob(job, token ?? '', options),
    {
      connection: NO_CONNECTION,
      concurrency: definition.concurrency,
      lockDuration: recovery.lockMs,
      stalledInterval: recovery.checkMs,
      maxStalledCount: MOST_CRASHES,
      drainDelay: backend.idleSeconds,
      runRetryDelay: 1_000,
      settings: {
        backoffStrategy: (attempt, _type, error) =>
          retryDelayMs(
            definition.backoff,
            attempt,
            Math.random(),
            error instanceof RunFailed ? error.retryAfterMs : undefined,
          ),
      },
    },
    backend.factory,
  );
  worker.on(
    'error',
    quietly((error, more) =>
      logger.warn({ err: error, job: label(definition), more }, 'jobs: worker trouble'),
    ),
  );
  worker.on('stalled', (id) =>
    logger.warn({ job: label(definition), job_id: id }, 'job taken over: its process ended'),
  );
  await worker.waitUntilReady();
  return worker;
}
