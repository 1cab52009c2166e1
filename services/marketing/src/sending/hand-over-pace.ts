import { pause } from '@postmesh/concurrency';
import { MAX_CAMPAIGN_RECIPIENTS, type CampaignSendResult } from '@postmesh/messages-contract';

// The interval between requests, as a multiple of the duration of the last one.
const APART_ALONE = 2;
const APART_BESIDE_OTHERS = 4;
// Interactive requests wait behind small requests of a campaign more often, but never behind a large one.
const RECIPIENTS_BESIDE_OTHERS = 50;
// The duration of slow templates of one campaign does not slow down the others.
const MAX_TOOK_MS = 200;

/**
 * The rate at which a process hands over campaign messages. Deliveries, outcomes and statistics of a message follow
 * automatically, and use processors and database that interactive mail needs. So requests begin at an interval, a
 * multiple of the last one's duration: on a busy machine each takes longer, and the next one begins later.
 * They may overlap, so that a slow one does not block others.
 */
export class HandOverPace {
  private begunAt = Number.NEGATIVE_INFINITY;
  // until the first request has ended, no other one begins concurrently
  private apartMs = MAX_TOOK_MS * APART_BESIDE_OTHERS;
  private isBesideOthers = false;
  private last: Promise<void> = Promise.resolve();

  /** the most recipients of one request */
  get mostRecipients(): number {
    return this.isBesideOthers ? RECIPIENTS_BESIDE_OTHERS : MAX_CAMPAIGN_RECIPIENTS;
  }

  /** Runs the request in its turn, in the order of the calls; at once when it `hurries`. */
  async run(post: () => Promise<CampaignSendResult>, hurries: AbortSignal): Promise<CampaignSendResult> {
    this.last = this.last.then(() => this.turn(hurries));
    await this.last;
    const begun = performance.now();
    const result = await post();
    this.isBesideOthers = result.ok && result.beside_others === true;
    const times = this.isBesideOthers ? APART_BESIDE_OTHERS : APART_ALONE;
    this.apartMs = Math.min(performance.now() - begun, MAX_TOOK_MS) * times;
    return result;
  }

  private async turn(hurries: AbortSignal): Promise<void> {
    // a request that ends in the meantime changes the interval
    for (let ms = this.waitMs(); ms > 0 && !hurries.aborted; ms = this.waitMs()) await pause(ms, hurries);
    this.begunAt = performance.now();
  }

  private waitMs(): number {
    // whole: a fraction that rounding left is no wait
    return Math.round(this.begunAt + this.apartMs - performance.now());
  }
}
