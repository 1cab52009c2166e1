import { pause } from '@postmesh/concurrency';
import { MAX_CAMPAIGN_RECIPIENTS, type CampaignSendResult } from '@postmesh/contracts';

// A request begins so many times later than the one before it as that one took.
const APART_ALONE = 2;
const APART_BESIDE_OTHERS = 4;
// What somebody waits for meets a short piece of work more often, and never a long one.
const RECIPIENTS_BESIDE_OTHERS = 50;
// What the slow templates of one campaign take says nothing about the others.
const MAX_TOOK_MS = 200;

/**
 * How fast a process hands over what campaigns send. The deliveries, outcomes and statistics of a message follow it by
 * themselves, and all of that takes processors and database from mail that somebody waits for. So requests begin apart,
 * by a multiple of what the last one took: where others need the machine each takes longer, and the next one comes later.
 * They may overlap, so that a slow one holds up nobody.
 */
export class HandOverPace {
  private begunAt = Number.NEGATIVE_INFINITY;
  // until a request has said how long it takes, no other one begins beside it
  private apartMs = MAX_TOOK_MS * APART_BESIDE_OTHERS;
  private isBesideOthers = false;
  private last: Promise<void> = Promise.resolve();

  /** of one request */
  get mostRecipients(): number {
    return this.isBesideOthers ? RECIPIENTS_BESIDE_OTHERS : MAX_CAMPAIGN_RECIPIENTS;
  }

  /** Makes the request when its turn has come, in the order of the calls; at once when it `hurries`. */
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
    // what ends meanwhile says how long
    for (let ms = this.waitMs(); ms > 0 && !hurries.aborted; ms = this.waitMs()) await pause(ms, hurries);
    this.begunAt = performance.now();
  }

  private waitMs(): number {
    return this.begunAt + this.apartMs - performance.now();
  }
}
