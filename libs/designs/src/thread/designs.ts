import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Worker } from 'node:worker_threads';
import { FairWorkers, type FairItem } from '@postmesh/concurrency';
import { ApiError, Transient } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { LOGGER, type ApiCall } from '@postmesh/service-host';
import type { DesignJob, DesignProblem, MadeDesign } from './design-job.js';

// A design of 100 KiB takes a second of a busy core. Longer jobs are rejected, not retried.
const MAX_MS = 10_000;
const MAX_HEAP_MB = 256;
// Loading MJML takes a second of a busy core.
const MAX_START_MS = 60_000;
// Each waiting job holds up to a mebibyte of source, which its request holds anyway.
const MAX_WAITING_PER_FAMILY = 32;
const MAX_WAITING = 128;
// An idle thread keeps 80 MB; the second thread starts when a job has to wait.
const IDLE_MS = 60_000;
const MAX_PROBLEMS = 20;

/** The shares of the threads' time: by top-level account, within it by account. */
export interface DesignShare extends FairItem {
  /** aborted when the design is no longer needed */
  readonly signal?: AbortSignal | undefined;
}

/** The share of an API call. */
export const shareOf = ({ principal, signal }: Pick<ApiCall, 'principal' | 'signal'>): DesignShare => ({
  family: principal.account.parent_account_id ?? principal.account_id,
  key: principal.account_id,
  signal,
});

/** The share of an operator, who works for one account. */
export const ownShare = (accountId: string): DesignShare => ({ family: accountId, key: accountId });

interface Waiting extends DesignShare {
  readonly job: DesignJob;
  readonly resolve: (made: MadeDesign) => void;
  readonly reject: (error: unknown) => void;
}

/** A job that exceeded its limit of time or memory. */
class OutOfBounds extends Error {}

/**
 * Compiles MJML, and makes the text of HTML, in its own threads: top-level accounts share their time, each job is
 * bounded in time and memory. A family has one thread at a time, the other thread serves the others. A thread
 * starts with its first job and ends after an idle time.
 */
@Injectable()
export class Designs implements BeforeApplicationShutdown {
  /** for tests */
  protected readonly maxMs: number = MAX_MS;
  private readonly first = new DesignThread();
  private readonly second = new DesignThread();
  private readonly waiting: FairWorkers<DesignThread, Waiting>;

  constructor(@Inject(LOGGER) private readonly logger: Logger) {
    this.waiting = new FairWorkers({
      workers: [this.first, this.second],
      isReady: (thread) => thread === this.first || thread.isReady,
      turn: (thread, waiting) => this.work(thread, waiting),
    });
  }

  /**
   * @param share whose time the job counts against
   * @throws ApiError 400 that names every problem; Transient when too many jobs wait; the reason of the signal
   */
  async make(share: DesignShare, job: DesignJob): Promise<MadeDesign> {
    const made = await this.add(share, job);
    if (made.problems.length > 0)
      throw refused('mjml' in job ? 'content.mjml' : 'content.html', made.problems);
    return made;
  }

  async beforeApplicationShutdown(): Promise<void> {
    for (const { reject } of this.waiting.removeAll()) reject(new Transient('the service stops'));
    await Promise.all([this.first, this.second].map((thread) => thread.close()));
  }

  private async add({ family, key, signal }: DesignShare, job: DesignJob): Promise<MadeDesign> {
    signal?.throwIfAborted();
    const { waiting } = this;
    if (waiting.sizeOf({ family }) >= MAX_WAITING_PER_FAMILY || waiting.size >= MAX_WAITING) {
      throw new Transient('too many designs wait to be compiled');
    }
    let giveUp = () => {};
    const made = new Promise<MadeDesign>((resolve, reject) => {
      const one = { family, key, signal, job, resolve, reject };
      giveUp = () => waiting.remove(one) && reject(signal?.reason);
      signal?.addEventListener('abort', giveUp, { once: true });
      waiting.add(one);
    });
    // the running job may take long: the second thread starts for the next one
    if (waiting.size > 0 && !this.second.isReady) void this.second.prepare().then(() => waiting.wake());
    return made.finally(() => signal?.removeEventListener('abort', giveUp));
  }

