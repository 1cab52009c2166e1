import { Controller, Get } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Internal } from '@postmesh/service-host';

const MOST_DESTINATIONS = 100;
const MOST_WAITING = 100;
const MOST_ACCOUNTS = 100;

/** What waits, why and until when (architecture §1.3); what is held waits for its account, until its own end. */
@Internal()
@Controller('operator/queue')
export class QueueController {
  constructor(private readonly dataSource: DataSource) {}

  @Get()
  async queue(): Promise<object> {
    const [totals] = await this.dataSource.query(
      `select count(*)::int as deliveries, count(*) filter (where state = 'leased')::int as under_way,
         count(*) filter (where state = 'waiting' and due_at <= now())::int as due,
         count(*) filter (where state = 'held')::int as held,
         min(due_at) filter (where state = 'waiting') as next_due_at from deliveries`,
    );
    const destinations = await this.dataSource.query(
      `select destination, count(*)::int as deliveries, min(due_at) filter (where state = 'waiting') as next_due_at
       from deliveries group by destination order by count(*) desc, destination limit ${MOST_DESTINATIONS}`,
    );
    const held = await this.dataSource.query(
      `select held_for as account_id, reason, count(*)::int as deliveries, min(held_until) as next_end_at
       from deliveries where state = 'held' group by held_for, reason
       order by count(*) desc, held_for limit ${MOST_ACCOUNTS}`,
    );
    const waiting = await this.dataSource.query(
      `select id as message_id, destination, state, attempt, due_at, held_until, reason from deliveries
       order by state = 'held', due_at, id limit ${MOST_WAITING}`,
    );
    return { ...totals, destinations, held_accounts: held, waiting };
  }
}
