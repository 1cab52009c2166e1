import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { LocalInternetLogger } from '../logger.js';
import type { LetterStore } from '../letters/letter-store.js';
import { verdictOfFailure } from './verdict.rules.js';
import type { VerifyLetter } from './verify-letter.js';

export interface VerdictQueueOptions {
  store: LetterStore;
  verify: VerifyLetter;
  logger: LocalInternetLogger;
}

// Waiting for records overlaps; the arithmetic does not.
const WORKERS = 4;
// Judging a letter costs as much as taking it. While they pour in closer than this, only letters that somebody
// waits for are judged; the others follow when it is quiet, or never, when newer ones have pushed them out.
const QUIET_MS = 20;

/**
 * Judges kept letters in the background, those that somebody waits for first. It holds ids only, and
 * only those of kept letters, so it is as bounded as the store.
 */
export class VerdictQueue {
  private readonly waiting = new Set<string>();
  private readonly wanted = new Map<string, (() => void)[]>();
  private workers = 0;
  private stopped = false;
  private lastArrival = -Infinity;

  constructor(private readonly options: VerdictQueueOptions) {}

  add(ids: Iterable<string>): void {
    this.lastArrival = performance.now();
    this.enlist(ids);
  }

  get pending(): number {
    return this.waiting.size;
  }

  /** Resolves when these letters are judged or gone, or when the time is over. */
  async settled(ids: readonly string[], timeoutMs: number): Promise<void> {
    const open = ids.filter((id) => this.options.store.get(id)?.verdict === undefined);
    if (open.length === 0) return;
    const judged = Promise.all(open.map((id) => this.judgedSoon(id)));
    this.enlist(open);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, timeoutMs)));
    await Promise.race([judged, late]);
    clearTimeout(timer);
  }

  /** Forgets letters that are no longer kept, so that the queue is never longer than the store. */
  forget(ids: Iterable<string>): void {
    for (const id of ids) {
      this.waiting.delete(id);
      this.release(id);
    }
  }

  stop(): void {
    this.stopped = true;
    this.waiting.clear();
    for (const id of this.wanted.keys()) this.release(id);
  }

  private enlist(ids: Iterable<string>): void {
    for (const id of ids) this.waiting.add(id);
    while (this.workers < WORKERS && this.workers < this.waiting.size && !this.stopped) {
      this.workers += 1;
      void this.work().finally(() => (this.workers -= 1));
    }
  }

  private judgedSoon(id: string): Promise<void> {
    return new Promise((resolve) => {
      this.wanted.set(id, [...(this.wanted.get(id) ?? []), resolve]);
    });
  }

  private async work(): Promise<void> {
    while (this.waiting.size > 0) {
      const id = this.takeWanted() ?? (this.isBusy() ? undefined : this.takeOldest());
      if (id === undefined) {
        await sleep(QUIET_MS);
        continue;
      }
      await this.judge(id);
      this.release(id);
      await nextTurn();
    }
  }

  private isBusy(): boolean {
    return performance.now() - this.lastArrival < QUIET_MS;
  }

  private takeWanted(): string | undefined {
    for (const id of this.wanted.keys()) {
      if (this.waiting.delete(id)) return id;
    }
    return undefined;
  }

  private takeOldest(): string | undefined {
    const [oldest] = this.waiting;
    if (oldest !== undefined) this.waiting.delete(oldest);
    return oldest;
  }

  private release(id: string): void {
    for (const resolve of this.wanted.get(id) ?? []) resolve();
    this.wanted.delete(id);
  }

  private async judge(id: string): Promise<void> {
    const { store, verify, logger } = this.options;
    const letter = store.get(id);
    if (letter === undefined || letter.verdict !== undefined) return;
    try {
      const raw = await store.raw(id);
      if (raw === undefined) return;
      const verdict = await verify(letter, raw);
      // Stopped meanwhile: the shelf may be closed, and the next start judges what is left.
      if (!this.stopped) await store.judge(id, verdict);
    } catch (error) {
      logger.warn({ err: error, letter_id: id }, 'local internet: letter not judged');
      if (!this.stopped) await store.judge(id, verdictOfFailure('the verifier failed')).catch(() => {});
    }
  }
}
