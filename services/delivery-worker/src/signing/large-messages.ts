import { Inject, Injectable } from '@nestjs/common';
import { ByteBudget } from '@postmesh/concurrency';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import type { ClaimedDelivery } from '../queue/deliveries.table.js';
import type { LoadedMessage, MessageBytes } from '../smtp-client/smtp-transaction.js';
import { PreparedMessages } from './prepared-messages.js';

// Two hundred messages below this size take 200 MiB at most and need no limit.
const FREE_BELOW_BYTES = 1024 * 1024;
// So that the large messages of one account, sent to slow servers, leave memory for those of another.
const ACCOUNT_SHARE = 2 / 3;
// A waiting message has a connection open, which is not kept for longer.
const MAX_WAIT_MS = 15_000;

/**
 * Large messages, whose memory is bounded and shared round-robin by accounts. One is composed when a connection is
 * ready for it, since a server may be slow for minutes, and others need the memory meanwhile.
 */
@Injectable()
export class LargeMessages {
  private readonly budget: ByteBudget;

  constructor(
    private readonly messages: PreparedMessages,
    @Inject(SETTINGS) { largeBytes }: Settings,
  ) {
    this.budget = new ByteBudget({
      maxBytes: largeBytes,
      freeBelow: FREE_BELOW_BYTES,
      maxPerKey: Math.floor(largeBytes * ACCOUNT_SHARE),
      maxWaitMs: MAX_WAIT_MS,
    });
  }

  isLarge({ size }: Pick<ClaimedDelivery, 'size'>): boolean {
    return size >= FREE_BELOW_BYTES;
  }

  of(delivery: ClaimedDelivery & { asciiHeader?: boolean }): LargeSource {
    return new LargeSource(delivery, this.messages, this.budget);
  }
}

/** One large message, composed as often as a connection is ready for it. */
export class LargeSource {
  /** why the last composing failed; undefined: it succeeded, or there was no memory for it */
  failure: unknown;

  constructor(
    private readonly delivery: ClaimedDelivery & { asciiHeader?: boolean },
    private readonly messages: PreparedMessages,
    private readonly budget: ByteBudget,
  ) {}

  /** Never rejects. @returns undefined when there is no memory now, or on failure */
  async load(): Promise<LoadedMessage | undefined> {
    const { accountId, size } = this.delivery;
    const release = await this.budget.enter(accountId, size).catch(() => undefined);
    if (release === undefined) return undefined;
    try {
      const made: MessageBytes = await this.messages.prepare(this.delivery);
      this.failure = undefined;
      return { ...made, release };
    } catch (failure) {
      release();
      this.failure = failure;
      return undefined;
    }
  }
}
