import { Controller, Get } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Internal } from '@postmesh/service-host';

const MAX_DESTINATIONS = 100;
const MAX_WAITING = 100;
const MAX_ACCOUNTS = 100;

/** What waits, why and until when (architecture §1.3); what is suspended waits for its account, until its own end. */
@Internal()
@Controller('operator/queue')
export class QueueController {
  constructor(private readonly dataSource: DataSource) {}

  @Get()
  async queue(): Promise<object> {
    const [totals] = await this.dataSource.query(
      `select count(*)::int as deliveries, count(*) filter (where state = 'leased')::int as in_flight,
         count(*) filter (where state in ('ready', 'waiting') and due_at <= now())::int as due,
         count(*) filter (where state = 'suspended')::int as suspended,
         min(due_at) filter (where state in ('ready', 'waiting')) as next_due_at from deliveries where state <> 'canceled'`,
    );
    const destinations = await this.dataSource.query(
      `select destination, count(*)::int as deliveries, min(due_at) filter (where state in ('ready', 'waiting')) as next_due_at
       from deliveries where state <> 'canceled' group by destination order by count(*) desc, destination limit ${MAX_DESTINATIONS}`,
    );
    const suspended = await this.dataSource.query(
      `select account_id, reason, count(*)::int as deliveries, min(suspended_until) as next_end_at
       from deliveries where state = 'suspended' group by account_id, reason
       order by count(*) desc, account_id limit ${MAX_ACCOUNTS}`,
    );
    const waiting = await this.dataSource.query(
      `select id as message_id, destination, state, attempts, due_at, suspended_until, reason from deliveries
       where state <> 'canceled' order by state = 'suspended', due_at, id limit ${MAX_WAITING}`,
    );
    return { ...totals, destinations, suspended_accounts: suspended, waiting };
  }
}
