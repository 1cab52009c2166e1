import { setMaxListeners } from 'node:events';
import type { Logger } from '@postmesh/observability';
import type { z } from 'zod';
import type { JobBackend } from './backend/backend.js';
import { openPostgresBackend } from './backend/postgres-backend.js';
import { openRedisBackend } from './backend/redis-backend.js';
import {
  definePeriodic,
  type JobCatalogue,
  type JobDefinition,
  type JobHandler,
  type JobHandlers,
  type PeriodicWork,
} from './define-job.js';
import { listFailed, retryFailed, type FailedJob, type FailedQuery } from './failed-jobs.js';
import { Liveness } from './liveness.js';
import { label } from './payload.js';
import { Queues, type EnqueueOptions } from './queues.js';
import { startWorker, type JobWorker, type Recovery } from './run/start-worker.js';
import { Schedules, type Schedule } from './schedules.js';
import { within } from './within.js';

export interface JobsOptions {
  backend: { redisUrl: string } | { postgresUrl: string; schema: string };
  /** before every queue's name, for backends that are shared */
  prefix: string;
  logger: Logger;
  /** default: a killed process's run is taken over after 30 to 60 s */
  recovery?: Recovery;
  /** how long `close` lets runs end by themselves; default 5 s */
  graceMs?: number;
  /** how often schedules are put in again; default a minute */
  rearmMs?: number;
}

export interface JobCounts {
  waiting: number;
  active: number;
  delayed: number;
  failed: number;
}

const DEFAULT_RECOVERY: Recovery = { lockMs: 30_000, checkMs: 15_000 };
const DEFAULT_GRACE_MS = 5_000;
const CLOSE_LIMIT_MS = 2_000;

/** Connects. @throws the driver's error when the backend cannot be reached or its schema not be made */
export async function createJobs(options: JobsOptions): Promise<Jobs> {
  const { backend, logger } = options;
  const opened =
    'redisUrl' in backend
      ? await openRedisBackend({ url: backend.redisUrl, logger })
      : await openPostgresBackend({ url: backend.postgresUrl, schema: backend.schema, logger });
  return new Jobs(opened, options);
}

/**
 * Alarms (architecture §3.5): work that is due later, again, or apart from the request. A job tells
 * that a row may be due; the row is the truth. At least once: a run may be repeated after a crash.
 */
export class Jobs {
  private readonly queues: Queues;
  private readonly schedules: Schedules;
  private readonly liveness: Liveness;
  private readonly workers = new Map<string, JobWorker>();
  private readonly ending = new AbortController();
  private closing: Promise<void> | undefined;

  constructor(
    private readonly backend: JobBackend,
    private readonly options: JobsOptions,
  ) {
    this.queues = new Queues(backend, options.prefix, options.logger);
    this.schedules = new Schedules(this.queues, backend, options.logger, options.rearmMs);
    this.liveness = new Liveness(backend);
    // one listener per run that goes on; Node warns from eleven on
    setMaxListeners(0, this.ending.signal);
  }

  /**
   * @returns the job's id; that of the waiting one when this one is a duplicate
   * @throws Permanent on a payload that does not fit; Transient when the backend does not answer in 10 s
   */
  enqueue<P extends z.ZodType>(
    job: JobDefinition<P>,
    payload: z.input<P>,
    options?: EnqueueOptions,
  ): Promise<string> {
    return this.queues.add(job, payload, options);
  }

  /** Several in one go, 500 per commit. Throws as `enqueue` does; what was committed before stays. */
  enqueueMany<P extends z.ZodType>(
    job: JobDefinition<P>,
    payloads: readonly z.input<P>[],
    options?: EnqueueOptions,
  ): Promise<void> {
    return this.queues.addMany(job, payloads, options);
  }

  /** Runs the job now and then again and again. Asking twice, or in several processes, is asking once. */
  every<P extends z.ZodType>(job: JobDefinition<P>, payload: z.input<P>, schedule: Schedule): Promise<void> {
    return this.schedules.add(job, payload, schedule);
  }

  /** Ends a schedule. A run that has begun goes on. */
  cancelEvery(job: JobDefinition, id: string): Promise<void> {
    return this.schedules.remove(job, id);
  }

  /**
   * Does the work now and then again and again, in one of the processes that ask for it.
   * @param run its signal is aborted when the time is up or the process ends
   */
  async repeat(work: PeriodicWork, run: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const job = definePeriodic(work);
    await this.process({ job }, { job: ({ signal }) => run(signal) });
    await this.every(job, {}, { id: work.name, everyMs: work.everyMs });
  }

  /** Begins to run the jobs of a service in this process. Resolves when its workers are connected. */
  async process<C extends JobCatalogue>(catalogue: C, handlers: JobHandlers<C>): Promise<void> {
    const starts = Object.entries(catalogue).map(([key, definition]) =>
      // the mapped type has checked that handler and payload belong together
      this.start(definition, handlers[key] as JobHandler),
    );
    await Promise.all(starts);
  }

  /** By `<queue>.<name>`, of the kinds that this process has met. */
  async counts(): Promise<Record<string, JobCounts>> {
    const counts = this.queues.all().map(async ({ definition, queue }) => {
      const found = await queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed');
      const { waiting = 0, prioritized = 0, active = 0, delayed = 0, failed = 0 } = found;
      return [label(definition), { waiting: waiting + prioritized, active, delayed, failed }] as const;
    });
    return Object.fromEntries(await Promise.all(counts));
  }

  failed(query?: FailedQuery): Promise<FailedJob[]> {
    return listFailed(this.queues, query);
  }

  /** @returns how many were put back with all their attempts */
  retryFailed(query?: FailedQuery & { ids?: readonly string[] }): Promise<number> {
    return retryFailed(this.queues, query);
  }

  /** Whether the backend answered within the last seconds. */
  ready(): boolean {
    return this.liveness.isAlive;
  }

  /**
   * Takes no more jobs, waits for those that run (`graceMs`), then tells them to stop and puts them back.
   * Bounded by `graceMs` + 4 s.
   */
  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private async start(definition: JobDefinition, handler: JobHandler): Promise<void> {
    const queueName = this.queues.nameOf(definition);
    if (this.workers.has(queueName)) throw new Error(`${label(definition)} has a handler already`);
    this.queues.open(definition);
    const worker = await startWorker({
      queueName,
      definition,
      handler,
      backend: this.backend,
      recovery: this.options.recovery ?? DEFAULT_RECOVERY,
      ending: this.ending.signal,
      logger: this.options.logger,
    });
    this.workers.set(queueName, worker);
  }

  private async shutDown(): Promise<void> {
    this.liveness.stop();
    this.schedules.close();
    const drained = Promise.all([...this.workers.values()].map((worker) => worker.close()));
    const graceMs = this.options.graceMs ?? DEFAULT_GRACE_MS;
    await within(graceMs, 'running jobs', drained).catch(() =>
      this.ending.abort(new Error('the process ends')),
    );
    const steps = [drained, this.queues.close()].map((step) => this.bounded(step));
    await Promise.all(steps);
    await this.bounded(this.backend.close());
  }

  private async bounded(step: Promise<unknown>): Promise<void> {
    await within(CLOSE_LIMIT_MS, 'closing jobs', step).catch((error: unknown) =>
      this.options.logger.warn({ err: error }, 'jobs: not closed in order'),
    );
  }
}
