import { Controller, Get, Inject } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Internal, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { WebhookQueue } from '../queue/webhook-queue.js';
import { DeliveryBacklog } from './delivery-backlog.js';

// A delivery that is due for longer is reported, since a customer waits for its event.
const MAX_LATE_S = 300;

/** The webhook backlog as readable checks; `npx postmesh doctor` shows them. */
@Internal()
@Controller('operator/checks')
export class BacklogController {
  private readonly most: number;

  constructor(
    private readonly dataSource: DataSource,
    private readonly backlog: DeliveryBacklog,
    private readonly webhooks: WebhookQueue,
    @Inject(SETTINGS) { webhookPending }: Settings,
  ) {
    this.most = webhookPending;
  }

  @Get()
  async checks(): Promise<object> {
    return { checks: [await this.late(), await this.ofOneAccount()] };
  }

  private async late(): Promise<object> {
    const { pending, oldestSeconds } = this.backlog;
    const late = await this.webhooks.lateSeconds();
    const detail = `${pending} deliveries pending, the oldest for ${minutes(oldestSeconds)}; due for ${minutes(late)} at most`;
    return { check: 'webhooks keep up', ok: late <= MAX_LATE_S, detail };
  }

  private async ofOneAccount(): Promise<object> {
    const { worst } = this.backlog;
    const over = this.backlog.overOnes();
    const rows: { endpoints: number }[] = await this.dataSource.query(
      'select count(*)::int as endpoints from set_aside_endpoints',
    );
    const endpoints = rows[0]?.endpoints ?? 0;
    const most = worst ? `account ${worst.account_id} has ${worst.pending}` : 'none is pending';
    const aside = endpoints === 0 ? '' : `; ${endpoints} webhooks have some that were set aside`;
    return {
      check: 'no account has too many webhook deliveries pending',
      ok: over.length === 0,
      detail: `${most}, ${this.most} are the most${aside}`,
    };
  }
}

const minutes = (seconds: number): string => `${Math.round(seconds / 60)} min`;
