import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { createJobs, type Jobs, type JobsOptions } from '../src/index.js';

/** What a driver gives to the suite. */
export interface JobsDriver {
  backend: JobsOptions['backend'];
  /** cuts every connection that the library holds */
  cutConnections(): Promise<void>;
  /** makes the backend forget everything */
  forgetEverything(): Promise<void>;
}

/** Opens the library several times on one backend, as several processes would, and closes all of it. */
export class Bench {
  private readonly opened: Jobs[] = [];
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

  async open(change: Partial<JobsOptions> = {}): Promise<Jobs> {
    const jobs = await createJobs({ ...this.options(), logger: pino({ level: 'silent' }), ...change });
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
