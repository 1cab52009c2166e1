import { LRUCache } from 'lru-cache';
import { pause, Permits, type Limit } from '@postmesh/concurrency';
import { ApiErrors } from '@postmesh/contracts';
import type { Buckets } from './buckets.js';
import { peerOf } from './peer.rules.js';

// Spec 1-platform §5 rule 5.
const LIMIT: Limit = { perSecond: 20, burst: 40 };
// Concurrent look-ups of a peer that has not failed too often: the failures that it still may have.
const MAX_ASKED_AT_ONCE = LIMIT.burst;
// Look-ups of a peer that has failed too often that wait for a token each (200 ms in all); others are rejected at once.
const MAX_IN_LINE = 4;
const MAX_WAITS = 3;
const SUSPECT_MS = 10_000;
const MAX_SUSPECTS = 100_000;

/**
 * Rejects peers with too many failed authentications before a key is looked up: a flood of guesses costs the accounts
 * service at most 20 look-ups a second. Cached keys are never delayed, and other keys from such a peer wait for a token,
 * because many clients may share an address. Peers are IPv4 addresses and the /64 networks of IPv6.
 */
export class FailedAuthentications {
  /** peers that had no token left a moment ago */
  private readonly suspects = new LRUCache<string, true>({ max: MAX_SUSPECTS, ttl: SUSPECT_MS });
  private readonly asked = new Permits(MAX_ASKED_AT_ONCE);
  private readonly line = new Permits(MAX_IN_LINE);
  private readonly turns = new Permits(1);

  constructor(private readonly buckets: Buckets) {}

  /**
   * @param ask looks the key up
   * @param onPaid called when the look-up cost a token, so that its failure costs none
   * @throws ApiError 429 without a look-up
   */
  async lookUp<T>(clientIp: string, ask: () => Promise<T>, onPaid: () => void): Promise<T> {
    const peer = peerOf(clientIp);
    await this.asked.acquire(peer);
    try {
      if (!this.suspects.has(peer)) return await ask();
    } finally {
      this.asked.release(peer);
    }
    await this.payInTurn(peer);
    onPaid();
    return ask();
  }

  /** @throws ApiError 429 instead of the 401 */
  async failed(clientIp: string): Promise<void> {
    const peer = peerOf(clientIp);
    this.judge(peer, await this.take(peer));
  }

  private async payInTurn(peer: string): Promise<void> {
    if (!this.line.tryAcquire(peer)) throw ApiErrors.rateLimited(1);
    try {
      await this.turns.acquire(peer);
      try {
        let wait = await this.take(peer);
        // a timer may be early, and an earlier look-up that failed may take the token
        for (let waits = 0; wait > 0 && waits < MAX_WAITS; waits += 1) {
          await pause(Math.ceil(wait * 1_000));
          wait = await this.take(peer);
        }
        this.judge(peer, wait);
      } finally {
        this.turns.release(peer);
      }
    } finally {
      this.line.release(peer);
    }
  }

  private judge(peer: string, wait: number): void {
    if (wait === 0) return;
    this.suspects.set(peer, true);
    throw ApiErrors.rateLimited(Math.ceil(wait));
  }

  private take(peer: string): number | Promise<number> {
    return this.buckets.take(`failed-authentication/${peer}`, LIMIT);
  }
}
