import { TimeoutError, withTimeout, type Limit } from '@postmesh/concurrency';
import type { Logger } from '@postmesh/observability';
import { RareWarning } from '../rare-warning.js';
import { InProcessBuckets, type Buckets } from './buckets.js';

export interface TokenRequest {
  readonly name: string;
  readonly limit: Limit;
}

/**
 * Takes a token of each of these buckets, which another process keeps for several gateways.
 * @returns for each the result of `Buckets.take`
 */
export type TakeTokens = (requests: readonly TokenRequest[]) => Promise<readonly number[]>;

interface Waiting extends TokenRequest {
  readonly resolve: (waitSeconds: number) => void;
}

// The other process is on this machine and lives as long as this one: after this time it is hung, not busy.
const ANSWER_MS = 2_000;
// While it is hung no request waits for it. It responds once it continues; this time is for a response that was lost.
const ASK_AGAIN_MS = 5_000;

/**
 * The buckets of all gateways of one machine, which another process keeps. Requests of one turn of the event loop go
 * together. Without a response each gateway limits rates alone: a limit that is too wide for a while is better than an
 * API that is down or slow.
 */
export class ElsewhereBuckets implements Buckets {
  private readonly own = new InProcessBuckets();
  private readonly unanswered: RareWarning;
  private waiting: Waiting[] = [];
  /** ms of `performance.now()`, while a request has had no response in time; else undefined */
  private askAgainAt: number | undefined;

  constructor(
    private readonly takeTokens: TakeTokens,
    logger: Logger,
  ) {
    this.unanswered = new RareWarning(
      logger,
      'rate_limits.unanswered',
      'no response in time, gateway limits rates alone',
    );
  }

  take(name: string, limit: Limit): Promise<number> {
    return new Promise((resolve) => {
      this.waiting.push({ name, limit, resolve });
      if (this.waiting.length === 1) setImmediate(() => void this.send());
    });
  }

  async close(): Promise<void> {}

  private async send(): Promise<void> {
    const group = this.waiting;
    this.waiting = [];
    const waits = await this.ask(group.map(({ name, limit }) => ({ name, limit })));
    for (const [nth, { name, limit, resolve }] of group.entries())
      resolve(waits?.[nth] ?? this.own.take(name, limit));
  }

  /** @returns undefined without a response in time, and at once while an earlier request has none */
  private async ask(requests: readonly TokenRequest[]): Promise<readonly number[] | undefined> {
    if (this.askAgainAt !== undefined) {
      if (performance.now() < this.askAgainAt) return undefined;
      // one request tries again, later ones do not wait
      this.askLater();
    }
    try {
      const answer = this.takeTokens(requests);
      const answered = () => (this.askAgainAt = undefined);
      answer.then(answered, answered);
      return await withTimeout(answer, ANSWER_MS, 'rate limits');
    } catch (error) {
      if (error instanceof TimeoutError) this.askLater();
      this.unanswered.log(error);
      return undefined;
    }
  }

  private askLater(): void {
    this.askAgainAt = performance.now() + ASK_AGAIN_MS;
  }
}
