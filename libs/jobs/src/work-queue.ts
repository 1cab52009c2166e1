import { Signal, withTimeout } from '@postmesh/concurrency';
import { retryTransient } from '@postmesh/database';
import type { Logger } from '@postmesh/observability';
import { Queue, WaitingError, Worker, type IQueueBackend, type Job, type JobProgress } from 'bullmq';
import type { JobBackend } from './backends.js';
import { runWork, type Run } from './run-work.js';

/** Work that a service does again and again; what one run leaves undone, the next one does. */
export interface PeriodicWork {
  /** the service that does it */
  readonly queue: string;
  readonly name: string;
  readonly everyMs: number;
  /** one run may take so long; then its signal is aborted and the run counts as failed */
  readonly timeoutMs: number;
}

/** How soon a run is taken over whose process was killed: at most `lockMs` + 2 × `checkMs`. */
export interface Recovery {
  lockMs: number;
  checkMs: number;
}

export interface WorkQueueOptions {
  /** the service */
  service: string;
  /** before the name of the queue, for backends that are shared */
  prefix: string;
  backend: JobBackend;
  recovery: Recovery;
  /** aborted when the process cannot wait for its runs any longer */
  ending: AbortSignal;
  logger: Logger;
}

type PeriodicJob = Job<unknown, void>;
type PeriodicQueue = Queue<unknown, void, string, unknown, void, string, IQueueBackend, object>;
type PeriodicWorker = Worker<unknown, void, string, IQueueBackend, JobProgress, object>;

// Connections are the factory's affair, so BullMQ's own option stays empty.
const NO_CONNECTION = {};
const SCHEDULE_TIMEOUT_MS = 10_000;
const ERRORS_EVERY_MS = 5_000;
// More than a service has works: each runs once at a time.
const MAX_RUNS = 50;
// A run that takes its process down with it comes back this often, then it lies in the failed list.
const MAX_CRASHES = 3;
// A service registers its works one after the other while it starts, its worker takes jobs from the first one on.
const REGISTRATION_MS = 30_000;
const JOB_OPTIONS = {
  // no second attempt before the next run is due
  attempts: 1,
  removeOnComplete: true,
  removeOnFail: { age: 14 * 86_400, count: 1_000 },
  stackTraceLimit: 1,
};

/** The periodic work of one service: a queue with a schedule for each work, and a worker that does what is due. */
export class WorkQueue {
  readonly queue: PeriodicQueue;
  private worker: PeriodicWorker | undefined;
  private readonly works = new Map<string, { work: PeriodicWork; run: Run }>();
  private readonly running = new Set<string>();
  private readonly registered = new Signal();

  constructor(private readonly options: WorkQueueOptions) {
    this.queue = new Queue(
      this.name,
      // nobody reads the stream of events; its least length is the least work
      { connection: NO_CONNECTION, streams: { events: { maxLen: 100 } } },
      options.backend.factory,
    );
    this.queue.on('error', this.reporter());
  }

  /** Begins to do the work in this process. Resolves when it is scheduled and the worker is connected. */
  async add(work: PeriodicWork, run: Run): Promise<void> {
    if (this.works.has(work.name)) throw new Error(`${this.label(work.name)} is repeated already`);
    this.works.set(work.name, { work, run });
    this.registered.raise();
    const worker = (this.worker ??= this.startWorker());
    const { logger, backend } = this.options;
    const label = this.label(work.name);
    const begin = async () => {
      await withTimeout(worker.waitUntilReady(), SCHEDULE_TIMEOUT_MS, `connect for ${label}`);
      await this.schedule(work);
    };
    await retryTransient(begin, { what: label, logger, awaited: backend.kind });
  }

  /** Ends the schedule of a work, in all processes until one asks for it again. A run that has begun goes on. */
  async remove(name: string): Promise<void> {
    this.works.delete(name);
    await withTimeout(this.queue.removeJobScheduler(name), SCHEDULE_TIMEOUT_MS, `unschedule ${name}`);
  }

