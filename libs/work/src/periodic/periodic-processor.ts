import { setMaxListeners } from 'node:events';
import { OnWorkerEvent, WorkerHost } from '@nestjs/bullmq';
import { endsWithin, Signal, withTimeout } from '@postmesh/concurrency';
import { retryTransient } from '@postmesh/database';
import type { Logger } from '@postmesh/observability';
import { WaitingError } from 'bullmq';
import type { PeriodicJob, PeriodicQueue } from './backend-classes.js';
import type { Jobs } from './jobs.js';
import type { PeriodicTask } from './periodic.decorator.js';
import { runTask, type Run } from './run-task.js';

export interface ProcessorParts {
  service: string;
  queue: PeriodicQueue;
  jobs: Jobs;
  logger: Logger;
  /** makes the worker */
  startWorker: () => void;
}

const SCHEDULE_TIMEOUT_MS = 10_000;
const ERRORS_EVERY_MS = 5_000;
// A service adds its tasks one after the other while it starts, its worker takes jobs from the first one on.
const REGISTRATION_MS = 30_000;
const JOB_OPTIONS = {
  // no second attempt before the next run is due
  attempts: 1,
  removeOnComplete: true,
  removeOnFail: { age: 14 * 86_400, count: 1_000 },
  stackTraceLimit: 1,
};

/** The processor of a service's queue: a schedule for each task, and runs of what is due. */
export class PeriodicProcessor extends WorkerHost {
  readonly queue: PeriodicQueue;
  private readonly tasks = new Map<string, { task: PeriodicTask; run: Run }>();
  private readonly running = new Set<string>();
  private readonly added = new Signal();
  /** aborted when the process cannot wait for its runs any longer */
  private readonly ending = new AbortController();
  private readonly errors = { last: -Infinity, leftOut: 0 };
  private rearming: NodeJS.Timeout | undefined;
  private closed: Promise<void> | undefined;

  constructor(private readonly parts: ProcessorParts) {
    super();
    this.queue = parts.queue;
    this.queue.on('error', (error) => this.report(error));
    // one listener per run; Node warns from eleven on
    setMaxListeners(0, this.ending.signal);
  }

  /** Begins to run the task in this process. Resolves when it is scheduled and the worker is connected. */
  add(task: PeriodicTask, run: Run): Promise<void> {
    const { jobs, logger } = this.parts;
    const label = this.label(task.name);
    return jobs.inTurn(async () => {
      if (this.tasks.has(task.name)) throw new Error(`${label} is added already`);
      this.tasks.set(task.name, { task, run });
      this.added.raise();
      this.start();
      const begin = async () => {
        await withTimeout(this.worker.waitUntilReady(), SCHEDULE_TIMEOUT_MS, `connect for ${label}`);
        await this.schedule(task);
      };
      await retryTransient(begin, { what: label, logger, awaited: jobs.backend.kind });
    });
  }

  /** Ends the schedule of a task, in all processes until one adds it again. A run that has begun continues. */
  remove(name: string): Promise<void> {
    return this.parts.jobs.inTurn(async () => {
      this.tasks.delete(name);
      await withTimeout(this.queue.removeJobScheduler(name), SCHEDULE_TIMEOUT_MS, `unschedule ${name}`);
    });
  }

  /** Takes no more jobs, waits for those that run (`graceMs`), then aborts them and puts them back. */
  close(): Promise<void> {
    this.closed ??= this.shutDown();
    return this.closed;
  }

  label(name: string): string {
    return `${this.parts.service}.${name}`;
  }

  /** The names of the tasks of this process. */
  names(): string[] {
    return [...this.tasks.keys()];
  }

  async process(job: PeriodicJob, token = ''): Promise<void> {
    const found = await this.find(job.name);
    if (found === undefined) return this.forget(job, token);
    // a job that came due during the run before it is left to the next one
    if (this.running.has(job.name)) return;
    this.running.add(job.name);
    const { run, task } = found;
    const { logger } = this.parts;
    const context = { label: this.label(job.name), run, timeoutMs: task.timeoutMs, logger };
    try {
      await runTask(job, token, { ...context, ending: this.ending.signal });
    } finally {
      this.running.delete(job.name);
    }
  }

