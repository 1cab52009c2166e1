import { Inject, Injectable } from '@nestjs/common';
import { TokenBuckets, type Limit } from '@postmesh/concurrency';
import { Metrics, type Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';

/**
 * Rate of recorded fetches per account and kind. The sustained rate is five times that of large senders (10 million
 * messages a day, every second one opened, are 58 a second) and a quarter of a process's capacity; a burst covers the
 * first minute of a large send. Clicks have their own, so that a flood of opens does not displace them.
 */
const PER_ACCOUNT: Record<'open' | 'click', Limit> = {
  open: { perSecond: 300, burst: 5_000 },
  click: { perSecond: 100, burst: 2_000 },
};

/** Per message: thousands of readers of a mailing list in an hour, but not the loop of a script. */
const PER_MESSAGE: Limit = { perSecond: 5, burst: 1_000 };

const LOG_EVERY_MS = 60_000;
const MAX_LOGGED = 1_000;

/**
 * Fetches above the rate of an account are answered and not recorded: opens of other accounts do not wait, and
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

  /** Takes a permit for one fetch; false: it is not recorded. */
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
      'too many fetches of an account, the rest is not recorded',
    );
  }
}
