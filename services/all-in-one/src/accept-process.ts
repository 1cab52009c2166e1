import cluster, { type Worker } from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { withTimeout } from '@postmesh/concurrency';
import type { TokenRequest } from '@postmesh/gateway';
import type { MetricsSnapshot } from '@postmesh/observability';
import type { Settings } from '@postmesh/settings';
import { closeHandedConnections } from './handed-connections.js';
import type { Ports } from './listeners.js';
import { StateQuestions, type PartQuestion, type PartState } from './part.js';

/** What an accept process says. */
export type AcceptMessage =
  | PartState
  /** it takes messages from now on; what was said before is lost */
  | { kind: 'loaded' }
  /** from now on, at these ports */
  | { kind: 'accepts'; ports: Ports }
  /** it cannot start, and ends */
  | { kind: 'failed'; reason: string }
  /** somebody sent to it; once a second at most */
  | { kind: 'sent' }
  | { kind: 'take-tokens'; question: number; requests: readonly TokenRequest[] }
  | { kind: 'alive' };

export type AcceptQuestion =
  | Exclude<PartQuestion, { kind: 'start' }>
  | { kind: 'start'; name: string; settings: Settings }
  | { kind: 'forget-domain'; accountId: string; domain: string }
  | { kind: 'tokens'; question: number; waits: readonly number[] }
  | { kind: 'is-alive' };

// As for threads: most of what a message allocates is dead when it has left.
const YOUNG_GENERATION = '--max-semi-space-size=32';
// Several times the bodies that it may hold at once, its caches, its code. One that needs more ends, and only that one.
const MEMORY = '--max-old-space-size=768';
// It waits a minute for the database, more than once if need be (`retryTransient`).
const START_TIMEOUT_MS = 180_000;
// Of the time of a stop: for its end to be seen.
const KILL_MARGIN_MS = 300;
// One that hangs does not take the time that others have for their stop.
const HUNG_GRACE_MS = 1_000;
// Twenty seconds at this pace. Counted, not timed: where the main process was stopped as well, no time has passed for it.
const ASK_MS = 2_000;
const MAX_UNANSWERED = 10;

/** What those that accept ask of this process, and tell it. */
export interface AcceptServer {
  /** @returns of each the seconds until there is a token, 0 when it was taken */
  takeTokens(requests: readonly TokenRequest[]): number[];
  /** somebody sent to one of them */
  sent(): void;
}

/**
 * One process that accepts. It listens on the same ports as the others: this process has them, and hands each connection to
 * one that is free for it (`cluster`). It loads its code while others start, and ends with this process, kill -9 included.
 */
export class AcceptProcess {
  /** resolves, when it has ended, to how */
  readonly ended: Promise<string>;
  readonly startedAt = performance.now();
  /** undefined: it could not be made */
  private readonly worker: Worker | undefined;
  private readonly questions = new StateQuestions();
  private readonly started: Promise<Ports>;
  private readonly loaded: Promise<void>;
  private setLoaded: () => void = () => undefined;
  private isLoaded = false;
  private running = false;
  private unanswered = 0;
  private watching: NodeJS.Timeout | undefined;
  private lastMetrics: MetricsSnapshot = [];

  constructor(
    readonly name: string,
    private readonly server: AcceptServer,
  ) {
    const made = fork();
    this.worker = 'failure' in made ? undefined : made;
    this.ended = ('failure' in made ? Promise.resolve(made.failure) : endOf(made)).then((how) => {
      this.running = false;
      clearInterval(this.watching);
      return how;
    });
    this.loaded = new Promise((resolve) => {
      this.setLoaded = () => {
        this.isLoaded = true;
        resolve();
      };
    });
    this.started = this.whenStarted();
    // it may end before anybody waits for it
    this.started.catch(() => undefined);
  }

  /** @throws Error when it ends or says nothing before it is ready; with its reason where it has one */
  async start(settings: Settings): Promise<Ports> {
    const ports = await withTimeout(this.startLoaded(settings), START_TIMEOUT_MS, `starting ${this.name}`);
    this.running = true;
    this.watching = setInterval(() => this.watch(), ASK_MS);
    return ports;
  }

