import { withTimeout } from '@postmesh/concurrency';
import type { Logger } from '@postmesh/observability';
import { openBackend, type BackendOptions, type JobBackend } from './backends.js';

/** How soon a run is taken over whose process was killed: at most `lockMs` + 2 × `checkMs`. */
export interface Recovery {
  lockMs: number;
  checkMs: number;
}

export interface JobsOptions {
  backend: BackendOptions;
  /** before every queue's name, for backends that are shared */
  prefix: string;
  logger: Logger;
  /** default: a killed process's run is taken over after 30 to 60 s */
  recovery?: Recovery;
  /** how long the end of a service waits for its runs; default 5 s */
  graceMs?: number;
  /** how often schedules are put in again; default: as the backend needs it */
  rearmMs?: number;
}

const DEFAULT_RECOVERY: Recovery = { lockMs: 30_000, checkMs: 15_000 };
const DEFAULT_GRACE_MS = 5_000;
const CLOSE_TIMEOUT_MS = 2_000;
const PING_EVERY_MS = 10_000;
const PING_TIMEOUT_MS = 2_000;

/** Connects. @throws the driver's error when the backend cannot be reached or its schema not be made */
export async function createJobs(options: JobsOptions): Promise<Jobs> {
  return new Jobs(await openBackend(options.backend, options.logger), options);
}

/** The connection of a process to the backend of its jobs; the services of the process share it. */
export class Jobs {
  readonly prefix: string;
  readonly recovery: Recovery;
  readonly graceMs: number;
  readonly rearmMs: number;
  private readonly logger: Logger;
  private readonly pinging: NodeJS.Timeout;
  private lastStep: Promise<unknown> = Promise.resolve();
  private alive = true;
  private closing: Promise<void> | undefined;

  constructor(
    readonly backend: JobBackend,
    options: JobsOptions,
  ) {
    this.prefix = options.prefix;
    this.recovery = options.recovery ?? DEFAULT_RECOVERY;
    this.graceMs = options.graceMs ?? DEFAULT_GRACE_MS;
    this.rearmMs = options.rearmMs ?? backend.rearmMs;
    this.logger = options.logger;
    this.pinging = setInterval(() => void this.ping(), PING_EVERY_MS).unref();
  }

  /** Whether the backend answered within the last seconds. */
  ready(): boolean {
    return this.alive;
  }

  /** Closes the connections, once the services have ended. Bounded by 2 s. */
  close(): Promise<void> {
    clearInterval(this.pinging);
    this.alive = false;
    this.closing ??= this.bounded(this.backend.close());
    return this.closing;
  }

  /** Schedules are made one after the other: the lock takes a connection while the work under it takes another. */
  inTurn(step: () => Promise<void>): Promise<void> {
    const done = this.lastStep.then(step);
    this.lastStep = done.catch(() => undefined);
    return done;
  }

  /** Resolves behind the steps that were begun: a queue that closes under one leaves it, and its lock, without an end. */
  stepsEnded(): Promise<unknown> {
    return this.lastStep;
  }

  /** A step of an end takes 2 s more than `afterMs` at most, whether the backend answers or not. */
  async bounded(step: Promise<unknown>, afterMs = 0): Promise<void> {
    await withTimeout(step, afterMs + CLOSE_TIMEOUT_MS, 'closing jobs').catch((error: unknown) =>
      this.logger.warn({ event: 'jobs.close_failed', err: error }, 'jobs: not closed in order'),
    );
  }

  /** Pings the backend every ten seconds, so that readiness is known without a wait. */
  private async ping(): Promise<void> {
    const alive = await withTimeout(this.backend.ping(), PING_TIMEOUT_MS, 'ping').then(
      () => true,
      () => false,
    );
    this.alive = alive && !this.closing;
  }
}
