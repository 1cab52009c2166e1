import { Worker } from 'node:worker_threads';
import { withTimeout } from '@postmesh/concurrency';
import type { Logger, MetricsSnapshot } from '@postmesh/observability';
import type { Settings } from '@postmesh/settings';

export type ToThread =
  { kind: 'start'; settings: Settings } | { kind: 'state'; question: number } | { kind: 'stop' };
export type ThreadState = { kind: 'state'; question: number; ready: boolean; metrics: MetricsSnapshot };
/** `started`: its service listens at this port of loopback */
export type FromThread = { kind: 'started'; port: number } | ThreadState;

// Most allocations of a message are garbage once it is sent. A young generation of this size avoids copying the others;
// twice the size made no message cheaper.
const YOUNG_GENERATION_MB = 48;
// The thread waits a minute for the database, and may repeat that (`retryTransient`).
const START_TIMEOUT_MS = 180_000;
const STATE_TIMEOUT_MS = 2_000;
const STOP_TIMEOUT_MS = 7_000;

/**
 * The delivery worker of a process with other services, on an event loop of its own (decision 110). The thread loads
 * its code while the other services start, is called over HTTP like a process of its own, and ends with the process,
 * also after kill -9.
 */
export class DeliveryThread {
  private readonly worker: Worker;
  private readonly exited: Promise<void>;
  private readonly waiting = new Map<number, (state: ThreadState) => void>();
  private questions = 0;
  private stopping = false;

  constructor(private readonly logger: Logger) {
    this.worker = new Worker(new URL('./delivery-thread-main.js', import.meta.url), {
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    this.exited = new Promise((resolve) => this.worker.once('exit', () => resolve()));
    this.worker.on('error', (error) =>
      logger.error(
        { event: 'thread.failed', err: error, thread: 'delivery-worker' },
        'delivery thread failed, the process will end',
      ),
    );
    this.worker.on('message', (message: FromThread) => {
      if (message.kind === 'state') this.waiting.get(message.question)?.(message);
    });
  }

  /**
   * @param onCrash called when the thread ends unexpectedly after its start
   * @returns the port of its service
   * @throws Error when the thread ends or is not ready in time
   */
  async start(settings: Settings, onCrash: () => void): Promise<number> {
    const started = new Promise<number>((resolve) =>
      this.worker.on('message', (message: FromThread) => {
        if (message.kind === 'started') resolve(message.port);
      }),
    );
    const ended = this.exited.then(() => {
      throw new Error('delivery-worker ended while it started');
    });
    this.post({ kind: 'start', settings });
    const port = await withTimeout(
      Promise.race([started, ended]),
      START_TIMEOUT_MS,
      'starting delivery-worker',
    );
    ended.catch(() => !this.stopping && onCrash());
    return port;
  }

  /** @returns undefined when the thread does not reply in time */
  state(): Promise<ThreadState | undefined> {
    const question = ++this.questions;
    return new Promise((resolve) => {
      const settle = (state?: ThreadState) => {
        clearTimeout(timer);
        this.waiting.delete(question);
        resolve(state);
      };
      const timer = setTimeout(settle, STATE_TIMEOUT_MS);
      this.waiting.set(question, settle);
      this.post({ kind: 'state', question });
    });
  }

  async stop(): Promise<void> {
    this.stopping = true;
    this.post({ kind: 'stop' });
    const timer = setTimeout(() => void this.worker.terminate(), STOP_TIMEOUT_MS);
    await this.exited;
    clearTimeout(timer);
  }

  private post(message: ToThread): void {
    this.worker.postMessage(message);
  }
}
