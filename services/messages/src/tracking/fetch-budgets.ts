import { Inject, Injectable } from '@nestjs/common';
import { TokenBuckets, type Limit } from '@postmesh/concurrency';
import { Metrics, type Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';

/**
 * Fetches of one account and kind that are recorded. Sustained, five times what large senders have (10 million messages
 * a day, every second one opened, are 58 a second) and a quarter of what a process records; a burst is what a large
 * send brings in its first minute. Clicks have their own, so that a flood of opens costs none of them.
 */
const PER_ACCOUNT: Record<'open' | 'click', Limit> = {
  open: { perSecond: 300, burst: 5_000 },
  click: { perSecond: 100, burst: 2_000 },
};

/** Of one message: what thousands of readers of a mailing list do in an hour, and no loop of a script. */
const PER_MESSAGE: Limit = { perSecond: 5, burst: 1_000 };

const LOG_EVERY_MS = 60_000;
const MAX_LOGGED = 1_000;

/**
 * What is too much of one account is answered like everything and not recorded: the others' opens wait for nothing, and
 * deliveries share the database with a bounded number of fetches (decision 33).
 */
@Injectable()
export class FetchBudgets {
  private readonly buckets = new TokenBuckets(100_000);
  private readonly shed;
  private readonly logged = new Map<string, number>();

  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.shed = metrics.counter(
      'postmesh_tracked_fetches_shed_total',
      'Opens and clicks that were answered and not recorded, because their account had too many',
      ['kind'],
    );
  }

  /** Whether one more may be recorded. */
  admits(accountId: string, messageId: string, kind: 'open' | 'click'): boolean {
    const fits =
      this.buckets.take(`message/${messageId}/${kind}`, PER_MESSAGE) === 0 &&
      this.buckets.take(`account/${accountId}/${kind}`, PER_ACCOUNT[kind]) === 0;
    if (!fits) this.tell(accountId, kind);
    return fits;
  }

  private tell(accountId: string, kind: 'open' | 'click'): void {
    this.shed.inc({ kind });
    const now = performance.now();
    if (now - (this.logged.get(accountId) ?? -LOG_EVERY_MS) < LOG_EVERY_MS) return;
    if (this.logged.size >= MAX_LOGGED) this.logged.clear();
    this.logged.set(accountId, now);
    this.logger.warn(
      { event: 'tracking.shed', account_id: accountId, kind },
      'too many fetches of an account',
    );
  }
}
