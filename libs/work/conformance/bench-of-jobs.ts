import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { pino } from 'pino';
import { createJobs, type Jobs, type JobsOptions } from '../src/periodic/jobs.js';
import { PeriodicModule } from '../src/periodic/periodic.module.js';
import { PeriodicTasks } from '../src/periodic/periodic-tasks.js';
import type { PeriodicTask } from '../src/periodic/periodic.decorator.js';
import type { Run } from '../src/periodic/run-task.js';

/** A driver's part of the suite. */
export interface JobsDriver {
  backend: JobsOptions['backend'];
  /** cuts every connection that the library holds */
  cutConnections(): Promise<void>;
  /** makes the backend forget everything */
  forgetEverything(): Promise<void>;
}

/** A task and the service that it belongs to. */
type TaskOf = PeriodicTask & { queue: string };

const SILENT = pino({ level: 'silent' });

/** One process: its services are Nest applications on one connection. */
export class BenchProcess {
  private readonly services = new Map<string, Promise<INestApplicationContext>>();

  constructor(
    private readonly jobs: Jobs,
    private readonly modules: DynamicModule[] = [],
  ) {}

  async repeat({ queue, ...task }: TaskOf, run: Run): Promise<void> {
    await (await this.start(queue)).get(PeriodicTasks).add(task, run);
  }

  async cancel({ queue, name }: Pick<TaskOf, 'queue' | 'name'>): Promise<void> {
    await (await this.start(queue)).get(PeriodicTasks).cancel(name);
  }

  start(service: string): Promise<INestApplicationContext> {
    const started = this.services.get(service) ?? this.open(service);
    this.services.set(service, started);
    return started;
  }

  async tasks(): Promise<PeriodicTasks> {
    return (await this.start('tests')).get(PeriodicTasks);
  }

  ready(): boolean {
    return this.jobs.ready();
  }

  async close(): Promise<void> {
    const services = await Promise.all(this.services.values());
    await Promise.all(services.map((service) => service.close()));
    await this.jobs.close();
  }

  private open(service: string): Promise<INestApplicationContext> {
    const periodic = PeriodicModule.of({ service, jobs: this.jobs, logger: SILENT });
    class Root {}
    const root = { module: Root, imports: [periodic, ...this.modules] };
    return NestFactory.createApplicationContext(root, { logger: false, abortOnError: false });
  }
}

/** Opens several processes on one backend, and closes all of them. */
export class Bench {
  private readonly opened: BenchProcess[] = [];
  /** apart from every other test on the same backend */
  private readonly prefix = `t${randomBytes(4).toString('hex')}`;

  constructor(private readonly driver: JobsDriver) {}

  options(): Omit<JobsOptions, 'logger'> {
    return {
      backend: this.driver.backend,
      prefix: this.prefix,
      recovery: { lockMs: 1_000, checkMs: 300 },
      graceMs: 1_000,
      rearmMs: 300,
    };
  }

  /** @param modules of each of its services */
  async open(...modules: DynamicModule[]): Promise<BenchProcess> {
    const jobs = new BenchProcess(await createJobs({ ...this.options(), logger: SILENT }), modules);
    this.opened.push(jobs);
    return jobs;
  }

  async close(): Promise<void> {
    await Promise.all(this.opened.splice(0).map((jobs) => jobs.close()));
  }
}

/** A promise to be resolved from outside. */
export function gate(): { opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
