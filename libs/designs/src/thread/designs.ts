import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Worker } from 'node:worker_threads';
import { ApiError, Transient } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import type { DesignJob, DesignProblem, MadeDesign } from './design-job.js';

// A design of 100 KiB takes a second of a busy core. What takes longer is refused, not tried again.
const MAX_MS = 10_000;
const MAX_HEAP_MB = 256;
// Loading MJML takes a second of a busy core.
const MAX_START_MS = 60_000;
// Each holds up to a mebibyte of source, which its request holds anyway.
const MAX_WAITING_PER_ACCOUNT = 32;
const MAX_WAITING = 128;
// The thread takes 80 MB while it stays.
const IDLE_MS = 60_000;
const MAX_PROBLEMS = 20;

interface Waiting {
  job: DesignJob;
  resolve: (made: MadeDesign) => void;
  reject: (error: unknown) => void;
}

/** The end of a job by its limits: of time or of memory. */
class OutOfBounds extends Error {}

/**
 * Compiles MJML, and makes the text of HTML, in a thread of its own: one design at a time, accounts in turns, each job
 * bounded in time and memory. The thread begins with the first job and ends when there was none for a while.
 */
@Injectable()
export class Designs implements BeforeApplicationShutdown {
  /** by account, in the order of their turns */
  private readonly waiting = new Map<string, Waiting[]>();
  private count = 0;
  private running = false;
  private thread: Promise<Worker> | undefined;
  private idle: NodeJS.Timeout | undefined;

  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  /**
   * @param accountId whose turn it is
   * @throws ApiError 400 that names every problem; Transient when too many wait
   */
  async make(accountId: string, job: DesignJob): Promise<MadeDesign> {
    const made = await this.add(accountId, job);
    if (made.problems.length > 0)
      throw refused('mjml' in job ? 'content.mjml' : 'content.html', made.problems);
    return made;
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearTimeout(this.idle);
    await this.end();
  }

  private add(accountId: string, job: DesignJob): Promise<MadeDesign> {
    const line = this.waiting.get(accountId) ?? [];
    if (line.length >= MAX_WAITING_PER_ACCOUNT || this.count >= MAX_WAITING) {
      return Promise.reject(new Transient('too many designs wait to be compiled'));
    }
    return new Promise((resolve, reject) => {
      line.push({ job, resolve, reject });
      this.waiting.set(accountId, line);
      this.count += 1;
      if (!this.running) void this.run();
    });
  }

  /** One after the other, until nobody waits. */
  private async run(): Promise<void> {
    this.running = true;
    clearTimeout(this.idle);
    for (let next = this.takeNext(); next; next = this.takeNext()) {
      await this.work(next.job).then(next.resolve, next.reject);
    }
    this.running = false;
    this.idle = setTimeout(() => void this.end(), IDLE_MS).unref();
  }

  /** The account that had its turn goes behind the others. */
  private takeNext(): Waiting | undefined {
    for (const [accountId, line] of this.waiting) {
      this.waiting.delete(accountId);
      const next = line.shift();
      if (line.length > 0) this.waiting.set(accountId, line);
      if (next) this.count -= 1;
      return next;
    }
    return undefined;
  }

  private async work(job: DesignJob): Promise<MadeDesign> {
    try {
      this.thread ??= startThread();
      return await runJob(await this.thread, job);
    } catch (error) {
      await this.end();
      if (!(error instanceof OutOfBounds)) throw error;
      this.logger.warn(
        { event: 'design.refused', reason: error.message, size: sizeOf(job) },
        'design takes too much to compile',
      );
      return { html: '', text: '', problems: [{ message: 'it is too complex' }] };
    }
  }

  private async end(): Promise<void> {
    const { thread } = this;
    this.thread = undefined;
    await thread?.then((worker) => worker.terminate()).catch(() => undefined);
  }
}

/** It has no environment, and so no secrets, and opens no file once it is ready. */
function startThread(): Promise<Worker> {
  const worker = new Worker(new URL('./thread.js', import.meta.url), {
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  worker.unref();
  // one that comes between two jobs must not be the end of the process
  worker.on('error', () => undefined);
  return firstOf(worker, MAX_START_MS, () => worker);
}

async function runJob(worker: Worker, job: DesignJob): Promise<MadeDesign> {
  const made = firstOf(worker, MAX_MS, (message) => message as MadeDesign);
  worker.postMessage(job);
  return made;
}

/** The next message of the thread. @throws OutOfBounds when it does not come in time, or the memory does not suffice */
function firstOf<T>(worker: Worker, ms: number, read: (message: unknown) => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => settle(() => reject(new OutOfBounds('time'))), ms);
    const settle = (how: () => void) => {
      clearTimeout(timer);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      how();
    };
    const onMessage = (message: unknown) => settle(() => resolve(read(message)));
    const onError = (error: NodeJS.ErrnoException) =>
      settle(() => reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new OutOfBounds('memory') : error));
    const onExit = () => settle(() => reject(new Error('the thread of designs ended')));
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
  });
}

const sizeOf = (job: DesignJob): number => ('mjml' in job ? job.mjml : job.html).length;

/** `content.mjml line 3: …; line 7: …` */
function refused(field: string, problems: readonly DesignProblem[]): ApiError {
  const shown = problems
    .slice(0, MAX_PROBLEMS)
    .map(({ line, message }) => `${field}${line === undefined ? '' : ` line ${line}`}: ${message}`);
  const more = problems.length - shown.length;
  return new ApiError(400, [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; '));
}
