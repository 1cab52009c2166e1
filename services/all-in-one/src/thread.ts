import { Worker } from 'node:worker_threads';
import { withTimeout } from '@postmesh/concurrency';
import type { Logger } from '@postmesh/observability';
import type { Settings } from '@postmesh/settings';
import { StateQuestions, type PartFacts, type PartQuestion, type PartState } from './part.js';

export type ThreadRole = 'delivery-worker' | 'local-internet';

/** `workerData`: enough to load the code of the part. */
export interface ThreadInput {
  role: ThreadRole;
}

/** What a thread says: first that it is ready, later replies to questions. */
export type ThreadMessage = { kind: 'ready'; facts: PartFacts } | PartState;

// Most of what a message allocates is dead when it has left: room for it spares copying the rest. Twice as much made no
// message cheaper. The local internet takes a person's trial mails.
const YOUNG_GENERATION_MB = { 'delivery-worker': 48, 'local-internet': 12 } as const;
// A part waits a minute for the database, more than once if need be (`retryTransient`).
const START_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 7_000;

/**
 * A thread that loads the code of its part while others start: that is half of the time which the part itself needs.
 * It ends with the process, also when it is never started.
 */
export class LoadingThread {
  private readonly worker: Worker;
  private readonly ended: Promise<never>;

  constructor(
    private readonly role: ThreadRole,
    logger: Logger,
  ) {
    this.worker = new Worker(new URL('./thread-main.js', import.meta.url), {
      workerData: { role } satisfies ThreadInput,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB[role] },
    });
    this.ended = new Promise((_, reject) => {
      this.worker.once('error', reject);
      this.worker.once('exit', () => reject(new Error(`${role} ended while it started`)));
    });
    // it may end before anybody waits for it
    this.ended.catch(() => undefined);
    this.worker.on('error', (error) =>
      logger.error({ event: 'thread.failed', err: error, thread: role }, 'thread failed'),
    );
  }

  /** @throws Error when the thread ends or says nothing before it is ready */
  async start(settings: Settings, onCrash: (role: ThreadRole) => void): Promise<Thread> {
    const ready = new Promise<PartFacts>((resolve) =>
      this.worker.once('message', (message: ThreadMessage) => {
        if (message.kind === 'ready') resolve(message.facts);
      }),
    );
    this.worker.postMessage({ kind: 'start', settings } satisfies PartQuestion);
    const facts = await withTimeout(
      Promise.race([ready, this.ended]),
      START_TIMEOUT_MS,
      `starting ${this.role}`,
    );
    return new Thread(this.role, this.worker, facts, onCrash);
  }
}

/** A part of all-in-one with an event loop of its own. It dies with the process, kill -9 included. */
export class Thread {
  private readonly questions = new StateQuestions();
  private readonly exited: Promise<void>;
  private stopping = false;

  constructor(
    readonly role: ThreadRole,
    private readonly worker: Worker,
    readonly facts: PartFacts,
    onCrash: (role: ThreadRole) => void,
  ) {
    worker.on('message', (message: ThreadMessage) => {
      if (message.kind === 'state') this.questions.answered(message);
    });
    this.exited = new Promise((resolve) => {
      worker.once('exit', () => {
        resolve();
        if (!this.stopping) onCrash(role);
      });
    });
  }

  /** @returns undefined when the thread does not reply in time */
  state(): Promise<PartState | undefined> {
    return this.questions.ask((question) => this.worker.postMessage(question));
  }

  /** To local-internet: the service takes mail at this port now. */
  useMxPort(port: number): void {
    this.worker.postMessage({ kind: 'mx-port', port } satisfies PartQuestion);
  }

  async stop(): Promise<void> {
    this.stopping = true;
    this.worker.postMessage({ kind: 'stop' } satisfies PartQuestion);
    const timer = setTimeout(() => void this.worker.terminate(), STOP_TIMEOUT_MS);
    await this.exited;
    clearTimeout(timer);
  }
}