  /** Whether it has started and not ended. */
  get isRunning(): boolean {
    return this.running;
  }

  get pid(): number | undefined {
    return this.worker?.process.pid;
  }

  /** @returns undefined when it does not reply in time, or does not run */
  async state(): Promise<PartState | undefined> {
    if (!this.running) return undefined;
    const state = await this.questions.ask((question) => this.post(question));
    if (state) this.lastMetrics = state.metrics;
    return state;
  }

  /** What its metrics were when it last said so: sums must not go back because it is busy. */
  get metrics(): MetricsSnapshot {
    return this.lastMetrics;
  }

  /** They are counted elsewhere. */
  forgetMetrics(): void {
    this.lastMetrics = [];
  }

  /** Something about the domain changed: its next send looks it up again. */
  forgetDomain(accountId: string, domain: string): void {
    if (this.running) this.post({ kind: 'forget-domain', accountId, domain });
  }

  /** It answers what is under way. @param leftMs then it is killed */
  async stop(leftMs: number): Promise<void> {
    if (this.isLoaded) this.post({ kind: 'stop' });
    const timer = setTimeout(() => this.kill(), this.graceMs(leftMs));
    await this.ended;
    clearTimeout(timer);
  }

  kill(): void {
    this.worker?.process.kill('SIGKILL');
  }

  private graceMs(leftMs: number): number {
    if (!this.isLoaded) return 0;
    const graceMs = Math.max(0, leftMs - KILL_MARGIN_MS);
    return this.unanswered > 1 ? Math.min(HUNG_GRACE_MS, graceMs) : graceMs;
  }

  private async startLoaded(settings: Settings): Promise<Ports> {
    await Promise.race([this.loaded, this.started]);
    this.post({ kind: 'start', name: this.name, settings });
    return this.started;
  }

  private whenStarted(): Promise<Ports> {
    return new Promise((resolve, reject) => {
      this.worker?.on('message', (message: AcceptMessage) => {
        if (message.kind === 'accepts') resolve(message.ports);
        else if (message.kind === 'loaded') this.setLoaded();
        else if (message.kind === 'alive') this.unanswered = 0;
        else if (message.kind === 'sent') this.server.sent();
        else if (message.kind === 'failed') reject(new Error(message.reason));
        else if (message.kind === 'state') this.questions.answered(message);
        else this.answerTokens(message.question, message.requests);
      });
      void this.ended.then((how) => reject(new Error(`${this.name} ended while it started (${how})`)));
    });
  }

  /** One that hangs keeps its connections, and its clients wait: it is killed, and `ended` says so. */
  private watch(): void {
    if (this.unanswered === MAX_UNANSWERED) return this.kill();
    this.unanswered += 1;
    this.post({ kind: 'is-alive' });
  }

  private answerTokens(question: number, requests: readonly TokenRequest[]): void {
    this.post({ kind: 'tokens', question, waits: this.server.takeTokens(requests) });
  }

  /** What cannot be told is told to a process that ends: `ended` says so. */
  private post(question: AcceptQuestion): void {
    if (this.worker?.isConnected()) this.worker.send(question, () => undefined);
  }
}

/** The process, or why there is none: of some errors, as of too little memory, `fork` throws, others come as an event. */
function fork(): Worker | { failure: string } {
  cluster.setupPrimary({
    exec: fileURLToPath(new URL('./accept-main.js', import.meta.url)),
    args: [],
    execArgv: [...process.execArgv, YOUNG_GENERATION, MEMORY],
    // settings and metrics as threads get them
    serialization: 'advanced',
  });
  try {
    const worker = cluster.fork();
    closeHandedConnections(worker);
    return worker;
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

/** Resolves, when it has ended, to how. */
const endOf = (worker: Worker): Promise<string> =>
  new Promise((resolve) => {
    worker.once('exit', (code, signal) => resolve(signal ?? `code ${code}`));
    // of a channel that breaks its process ends, too; one that could not be made says no more
    worker.on('error', ({ message }) => {
      if (worker.process.pid === undefined) resolve(message);
    });
  });
