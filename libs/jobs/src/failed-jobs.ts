import { Transient } from '@postmesh/contracts';
import type { JobDefinition } from './define-job.js';
import { label } from './payload.js';
import type { JobQueue, Queues } from './queues.js';

/** A job that will not be tried again unless somebody asks for it. */
export interface FailedJob {
  /** `<queue>.<name>` */
  job: string;
  id: string;
  /** as it was stored; it may not fit the schema */
  payload: unknown;
  reason: string;
  attempts: number;
  failedAt: Date;
}

export interface FailedQuery {
  /** one kind of job; all that this process knows when left out */
  job?: JobDefinition;
  /** at most, over all kinds; default 100, never more than 1,000 */
  limit?: number;
}

const MOST = 1_000;

/** Newest first within each kind of job. */
export async function listFailed(queues: Queues, query: FailedQuery = {}): Promise<FailedJob[]> {
  const limit = Math.min(query.limit ?? 100, MOST);
  const found: FailedJob[] = [];
  for (const { definition, queue } of asked(queues, query.job)) {
    if (found.length >= limit) break;
    const jobs = await queue.getFailed(0, limit - found.length - 1);
    found.push(
      ...jobs.map((job) => ({
        job: label(definition),
        id: job.id ?? '',
        payload: job.data as unknown,
        reason: job.failedReason ?? '',
        attempts: job.attemptsMade,
        failedAt: new Date(job.finishedOn ?? job.timestamp),
      })),
    );
  }
  return found;
}

/**
 * Gives failed jobs all their attempts anew.
 * @returns how many were put back
 */
export async function retryFailed(
  queues: Queues,
  query: FailedQuery & { ids?: readonly string[] } = {},
): Promise<number> {
  let count = 0;
  for (const failed of await listFailed(queues, { ...query, limit: query.limit ?? MOST })) {
    if (query.ids !== undefined && !query.ids.includes(failed.id)) continue;
    const queue = queues.all().find(({ definition }) => label(definition) === failed.job)?.queue;
    if (queue !== undefined && (await retryOne(queue, failed.id))) count += 1;
  }
  return count;
}

async function retryOne(queue: JobQueue, id: string): Promise<boolean> {
  const job = await queue.getJob(id);
  if (job === undefined || !(await job.isFailed())) return false;
  await job
    .retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true })
    .catch((error: unknown) => {
      throw new Transient(`job ${id} could not be put back`, undefined, { cause: error });
    });
  return true;
}

function asked(queues: Queues, job: JobDefinition | undefined) {
  return job === undefined ? queues.all() : [{ definition: job, queue: queues.open(job) }];
}
