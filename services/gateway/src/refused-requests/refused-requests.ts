import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import {
  MAX_REFUSED_PER_REPORT,
  type RefusedRequest,
  type RefusedRequests as Report,
} from '@postmesh/accounts-contract';
import { Transient } from '@postmesh/contracts';
import { DebouncedTask, endsWithin } from '@postmesh/concurrency';
import { InternalClient } from '@postmesh/http';
import { Metrics, type Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { RareWarning } from '../rare-warning.js';

const REPORT_MS = 2_000;
// Some 10 MB at most: the accounts service may be away.
const MAX_ROWS = 5_000;
const MAX_ACCOUNTS = 5_000;
const ROWS_PER_REPORT = 500;
const ACCOUNTS_PER_REPORT = 500;
const DRAIN_MS = 2_000;

type Waiting = Report['accounts'][string];

/**
 * Refused and failed requests on their way to the request log in accounts (decision 124): kept in memory, reported every
 * two seconds. Beyond the bound of an account they are only counted, so nothing here grows with the rate of requests, and
 * no response waits.
 */
@Injectable()
export class RefusedRequests implements BeforeApplicationShutdown {
  private waiting = new Map<string, Waiting>();
  private rows = 0;
  private readonly leftOut;
  private readonly notStored: RareWarning;
  private readonly task = new DebouncedTask(
    () => this.reportAll(),
    (error) => this.later(error),
  );

  constructor(
    private readonly client: InternalClient,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'requestLogDays'>,
    @Inject(LOGGER) logger: Logger,
    metrics: Metrics,
  ) {
    this.notStored = new RareWarning(logger, 'request_log.report_failed', 'refused requests not reported');
    this.leftOut = metrics.counter(
      'postmesh_request_log_left_out_total',
      'Refused and failed requests that the gateway counted only, for the request log of their account',
    );
  }

  /**
   * Never fails, never waits.
   * @param describe called unless the request is only counted
   */
  add(accountId: string, describe: () => RefusedRequest): void {
    if (this.settings.requestLogDays === 0) return;
    const known = this.waiting.get(accountId) ?? this.begin(accountId);
    if (known && this.rows < MAX_ROWS && known.requests.length < MAX_REFUSED_PER_REPORT) {
      known.requests.push(describe());
      this.rows += 1;
      return;
    }
    if (known) known.left_out += 1;
    this.leftOut.inc();
  }

  /** Reports the rest. The listeners are closed, so no further request arrives. */
  async beforeApplicationShutdown(): Promise<void> {
    await endsWithin(this.flush(), DRAIN_MS);
    void this.task.stop();
  }

  /** Reports at once. Resolves also when that has failed. */
  flush(): Promise<void> {
    this.task.trigger();
    return this.task.settled();
  }

  private begin(accountId: string): Waiting | undefined {
    if (this.waiting.size >= MAX_ACCOUNTS) return undefined;
    const waiting: Waiting = { requests: [], left_out: 0 };
    this.waiting.set(accountId, waiting);
    this.task.triggerIn(REPORT_MS);
    return waiting;
  }

  private async reportAll(): Promise<void> {
    while (this.waiting.size > 0) {
      const part = this.take();
      try {
        await this.report(part);
      } catch (error) {
        this.putBack(part);
        throw error;
      }
    }
  }

  private later(error: unknown): void {
    this.notStored.log(error);
    this.task.triggerIn(REPORT_MS);
  }

  private take(): Map<string, Waiting> {
    const part = new Map<string, Waiting>();
    let rows = 0;
    for (const [accountId, one] of this.waiting) {
      if (part.size >= ACCOUNTS_PER_REPORT || rows >= ROWS_PER_REPORT) break;
      part.set(accountId, one);
      this.waiting.delete(accountId);
      rows += one.requests.length;
    }
    this.rows -= rows;
    return part;
  }

  /**
   * A report that is refused is lost: a retry would be refused, too. An accounts service of the release before has no
   * request log.
   * @throws Transient when a retry may succeed
   */
  private async report(part: Map<string, Waiting>): Promise<void> {
    const body: Report = { accounts: Object.fromEntries(part) };
    const path = '/internal/refused-requests';
    const { status } = await this.client.send('accounts', { method: 'POST', path, body });
    if (status < 300) return;
    if (status >= 500) throw new Transient(`accounts responded ${status} to POST ${path}`);
    this.leftOut.inc([...part.values()].reduce((sum, { requests }) => sum + requests.length, 0));
    this.notStored.log(new Error(`accounts responded ${status} to POST ${path}, the report is lost`));
  }

  /** Together with what came meanwhile, within the same bounds. */
  private putBack(part: Map<string, Waiting>): void {
    const newer = this.waiting;
    this.waiting = new Map();
    this.rows = 0;
    for (const [accountId, { requests, left_out: count }] of [...part, ...newer]) {
      const known = this.waiting.get(accountId) ?? this.begin(accountId);
      if (known) known.left_out += count;
      for (const request of requests) this.add(accountId, () => request);
    }
  }
}
