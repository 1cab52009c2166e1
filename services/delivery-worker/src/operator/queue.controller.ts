import { Controller, Get } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Internal } from '@postmesh/service-host';

const MOST_DESTINATIONS = 100;
const MOST_WAITING = 100;

/** What waits, why and until when (architecture §1.3). */
@Internal()
@Controller('operator/queue')
export class QueueController {
  constructor(private readonly dataSource: DataSource) {}

  @Get()
  async queue(): Promise<object> {
    const [totals] = await this.dataSource.query(
      `select count(*)::int as deliveries, count(*) filter (where state = 'leased')::int as under_way,
         count(*) filter (where state = 'waiting' and due_at <= now())::int as due,
         min(due_at) filter (where state = 'waiting') as next_due_at from deliveries`,
    );
    const destinations = await this.dataSource.query(
      `select destination, count(*)::int as deliveries, min(due_at) filter (where state = 'waiting') as next_due_at
       from deliveries group by destination order by count(*) desc, destination limit ${MOST_DESTINATIONS}`,
    );
    const waiting = await this.dataSource.query(
      `select id as message_id, destination, state, attempt, due_at, reason from deliveries
       order by due_at, id limit ${MOST_WAITING}`,
    );
    return { ...totals, destinations, waiting };
  }
}