  /** While the backend is down each worker fails many times a second: one line in five seconds is enough. */
  @OnWorkerEvent('error')
  report(error: Error): void {
    const { errors, queue } = this;
    if (performance.now() - errors.last < ERRORS_EVERY_MS) {
      errors.leftOut += 1;
      return;
    }
    this.parts.logger.warn(
      { event: 'jobs.backend_failed', err: error, queue: queue.name, left_out: errors.leftOut },
      'jobs: backend failed',
    );
    errors.last = performance.now();
    errors.leftOut = 0;
  }

  @OnWorkerEvent('stalled')
  reportTakenOver(id: string): void {
    this.parts.logger.warn(
      { event: 'job.taken_over', queue: this.queue.name, job_id: id },
      'job taken over: its process ended',
    );
  }

  private start(): void {
    if (this.rearming) return;
    const { jobs, startWorker } = this.parts;
    this.rearming = setInterval(() => void jobs.inTurn(() => this.rearm()), jobs.rearmMs).unref();
    startWorker();
  }

  /** Puts the schedules in again, for a queue that has lost its memory (a flushed Redis). */
  private async rearm(): Promise<void> {
    for (const { task } of this.tasks.values()) {
      if (this.closed) return;
      await this.schedule(task).catch((error: unknown) =>
        this.parts.logger.warn(
          { event: 'jobs.schedule_failed', err: error, job: this.label(task.name) },
          'jobs: schedule not renewed',
        ),
      );
    }
  }

  /**
   * On PostgreSQL two processes that make the same schedule at the same moment would each make its first run (BullMQ
   * 6.7 reads and writes it without a lock), hence the lock.
   *
   * A schedule of another interval is made anew. BullMQ keeps the distance of its first run from a multiple of the
   * interval, and adds it to the time of the next run whenever one is late. That distance is up to an hour for an interval
   * of an hour, and stays so for a task that runs every second now.
   */
  private async schedule({ name, everyMs }: PeriodicTask): Promise<void> {
    const upsert = async () => {
      // it may have waited for its lock
      if (this.closed ?? this.queue.closing) return;
      const kept = await this.queue.getJobScheduler(name);
      if (kept && (kept.every !== everyMs || (kept.offset ?? 0) >= everyMs))
        await this.queue.removeJobScheduler(name);
      await this.queue.upsertJobScheduler(name, { every: everyMs }, { name, data: {}, opts: JOB_OPTIONS });
    };
    const scheduled = this.parts.jobs.backend.exclusively(`${this.queue.name}:${name}`, upsert);
    await withTimeout(scheduled, SCHEDULE_TIMEOUT_MS, `schedule ${this.label(name)}`);
  }

  private async shutDown(): Promise<void> {
    this.added.close();
    if (!this.rearming) return;
    clearInterval(this.rearming);
    const drained = this.worker.close();
    if (!(await endsWithin(drained, this.parts.jobs.graceMs)))
      this.ending.abort(new Error('the process ends'));
    await drained;
  }

  private async find(name: string): Promise<{ task: PeriodicTask; run: Run } | undefined> {
    const until = performance.now() + REGISTRATION_MS;
    for (;;) {
      const { mark } = this.added;
      const found = this.tasks.get(name);
      const leftMs = until - performance.now();
      if (found || leftMs <= 0 || !(await this.added.waitPast(mark, leftMs))) return found;
    }
  }

  /** A task of another version of the service. Where that one still runs, it puts its schedule in again. */
  private async forget(job: PeriodicJob, token: string): Promise<void> {
    if (this.closed) {
      await job.moveToWait(token);
      throw new WaitingError();
    }
    await this.queue.removeJobScheduler(job.name);
    this.parts.logger.info(
      { event: 'job.unscheduled', job: this.label(job.name) },
      'task is unknown here: schedule removed',
    );
  }
}
