import { BullModule } from '@nestjs/bullmq';
import {
  Queue,
  Worker,
  type IQueueBackend,
  type Job,
  type Processor,
  type QueueOptions,
  type WorkerOptions,
} from 'bullmq';
import type { Jobs } from './jobs.js';

export type PeriodicJob = Job<unknown, void>;
export type PeriodicQueue = Queue<unknown, void, string, unknown, void, string, IQueueBackend, object>;

/** On whose connection a queue or a worker works. */
export interface OnJobs {
  jobs: Jobs;
}

// Connections are made by the backend's factory, so BullMQ's own option stays empty.
export const NO_CONNECTION = {};

/** BullModule makes queues and workers of options alone; the factory of a backend is no option of BullMQ. */
class BackendQueue extends Queue<unknown, void, string, unknown, void, string, IQueueBackend, object> {
  private readonly jobs: Jobs;
  private ended: Promise<void> | undefined;

  constructor(name: string, { jobs, ...options }: QueueOptions & OnJobs) {
    super(name, { ...options, connection: NO_CONNECTION }, jobs.backend.factory);
    this.jobs = jobs;
  }

  override close(): Promise<void> {
    this.ended ??= this.jobs.bounded(this.jobs.stepsEnded().then(() => super.close()));
    return this.ended;
  }
}

class BackendWorker extends Worker<unknown, void, string, IQueueBackend, object, object> {
  private readonly jobs: Jobs;
  private ended: Promise<void> | undefined;

  constructor(
    name: string,
    processor: Processor<unknown, void>,
    { jobs, ...options }: WorkerOptions & OnJobs,
  ) {
    super(name, processor, { ...options, connection: NO_CONNECTION }, jobs.backend.factory);
    this.jobs = jobs;
  }

  /** Takes no more jobs. Resolves when those that run have ended, or when they have had their time. */
  override close(force = false): Promise<void> {
    this.ended ??= this.jobs.bounded(super.close(force), this.jobs.graceMs);
    return this.ended;
  }
}

BullModule.queueClass = BackendQueue;
BullModule.workerClass = BackendWorker;