  /** Puts the schedules in again, for a queue that has lost its memory (a flushed Redis). */
  async rearm(): Promise<void> {
    for (const { work } of this.works.values()) {
      await this.schedule(work).catch((error: unknown) =>
        this.options.logger.warn(
          { event: 'jobs.schedule_failed', err: error, job: this.label(work.name) },
          'jobs: schedule not renewed',
        ),
      );
    }
  }

  label(name: string): string {
    return `${this.options.service}.${name}`;
  }

  /** The names of the works of this process. */
  names(): string[] {
    return [...this.works.keys()];
  }

  /** Takes no more jobs. Resolves when those that run have ended. */
  async drain(): Promise<void> {
    this.registered.close();
    await this.worker?.close();
  }

  private get name(): string {
    return `${this.options.prefix}.${this.options.service}`;
  }

  /**
   * On PostgreSQL two processes that make the same schedule at the same moment would each make its first run (BullMQ
   * 6.7 reads and writes it without a lock), hence the lock.
   */
  private async schedule(work: PeriodicWork): Promise<void> {
    const upsert = async () => {
      await this.queue.upsertJobScheduler(
        work.name,
        { every: work.everyMs },
        { name: work.name, data: {}, opts: JOB_OPTIONS },
      );
    };
    const scheduled = this.options.backend.exclusively(`${this.name}:${work.name}`, upsert);
    await withTimeout(scheduled, SCHEDULE_TIMEOUT_MS, `schedule ${this.label(work.name)}`);
  }

  private startWorker(): PeriodicWorker {
    const { backend, recovery, logger } = this.options;
    const worker: PeriodicWorker = new Worker(
      this.name,
      (job, token) => this.process(job, token ?? ''),
      {
        connection: NO_CONNECTION,
        concurrency: MAX_RUNS,
        lockDuration: recovery.lockMs,
        stalledInterval: recovery.checkMs,
        maxStalledCount: MAX_CRASHES,
        drainDelay: backend.idleSeconds,
        runRetryDelay: 1_000,
      },
      backend.factory,
    );
    worker.on('error', this.reporter());
    worker.on('stalled', (id) =>
      logger.warn(
        { event: 'job.taken_over', queue: this.name, job_id: id },
        'job taken over: its process ended',
      ),
    );
    return worker;
  }

  private async process(job: PeriodicJob, token: string): Promise<void> {
    const found = await this.find(job.name);
    if (found === undefined) return this.forget(job, token);
    // one that came due during its predecessor's run is done by the next one
    if (this.running.has(job.name)) return;
    this.running.add(job.name);
    const { timeoutMs } = found.work;
    try {
      await runWork(job, token, { ...this.options, label: this.label(job.name), timeoutMs, run: found.run });
    } finally {
      this.running.delete(job.name);
    }
  }

  private async find(name: string): Promise<{ work: PeriodicWork; run: Run } | undefined> {
    const until = performance.now() + REGISTRATION_MS;
    for (;;) {
      const { mark } = this.registered;
      const found = this.works.get(name);
      const leftMs = until - performance.now();
      if (found || leftMs <= 0 || !(await this.registered.waitPast(mark, leftMs))) return found;
    }
  }

  /** A work of another version of the service. Where that one still runs, it puts its schedule in again. */
  private async forget(job: PeriodicJob, token: string): Promise<void> {
    if (this.worker?.closing) {
      await job.moveToWait(token);
      throw new WaitingError();
    }
    await this.queue.removeJobScheduler(job.name);
    this.options.logger.info(
      { event: 'job.unscheduled', job: this.label(job.name) },
      'work is unknown here: schedule removed',
    );
  }

  /** A backend that is away makes each worker fail many times a second: one line in five seconds says as much. */
  private reporter(): (error: Error) => void {
    let last = -Infinity;
    let leftOut = 0;
    return (error) => {
      if (performance.now() - last < ERRORS_EVERY_MS) {
        leftOut += 1;
        return;
      }
      this.options.logger.warn(
        { event: 'jobs.backend_failed', err: error, queue: this.name, left_out: leftOut },
        'jobs: backend failed',
      );
      last = performance.now();
      leftOut = 0;
    };
  }
}
