import { Injectable } from '@nestjs/common';
import { Metrics, TopAccounts } from '@postmesh/observability';
import { DataSource } from 'typeorm';

const COUNT_AT_MOST = 100_000;

interface Waiting {
  count: number;
  oldest: number;
}

/** The waiting fan-outs, and the calls of turns per account. */
@Injectable()
export class FanOutMetrics {
  private readonly ofAccounts: TopAccounts;

  constructor(
    metrics: Metrics,
    private readonly dataSource: DataSource,
  ) {
    metrics.asked(
      () => this.waiting(),
      [
        {
          name: 'postmesh_webhook_fan_outs_waiting',
          help: `Events that wait to be published to webhooks in pieces, up to ${COUNT_AT_MOST}`,
          read: ({ count }) => count,
        },
        {
          name: 'postmesh_webhook_fan_outs_oldest_seconds',
          help: 'How long the oldest of them has waited',
          read: ({ oldest }) => oldest,
        },
      ],
    );
    this.ofAccounts = new TopAccounts(metrics, {
      name: 'postmesh_webhook_fan_out_calls',
      help: 'Calls planned piece by piece in the last minute, of the accounts with most of them',
    });
  }

  planned(accountId: string, calls: number): void {
    this.ofAccounts.count(accountId, '', calls);
  }

  private async waiting(): Promise<Waiting> {
    const [row] = await this.dataSource.query<Waiting[]>(
      `select (select count(*)::int from (select from fan_outs limit ${COUNT_AT_MOST}) as bounded) as count,
         coalesce((select extract(epoch from now() - matched_at)::float8 from fan_outs order by id limit 1), 0) as oldest`,
    );
    return row ?? { count: 0, oldest: 0 };
  }
}
