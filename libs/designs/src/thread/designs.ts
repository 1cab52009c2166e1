import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Worker } from 'node:worker_threads';
import { FairWorkers, type FairItem } from '@postmesh/concurrency';
import { ApiError, Transient } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { LOGGER, type ApiCall } from '@postmesh/service-host';
import type { DesignJob, DesignProblem, MadeDesign } from './design-job.js';

// A design of 100 KiB takes a second of a busy core. What takes longer is refused, not tried again.
const MAX_MS = 10_000;
const MAX_HEAP_MB = 256;
// Loading MJML takes a second of a busy core.
const MAX_START_MS = 60_000;
// Each holds up to a mebibyte of source, which its request holds anyway.
const MAX_WAITING_PER_FAMILY = 32;
const MAX_WAITING = 128;
// A thread takes 80 MB while it stays; the second one begins when one has to wait.
const IDLE_MS = 60_000;
const MAX_PROBLEMS = 20;

/** With whose designs one shares the time of the threads: by top-level account, within it by account. */
export interface DesignShare extends FairItem {
  /** aborted when the design is of no use any more */
  readonly signal?: AbortSignal | undefined;
}

/** Of an API call. */
export const shareOf = ({ principal, signal }: Pick<ApiCall, 'principal' | 'signal'>): DesignShare => ({
  family: principal.account.parent_account_id ?? principal.account_id,
  key: principal.account_id,
  signal,
});

/** Of an operator, who works for one account. */
export const ownShare = (accountId: string): DesignShare => ({ family: accountId, key: accountId });

interface Waiting extends DesignShare {
  readonly job: DesignJob;
  readonly resolve: (made: MadeDesign) => void;
  readonly reject: (error: unknown) => void;
}

/** The end of a job by its limits: of time or of memory. */
class OutOfBounds extends Error {}

/**
 * Compiles MJML, and makes the text of HTML, in threads of its own: top-level accounts share their time, each job is
 * bounded in time and memory. A family has one thread at a time, the other one is for the others. A thread begins with
 * its first job and ends when there was none for a while.
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
   * @param share whose time it takes
   * @throws ApiError 400 that names every problem; Transient when too many wait; the reason of the signal
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
    // it waits for what may take long: for the next one of its kind there is another thread
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
          'design takes too much to compile',
        );
        resolve({ html: '', text: '', problems: [{ message: 'it is too complex' }] });
      }
      // in the time of the family whose job has cost the thread
      await thread.replace();
    }
    return false;
  }
}

/** How long a job may take. */
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

  /** @throws OutOfBounds, the reason of the signal, or Error; the thread is of no use then */
  async run(job: DesignJob, bounds: Bounds): Promise<MadeDesign> {
    clearTimeout(this.idle);
    const worker = await (this.worker ??= startThread());
    bounds.signal?.throwIfAborted();
    const made = await runJob(worker, job, bounds);
    this.endWhenIdle();
    return made;
  }

  /** Starts it before there is a job; where that fails a job tries again. */
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
