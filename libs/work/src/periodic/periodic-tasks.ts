import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { Transient } from '@postmesh/contracts';
import type { PeriodicProcessor } from './periodic-processor.js';
import { PERIODIC_TASK, type PeriodicTask } from './periodic.decorator.js';
import type { Run } from './run-task.js';

export interface JobCounts {
  waiting: number;
  active: number;
  delayed: number;
  failed: number;
}

/** A run that failed; the next one comes all the same. */
export interface FailedJob {
  /** `<service>.<name>` */
  job: string;
  id: string;
  reason: string;
  failedAt: Date;
}

const MAX_FAILED = 1_000;

/**
 * The periodic tasks of a service (architecture §3.5): each runs in one of the processes of the service. A job is a
 * reminder that rows may be due; the rows are the truth. At least once: a run may be repeated after a crash.
 */
export class PeriodicTasks implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly processor?: PeriodicProcessor,
  ) {}

  /** false where no task runs, as in a test that runs each of them itself */
  get areHere(): boolean {
    return this.processor !== undefined;
  }

  /** Starts what providers declare by `@Periodic`. */
  async onApplicationBootstrap(): Promise<void> {
    if (!this.processor) return;
    for (const { task, run } of this.declared()) await this.processor.add(task, run);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }

  /** Starts a task that no decorator can declare, when or after the application starts. */
  async add(task: PeriodicTask, run: Run): Promise<void> {
    await this.processor?.add(task, run);
  }

  /** Ends the schedule of a task, in all processes until one adds it again. A run that has begun continues. */
  async cancel(name: string): Promise<void> {
    await this.processor?.remove(name);
  }

  /**
   * Takes no more jobs, waits for those that run (`graceMs`), then aborts them and puts them back.
   * Bounded by `graceMs` + 2 s.
   */
  async close(): Promise<void> {
    await this.processor?.close();
  }

  /** By `<service>.<name>`. */
  async counts(): Promise<Record<string, JobCounts>> {
    const counts: Record<string, JobCounts> = {};
    if (!this.processor) return counts;
    const { processor } = this;
    const of = (name: string) =>
      (counts[processor.label(name)] ??= { waiting: 0, active: 0, delayed: 0, failed: 0 });
    for (const name of processor.names()) of(name);
    for (const state of ['waiting', 'active', 'delayed', 'failed'] as const) {
      for (const { name } of await processor.queue.getJobs([state], 0, MAX_FAILED - 1)) of(name)[state] += 1;
    }
    return counts;
  }

  /** Newest first. @param query.limit at most; default 100 */
  async failed({ limit = 100 }: { limit?: number } = {}): Promise<FailedJob[]> {
    if (!this.processor) return [];
    const { processor } = this;
    const jobs = await processor.queue.getFailed(0, limit - 1);
    return jobs.map((job) => ({
      job: processor.label(job.name),
      id: job.id ?? '',
      reason: job.failedReason ?? '',
      failedAt: new Date(job.finishedOn ?? job.timestamp),
    }));
  }

  /** Runs failed jobs again. @returns how many were put back */
  async retryFailed(): Promise<number> {
    const failed = (await this.processor?.queue.getFailed(0, MAX_FAILED - 1)) ?? [];
    for (const job of failed) {
      await job.retry('failed').catch((error: unknown) => {
        throw new Transient(`job ${job.id} could not be put back`, undefined, { cause: error });
      });
    }
    return failed.length;
  }

  private declared(): { task: PeriodicTask; run: Run }[] {
    // a provider with several tokens is found once for each
    const instances = new Set(this.discovery.getProviders().map(({ instance }) => instance as unknown));
    return [...instances].flatMap((instance) => {
      if (typeof instance !== 'object' || instance === null) return [];
      const provider = instance as Record<string, Run>;
      const methods = this.scanner.getAllMethodNames(Object.getPrototypeOf(instance) as object);
      return methods.flatMap((method) => {
        const run = provider[method];
        if (typeof run !== 'function') return [];
        const task = Reflect.getMetadata(PERIODIC_TASK, run) as PeriodicTask | undefined;
        return task ? [{ task, run: run.bind(instance) }] : [];
      });
    });
  }
}
