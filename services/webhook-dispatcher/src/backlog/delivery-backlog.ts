import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DebouncedTask } from '@postmesh/concurrency';
import { retryTransient } from '@postmesh/database';
import { Metrics, type Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';

const LOOK_MS = 15_000;
// Counting takes a tenth of the time at most: a count of a million pending deliveries takes a second or two.
const REST = 10;

/** The pending deliveries of one account. */
interface OfAccount {
  readonly account_id: string;
  readonly pending: number;
  readonly oldest_at: Date;
}

/**
 * The number of pending webhook deliveries per account (ADR 72), counted periodically. An account that
 * reaches `POSTMESH_WEBHOOK_PENDING` counts as over the limit until it has half as many.
 */
@Injectable()
export class DeliveryBacklog implements OnApplicationBootstrap, OnModuleDestroy {
  /** sorted by number, largest first */
  private accounts: readonly OfAccount[] = [];
  private byAccount: ReadonlyMap<string, number> = new Map();
  private over: ReadonlySet<string> = new Set();
  private restUntil = 0;
  private readonly most: number;
  private readonly listeners: ((signal: AbortSignal) => Promise<void>)[] = [];
  private readonly looking: DebouncedTask;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(SETTINGS) { webhookPending }: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.most = webhookPending;
    this.looking = new DebouncedTask(
      async (signal) => {
        if (performance.now() >= this.restUntil) await this.look(signal);
      },
      (error) =>
        logger.warn(
          { event: 'webhook.backlog_unread', err: error },
          'counting pending webhook deliveries failed, will retry',
        ),
    );
    metrics.gauge('postmesh_webhook_deliveries_pending', 'Webhook deliveries that are pending', [], (gauge) =>
      gauge.set(this.pending),
    );
    metrics.gauge(
      'postmesh_webhook_deliveries_oldest_seconds',
      'How long the oldest pending webhook delivery has been wanted',
      [],
      (gauge) => gauge.set(this.oldestSeconds),
    );
    metrics.gauge(
      'postmesh_webhook_deliveries_of_one_account',
      'Pending webhook deliveries of the account with most of them; doctor names it',
      [],
      (gauge) => gauge.set(this.worst?.pending ?? 0),
    );
  }

  async onApplicationBootstrap(): Promise<void> {
    const { signal } = new AbortController();
    await retryTransient(() => this.look(signal), { what: 'backlog of webhooks', logger: this.logger });
    this.looking.every(LOOK_MS);
  }

  async onModuleDestroy(): Promise<void> {
    await this.looking.stop();
  }

  /** Registers a listener that runs after each count. */
  afterLook(listener: (signal: AbortSignal) => Promise<void>): void {
    this.listeners.push(listener);
  }

  get pending(): number {
    return this.accounts.reduce((sum, { pending }) => sum + pending, 0);
  }

  get oldestSeconds(): number {
    const oldest = Math.min(...this.accounts.map(({ oldest_at }) => oldest_at.getTime()));
    return Number.isFinite(oldest) ? Math.max(0, (Date.now() - oldest) / 1_000) : 0;
  }

  get worst(): OfAccount | undefined {
    return this.accounts[0];
  }

  isOver(accountId: string): boolean {
    return this.over.has(accountId);
  }

  overOnes(): string[] {
    return [...this.over];
  }

  /** The number of further deliveries that an account may have until it reaches half of its limit. */
  roomOf(accountId: string): number {
    return this.isOver(accountId) ? 0 : this.most / 2 - (this.byAccount.get(accountId) ?? 0);
  }

  async look(signal: AbortSignal): Promise<void> {
    const begun = performance.now();
    this.accounts = await this.dataSource.query(PENDING);
    this.byAccount = new Map(this.accounts.map(({ account_id, pending }) => [account_id, pending]));
    const over = this.accounts.filter(
      ({ account_id, pending }) =>
        pending >= this.most || (this.over.has(account_id) && pending >= this.most / 2),
    );
    for (const { account_id, pending } of over) {
      if (this.over.has(account_id)) continue;
      this.logger.warn(
        { event: 'webhook.account_over', account_id, pending, most: this.most },
        'account reached its limit of pending webhook deliveries',
      );
    }
    this.over = new Set(over.map(({ account_id }) => account_id));
    const ended = performance.now();
    this.restUntil = ended + (ended - begun) * REST;
    for (const listener of this.listeners) await listener(signal);
  }
}

const PENDING = `select account_id, count(*)::int as pending, min(coalesce(requested_at, due_at)) as oldest_at
  from webhook_deliveries group by account_id order by pending desc, account_id`;
