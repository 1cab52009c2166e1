import { setMaxListeners } from 'node:events';
import { endsWithin, withTimeout } from '@postmesh/concurrency';
import { Transient } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { openBackend, type BackendOptions, type JobBackend } from './backends.js';
import type { Run } from './run-work.js';
import { WorkQueue, type PeriodicWork, type Recovery } from './work-queue.js';

export interface JobsOptions {
  backend: BackendOptions;
  /** before every queue's name, for backends that are shared */
  prefix: string;
  logger: Logger;
  /** default: a killed process's run is taken over after 30 to 60 s */
  recovery?: Recovery;
  /** how long `close` lets runs end by themselves; default 5 s */
  graceMs?: number;
  /** how often schedules are put in again; default: as the backend needs it */
  rearmMs?: number;
}

export interface JobCounts {
  waiting: number;
  active: number;
  delayed: number;
  failed: number;
}

/** A run that failed; the next one comes all the same. */
export interface FailedJob {
  /** `<queue>.<name>` */
  job: string;
  id: string;
  reason: string;
  failedAt: Date;
}

const DEFAULT_RECOVERY: Recovery = { lockMs: 30_000, checkMs: 15_000 };
const DEFAULT_GRACE_MS = 5_000;
const CLOSE_TIMEOUT_MS = 2_000;
const PING_EVERY_MS = 5_000;
const PING_TIMEOUT_MS = 2_000;
const MAX_FAILED = 1_000;

/** Connects. @throws the driver's error when the backend cannot be reached or its schema not be made */
export async function createJobs(options: JobsOptions): Promise<Jobs> {
  return new Jobs(await openBackend(options.backend, options.logger), options);
}

/**
 * Periodic work (architecture §3.5), done in one of the processes that ask for it. A job tells that rows may be due;
 * the rows are the truth. At least once: a run may be repeated after a crash.
 */
export class Jobs {
  /** false where another process of the installation does all periodic work */
  readonly areHere: boolean = true;
  private readonly queues = new Map<string, WorkQueue>();
  private readonly ending = new AbortController();
  private readonly timers: NodeJS.Timeout[];
  private lastSchedule: Promise<unknown> = Promise.resolve();
  private alive = true;
  private closing: Promise<void> | undefined;

  constructor(
    private readonly backend: JobBackend,
    private readonly options: JobsOptions,
  ) {
    // one listener per run that goes on; Node warns from eleven on
    setMaxListeners(0, this.ending.signal);
    this.timers = [
      setInterval(() => void this.inTurn(() => this.rearm()), options.rearmMs ?? backend.rearmMs),
      setInterval(() => void this.ping(), PING_EVERY_MS),
    ];
    for (const timer of this.timers) timer.unref();
  }

  /** Does the work now and then again and again. Asking in several processes is asking once. */
  repeat(work: PeriodicWork, run: Run): Promise<void> {
    return this.inTurn(() => this.queueOf(work.queue).add(work, run));
  }

  /** Ends the schedule of a work, in all processes until one asks for it again. A run that has begun goes on. */
  cancel(work: Pick<PeriodicWork, 'queue' | 'name'>): Promise<void> {
    return this.inTurn(() => this.queueOf(work.queue).remove(work.name));
  }

  /** By `<queue>.<name>`, of the services that work in this process. */
  async counts(): Promise<Record<string, JobCounts>> {
    const counts: Record<string, JobCounts> = {};
    const states = ['waiting', 'active', 'delayed', 'failed'] as const;
    for (const queue of this.queues.values()) {
      const of = (name: string) =>
        (counts[queue.label(name)] ??= { waiting: 0, active: 0, delayed: 0, failed: 0 });
      for (const name of queue.names()) of(name);
      for (const state of states) {
        for (const { name } of await queue.queue.getJobs([state], 0, MAX_FAILED - 1)) of(name)[state] += 1;
      }
    }
    return counts;
  }

  /** Newest first within each service. @param query.limit at most, over all services; default 100 */
  async failed({ limit = 100 }: { limit?: number } = {}): Promise<FailedJob[]> {
    const found: FailedJob[] = [];
    for (const queue of this.queues.values()) {
      const jobs = await queue.queue.getFailed(0, limit - 1);
      found.push(
        ...jobs.map((job) => ({
          job: queue.label(job.name),
          id: job.id ?? '',
          reason: job.failedReason ?? '',
          failedAt: new Date(job.finishedOn ?? job.timestamp),
        })),
      );
    }
    return found.slice(0, limit);
  }

  /** Runs failed jobs again. @returns how many were put back */
  async retryFailed(): Promise<number> {
    let count = 0;
    for (const { queue } of this.queues.values()) {
      for (const job of await queue.getFailed(0, MAX_FAILED - 1)) {
        await job.retry('failed').catch((error: unknown) => {
          throw new Transient(`job ${job.id} could not be put back`, undefined, { cause: error });
        });
        count += 1;
      }
    }
    return count;
  }

  /** Whether the backend answered within the last seconds. */
  ready(): boolean {
    return this.alive;
  }

  /**
   * Takes no more jobs, waits for those that run (`graceMs`), then tells them to stop and puts them back.
   * Bounded by `graceMs` + 4 s.
   */
  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private queueOf(service: string): WorkQueue {
    const known = this.queues.get(service);
    if (known !== undefined) return known;
    const { prefix, logger, recovery = DEFAULT_RECOVERY } = this.options;
    const { backend, ending } = this;
    const queue = new WorkQueue({ service, prefix, backend, recovery, ending: ending.signal, logger });
    this.queues.set(service, queue);
    return queue;
  }

  /** Schedules are made one after the other: the lock takes a connection while the work under it takes another. */
  private inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.lastSchedule.then(work);
    this.lastSchedule = done.catch(() => undefined);
    return done;
  }

  private async rearm(): Promise<void> {
    for (const queue of this.queues.values()) if (!this.closing) await queue.rearm();
  }

  /** Asks every five seconds whether the backend is there, so that readiness is known without a wait. */
  private async ping(): Promise<void> {
    const alive = await withTimeout(this.backend.ping(), PING_TIMEOUT_MS, 'ping').then(
      () => true,
      () => false,
    );
    this.alive = alive && !this.closing;
  }

  private async shutDown(): Promise<void> {
    this.timers.forEach(clearInterval);
    this.alive = false;
    const queues = [...this.queues.values()];
    const drained = Promise.all(queues.map((queue) => queue.drain()));
    if (!(await endsWithin(drained, this.options.graceMs ?? DEFAULT_GRACE_MS)))
      this.ending.abort(new Error('the process ends'));
    const closed = Promise.all(queues.map(({ queue }) => queue.close()));
    await Promise.all([this.bounded(drained), this.bounded(closed)]);
    await this.bounded(this.backend.close());
  }

  private async bounded(step: Promise<unknown>): Promise<void> {
    await withTimeout(step, CLOSE_TIMEOUT_MS, 'closing jobs').catch((error: unknown) =>
      this.options.logger.warn({ event: 'jobs.close_failed', err: error }, 'jobs: not closed in order'),
    );
  }
}