  private async work(thread: DesignThread, { job, signal, resolve, reject }: Waiting): Promise<false> {
    try {
      resolve(await thread.run(job, { ms: this.maxMs, signal }));
    } catch (error) {
      if (!(error instanceof OutOfBounds)) reject(error);
      else {
        this.logger.warn(
          { event: 'design.refused', reason: error.message, size: sizeOf(job) },
          'design exceeded a limit and was rejected',
        );
        resolve({ html: '', text: '', problems: [{ message: 'it is too complex' }] });
      }
      // the restart counts against the family whose job ended the thread
      await thread.replace();
    }
    return false;
  }
}

/** The limit of a job. */
interface Bounds {
  readonly ms: number;
  readonly signal?: AbortSignal | undefined;
}

/** One design at a time. */
class DesignThread {
  isReady = false;
  private worker: Promise<Worker> | undefined;
  private idle: NodeJS.Timeout | undefined;
  private closed = false;

  /** @throws OutOfBounds, the reason of the signal, or Error; the thread is unusable afterwards */
  async run(job: DesignJob, bounds: Bounds): Promise<MadeDesign> {
    clearTimeout(this.idle);
    const worker = await (this.worker ??= startThread());
    bounds.signal?.throwIfAborted();
    const made = await runJob(worker, job, bounds);
    this.endWhenIdle();
    return made;
  }

  /** Starts the thread before there is a job; after a failure the next job tries again. */
  async prepare(): Promise<void> {
    if (this.closed || this.worker) return;
    this.worker = startThread();
    try {
      await this.worker;
      this.isReady = true;
      this.endWhenIdle();
    } catch {
      await this.end();
    }
  }

  async replace(): Promise<void> {
    await this.end();
    await this.prepare();
  }

  private endWhenIdle(): void {
    clearTimeout(this.idle);
    this.idle = setTimeout(() => void this.end(), IDLE_MS).unref();
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.end();
  }

  private async end(): Promise<void> {
    const { worker } = this;
    this.worker = undefined;
    this.isReady = false;
    clearTimeout(this.idle);
    await worker?.then((one) => one.terminate()).catch(() => undefined);
  }
}

/** The thread has no environment, and so no secrets, and opens no file once it is ready. */
function startThread(): Promise<Worker> {
  const worker = new Worker(new URL('./thread.js', import.meta.url), {
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  worker.unref();
  // an error between two jobs must not end the process
  worker.on('error', () => undefined);
  return firstOf(worker, { ms: MAX_START_MS }, () => worker);
}

async function runJob(worker: Worker, job: DesignJob, bounds: Bounds): Promise<MadeDesign> {
  const made = firstOf(worker, bounds, (message) => message as MadeDesign);
  worker.postMessage(job);
  return made;
}

/**
 * The next message of the thread.
 * @throws OutOfBounds when it does not come in time, or the memory does not suffice; the reason of the signal
 */
function firstOf<T>(worker: Worker, { ms, signal }: Bounds, read: (message: unknown) => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => settle(() => reject(new OutOfBounds('time'))), ms);
    const settle = (how: () => void) => {
      clearTimeout(timer);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      signal?.removeEventListener('abort', onAbort);
      how();
    };
    const onMessage = (message: unknown) => settle(() => resolve(read(message)));
    const onError = (error: NodeJS.ErrnoException) =>
      settle(() => reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new OutOfBounds('memory') : error));
    const onExit = () => settle(() => reject(new Error('the thread of designs ended')));
    const onAbort = () => settle(() => reject(signal?.reason));
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    signal?.addEventListener('abort', onAbort, { once: true });
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
