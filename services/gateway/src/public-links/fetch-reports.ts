import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { backoffMs, DebouncedTask, endsWithin } from '@postmesh/concurrency';
import { MAX_TRACKED_FETCHES, type TrackedFetch, type TrackedFetches } from '@postmesh/messages-contract';
import { Transient } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/http';
import { Metrics, type Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import { RareWarning } from '../rare-warning.js';

// Some 10 MB, enough for minutes of opens of a busy installation while the messages service is down.
const MAX_WAITING = 20_000;
const RETRY = { firstMs: 500, maxMs: 10_000 };
const DRAIN_MS = 2_000;

/**
 * Reports fetches of pixels and links to the messages service, in batches: the first fetch is sent at once, fetches that
 * arrive during a request go together. They are kept in memory only: a response promises no count. While the service is
 * down they wait, bounded; further ones are lost, counted and logged.
 */
@Injectable()
export class FetchReports implements BeforeApplicationShutdown {
  private waiting: TrackedFetch[] = [];
  private failures = 0;
  private retry: NodeJS.Timeout | undefined;
  private readonly lost;
  private readonly full: RareWarning;
  private readonly task = new DebouncedTask(
    () => this.reportAll(),
    (error) => this.later(error),
  );

  constructor(
    private readonly client: InternalClient,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.full = new RareWarning(logger, 'tracking.fetches_lost', 'opens and clicks were dropped');
    this.lost = metrics.counter(
      'postmesh_tracked_fetches_lost_total',
      'Opens and clicks that were answered and could not be reported',
    );
    metrics.gauge(
      'postmesh_tracked_fetches_waiting',
      'Opens and clicks that wait to be reported',
      [],
      (gauge) => gauge.set(this.waiting.length),
    );
  }

  /** Queues a fetch. Never fails, never waits. */
  add(fetch: TrackedFetch): void {
    if (this.waiting.length >= MAX_WAITING) return this.lose(1, `${MAX_WAITING} wait already`);
    this.waiting.push(fetch);
    // after a failure the retry takes all of them
    if (!this.retry) this.task.trigger();
  }

  /** Reports the rest. The listeners are closed, so no further fetch arrives. */
  async beforeApplicationShutdown(): Promise<void> {
    clearTimeout(this.retry);
    this.retry = undefined;
    this.task.trigger();
    await endsWithin(this.task.settled(), DRAIN_MS);
    void this.task.stop();
    if (this.waiting.length > 0) this.lose(this.waiting.length, 'not reported before the stop');
  }

  private async reportAll(): Promise<void> {
    // fetches that arrived during a failed run wait for its retry
    while (this.waiting.length > 0 && !this.retry) {
      const fetches = this.waiting.slice(0, MAX_TRACKED_FETCHES);
      await this.reportBatch({ fetches });
      this.waiting = this.waiting.slice(fetches.length);
      this.failures = 0;
    }
  }

  /** @throws Transient when a retry may succeed; a rejected report is dropped, because a retry would be rejected, too */
  private async reportBatch(body: TrackedFetches): Promise<void> {
    const path = '/internal/tracked-fetches';
    const { status } = await this.client.send('messages', { method: 'POST', path, body });
    if (status >= 500) throw new Transient(`messages responded ${status} to POST ${path}`);
    if (status >= 300) this.lose(body.fetches.length, `messages responded ${status} to POST ${path}`);
  }

  private lose(count: number, why: string): void {
    this.lost.inc(count);
    this.full.log(new Error(`${count} lost: ${why}`));
  }

  private later(error: unknown): void {
    this.failures += 1;
    this.logger.warn(
      { event: 'tracking.report_failed', err: error, fetches: this.waiting.length },
      'reporting opens and clicks failed, will retry',
    );
    clearTimeout(this.retry);
    this.retry = setTimeout(
      () => {
        this.retry = undefined;
        this.task.trigger();
      },
      backoffMs(this.failures, RETRY),
    );
  }
}
