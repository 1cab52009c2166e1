import { backoffMs, pause } from '@postmesh/concurrency';
import type { Logger } from '@postmesh/observability';
import type { EmbeddedPostgres } from './start.js';

export interface WatchOptions {
  logger: Pick<Logger, 'warn' | 'error'>;
  /** from this many failed starts in a row ... */
  hopelessStarts?: number;
  /** ... over so long a time on, a person or a supervisor must act */
  hopelessMs?: number;
}

// Two small files are read for it.
const LOOK_MS = 1_000;
// After an hour with a full disk the server is back within seconds of the repair.
const BACKOFF = { firstMs: 200, maxMs: 5_000 };
// A server that ends sooner has not started in earnest: it meets the same full disk at its first write.
const STABLE_MS = 30_000;
// Two files of the log, 16 MiB each.
const MIN_FREE_BYTES = 32 * 1024 * 1024;
const SAY_MS = 30_000;
// A start every five seconds: what ten minutes of them do not cure, they do not cure.
const HOPELESS = { starts: 20, ms: 600_000 };

/**
 * Restarts a PostgreSQL that ended without an order to stop: it was killed, or stopped because its disk was full.
 * Tries for ever, with backoff. The URL stays, so pools and listening connections reconnect automatically. The watch
 * does not check whether a running process answers.
 */
export class PostgresWatch {
  private readonly stopping = new AbortController();
  private isThere = true;
  /** starts in a row that failed, or did not last */
  private failures = 0;
  private troubleSince: number | undefined;
  private startedAt = Number.NEGATIVE_INFINITY;
  /** by event */
  private readonly saidAt = new Map<string, number>();
  private readonly loop: Promise<void>;

  constructor(
    private readonly server: EmbeddedPostgres,
    private readonly options: WatchOptions,
  ) {
    this.loop = this.run();
  }

  /** Whether the server runs, as far as it is known. */
  get isRunning(): boolean {
    return this.isThere;
  }

  /** Whether there is space for the next step: PostgreSQL ends when it cannot extend its log. */
  async hasSpace(): Promise<boolean> {
    return (await this.freeBytes()) >= MIN_FREE_BYTES;
  }

  /** that the server may still write to its disk */
  freeBytes(): Promise<number> {
    return this.server.freeBytes();
  }

  /** Starts have failed so often, for so long, that an operator is needed. The watch keeps trying. */
  get isHopeless(): boolean {
    const { hopelessStarts = HOPELESS.starts, hopelessMs = HOPELESS.ms } = this.options;
    const { troubleSince = performance.now(), failures } = this;
    const isLong = performance.now() - troubleSince >= hopelessMs;
    return !this.isThere && failures >= hopelessStarts && isLong;
  }

  /** Ends the watch, then the server. @param limitMs 2 s or more; default 9 s */
  async stop(limitMs?: number): Promise<void> {
    this.stopping.abort();
    await this.server.stop(limitMs);
    await this.loop;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      this.isThere = await this.server.isRunning().catch(() => false);
      if (signal.aborted) return;
      if (!this.isThere) await this.recover();
      else if (this.hasLasted()) this.forget();
      await pause(LOOK_MS, signal);
    }
  }

  private async recover(): Promise<void> {
    const { signal } = this.stopping;
    if (this.hasLasted()) this.forget();
    else this.failures += 1;
    this.troubleSince ??= performance.now();
    this.say('postgres.lost', undefined, 'PostgreSQL has ended: starting it again');
    while (!signal.aborted) {
      await pause(backoffMs(this.failures, BACKOFF), signal);
      if (signal.aborted || (await this.tryStart())) return;
      this.failures += 1;
    }
  }

  private async tryStart(): Promise<boolean> {
    try {
      await this.server.startAgain();
    } catch (error) {
      if (!this.stopping.signal.aborted)
        this.say('postgres.start_failed', error, 'PostgreSQL does not start: trying again');
      return false;
    }
    this.startedAt = performance.now();
    this.isThere = true;
    const awayMs = Math.round(this.startedAt - (this.troubleSince ?? this.startedAt));
    const facts = { event: 'postgres.restarted', pid: this.server.pid, away_ms: awayMs };
    this.options.logger.warn({ ...facts, failures: this.failures }, 'PostgreSQL runs again');
    return true;
  }

  private hasLasted(): boolean {
    return performance.now() - this.startedAt > STABLE_MS;
  }

  private forget(): void {
    this.failures = 0;
    this.troubleSince = undefined;
  }

  /** Each event at most once in half a minute. */
  private say(event: string, err: unknown, message: string): void {
    const now = performance.now();
    if (now - (this.saidAt.get(event) ?? Number.NEGATIVE_INFINITY) < SAY_MS) return;
    this.saidAt.set(event, now);
    this.options.logger.error({ event, err, failures: this.failures }, message);
  }
}
