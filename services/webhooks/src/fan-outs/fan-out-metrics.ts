import { Injectable } from '@nestjs/common';
import { Metrics } from '@postmesh/observability';
import { DataSource } from 'typeorm';

const COUNT_AT_MOST = 100_000;
// Accounts come and go: only those with the most calls are named.
const TOP = 10;
const MOST_ACCOUNTS = 10_000;
const MINUTE_MS = 60_000;

/** What waits to be told, and whose calls the turns go to. */
@Injectable()
export class FanOutMetrics {
  private thisMinute = new Map<string, number>();
  private lastMinute = new Map<string, number>();
  private begun = performance.now();

  constructor(
    metrics: Metrics,
    private readonly dataSource: DataSource,
  ) {
    metrics.gauge(
      'postmesh_webhook_fan_outs_waiting',
      `Events that wait to be told to webhooks piece by piece, up to ${COUNT_AT_MOST}`,
      [],
      async (gauge) => gauge.set((await this.waiting()).count),
    );
    metrics.gauge(
      'postmesh_webhook_fan_outs_oldest_seconds',
      'How long the oldest of them has waited',
      [],
      async (gauge) => gauge.set((await this.waiting()).oldest),
    );
    metrics.gauge(
      'postmesh_webhook_fan_out_calls',
      'Calls planned piece by piece in the last whole minute, of the accounts with most of them',
      ['account_id'],
      (gauge) => {
        gauge.reset();
        for (const [account_id, calls] of this.top()) gauge.set({ account_id }, calls);
      },
    );
  }

  planned(accountId: string, calls: number): void {
    this.turnMinute();
    if (this.thisMinute.size >= MOST_ACCOUNTS && !this.thisMinute.has(accountId)) return;
    this.thisMinute.set(accountId, (this.thisMinute.get(accountId) ?? 0) + calls);
  }

  private top(): [string, number][] {
    this.turnMinute();
    return [...this.lastMinute].sort(([, a], [, b]) => b - a).slice(0, TOP);
  }

  private turnMinute(): void {
    const age = performance.now() - this.begun;
    if (age < MINUTE_MS) return;
    this.lastMinute = age < 2 * MINUTE_MS ? this.thisMinute : new Map();
    this.thisMinute = new Map();
    this.begun = performance.now();
  }

  private async waiting(): Promise<{ count: number; oldest: number }> {
    const [row]: { count: number; oldest: number }[] = await this.dataSource.query(
      `select (select count(*)::int from (select from fan_outs limit ${COUNT_AT_MOST}) as bounded) as count,
         coalesce((select extract(epoch from now() - matched_at)::float8 from fan_outs order by id limit 1), 0) as oldest`,
    );
    return row ?? { count: 0, oldest: 0 };
  }
}
