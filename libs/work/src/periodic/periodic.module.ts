import { BullModule, BullRegistrar, getQueueToken, Processor } from '@nestjs/bullmq';
import { Module, type DynamicModule, type Provider, type Type } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { Logger } from '@postmesh/observability';
import type { WorkerOptions } from 'bullmq';
import { NO_CONNECTION, type OnJobs, type PeriodicQueue } from './backend-classes.js';
import type { Jobs } from './jobs.js';
import { PeriodicProcessor } from './periodic-processor.js';
import { PeriodicTasks } from './periodic-tasks.js';

export interface PeriodicOptions {
  service: string;
  /** undefined: no task runs, as in a test that runs each of them itself */
  jobs: Jobs | undefined;
  logger: Logger;
}

// More than a service has tasks: each runs once at a time.
const MAX_RUNS = 50;
// A run that brings its process down is retried this often, then it is in the failed list.
const MAX_CRASHES = 3;

/** The periodic tasks of one service: a queue of BullMQ, its processor, and `PeriodicTasks`. */
@Module({})
export class PeriodicModule {
  static of({ service, jobs, logger }: PeriodicOptions): DynamicModule {
    const queue = jobs && { name: `${jobs.prefix}.${service}`, jobs };
    const tasks: Provider = {
      provide: PeriodicTasks,
      useFactory: (discovery: DiscoveryService, scanner: MetadataScanner, processor?: PeriodicProcessor) =>
        new PeriodicTasks(discovery, scanner, processor),
      inject: [DiscoveryService, MetadataScanner, ...(queue ? [PeriodicProcessor] : [])],
    };
    return {
      module: PeriodicModule,
      imports: [DiscoveryModule, ...(queue ? queueModules(queue) : [])],
      providers: [tasks, ...(queue ? [processorOf(queue, service, logger)] : [])],
      exports: [PeriodicTasks],
    };
  }
}

type NamedQueue = OnJobs & { name: string };

function queueModules({ name, jobs }: NamedQueue): DynamicModule[] {
  // nothing reads the stream of events; its least length is the least work
  const options = { name, jobs, connection: NO_CONNECTION, streams: { events: { maxLen: 100 } } };
  return [
    // the worker starts with the first task
    BullModule.forRoot({ connection: NO_CONNECTION, extraOptions: { manualRegistration: true } }),
    BullModule.registerQueue(options),
  ];
}

function processorOf({ name, jobs }: NamedQueue, service: string, logger: Logger): Provider {
  const options: WorkerOptions & OnJobs = {
    jobs,
    connection: NO_CONNECTION,
    concurrency: MAX_RUNS,
    lockDuration: jobs.recovery.lockMs,
    stalledInterval: jobs.recovery.checkMs,
    maxStalledCount: MAX_CRASHES,
    drainDelay: jobs.backend.idleSeconds,
    runRetryDelay: 1_000,
  };
  @Processor(name, options)
  class ServiceProcessor extends PeriodicProcessor {}
  return {
    provide: PeriodicProcessor as Type<PeriodicProcessor>,
    useFactory: (queue: PeriodicQueue, registrar: BullRegistrar) =>
      new ServiceProcessor({ service, queue, jobs, logger, startWorker: () => registrar.register() }),
    inject: [getQueueToken(name), BullRegistrar],
  };
}
