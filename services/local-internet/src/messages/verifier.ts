import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@postmesh/observability';
import type { ReceivedMessage, Verdict } from './message.rules.js';
import type { MessageStorage } from './message-storage.js';

export interface VerifierOptions {
  storage: MessageStorage;
  verify(message: ReceivedMessage, raw: Buffer): Promise<Verdict>;
  logger: Logger;
}

// The waits for records overlap; the computation does not.
const CONCURRENCY = 4;
// Verifying a message costs as much as receiving it. While they arrive closer together than this, only messages
// that a request waits for are verified; the others follow in a quiet moment, or never when newer ones evict them.
const QUIET_MS = 250;

const FAILED: Verdict = {
  spf: 'temperror',
  dkim: 'temperror',
  dmarc: 'temperror',
  details: { spf: 'the verifier failed', dkim: [], dmarc: '' },
};

/** Gives every stored message its verdict: at once when a request waits for it, else in a quiet moment. */
export class Verifier {
  private readonly running = new Map<string, Promise<void>>();
  private waitingRequests = 0;
  private isSweeping = false;
  private isStopped = false;
  private lastArrivalMs = -Infinity;

  constructor(private readonly options: VerifierOptions) {}

  /** Call it when messages were stored. */
  wake(): void {
    this.lastArrivalMs = performance.now();
    if (!this.isSweeping) void this.sweep();
  }

  /** Resolves when these messages are verified or removed, or when the time is over. */
  async settled(ids: readonly string[], timeoutMs: number): Promise<void> {
    const timeout = new AbortController();
    const { signal } = timeout;
    let isLate = false;
    const late = sleep(timeoutMs, undefined, { signal })
      .catch(() => {})
      .then(() => (isLate = true));
    this.waitingRequests += 1;
    await Promise.race([this.verifyAll(ids, async () => !isLate), late]);
    this.waitingRequests -= 1;
    timeout.abort();
  }

  stop(): void {
    this.isStopped = true;
  }

  private async sweep(): Promise<void> {
    this.isSweeping = true;
    const { storage } = this.options;
    for (let ids = storage.unverified(); ids.length > 0 && !this.isStopped; ids = storage.unverified()) {
      await this.verifyAll(ids, async () => {
        await this.quiet();
        return true;
      });
    }
    this.isSweeping = false;
  }

  private async quiet(): Promise<void> {
    while (this.isBusy() && !this.isStopped) await sleep(QUIET_MS);
  }

  private isBusy(): boolean {
    return this.waitingRequests > 0 || performance.now() - this.lastArrivalMs < QUIET_MS;
  }

  /** @param turn called before each; false: no request waits for the rest any more */
  private async verifyAll(ids: readonly string[], turn: () => Promise<boolean>): Promise<void> {
    const remaining = ids.values();
    const worker = async (): Promise<void> => {
      for (const id of remaining) {
        if (!(await turn())) return;
        await this.verifyOnce(id);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  }

  private async verifyOnce(id: string): Promise<void> {
    const message = this.options.storage.get(id);
    if (message === undefined || message.verdict !== undefined || this.isStopped) return;
    const running = this.running.get(id) ?? this.verify(message).finally(() => this.running.delete(id));
    this.running.set(id, running);
    await running;
  }

  private async verify(message: ReceivedMessage): Promise<void> {
    const { storage, verify, logger } = this.options;
    let verdict = FAILED;
    try {
      const raw = await storage.raw(message.id);
      if (raw !== undefined) verdict = await verify(message, raw);
    } catch (error) {
      const fields = { event: 'message.verification_failed', err: error, message_id: message.id };
      logger.warn(fields, 'a message was not verified');
    }
    // Stopped meanwhile: the storage may be closed, and the next start verifies the rest.
    if (!this.isStopped) storage.setVerdict(message.id, verdict);
  }
}
