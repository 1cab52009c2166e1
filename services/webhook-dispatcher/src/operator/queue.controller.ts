import { Controller, Get } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Internal } from '@postmesh/service-host';

const MOST_HOSTS = 100;
const MOST_WAITING = 100;

/** Which calls are owed, why they wait and until when (architecture §1.3). */
@Internal()
@Controller('operator/queue')
export class QueueController {
  constructor(private readonly dataSource: DataSource) {}

  @Get()
  async queue(): Promise<object> {
    const [totals] = await this.dataSource.query(
      `select count(*)::int as calls, count(*) filter (where leased_until >= now())::int as under_way,
         count(*) filter (where due_at <= now() and (leased_until is null or leased_until < now()))::int as due,
         min(due_at) as next_due_at from owed_calls`,
    );
    const hosts = await this.dataSource.query(
      `select host, count(*)::int as calls, min(due_at) as next_due_at from owed_calls
       group by host order by count(*) desc limit ${MOST_HOSTS}`,
    );
    const waiting = await this.dataSource.query(
      `select id as call_id, webhook_id, event_type, host, attempts, due_at, reason from owed_calls
       order by due_at limit ${MOST_WAITING}`,
    );
    return { ...totals, hosts, waiting };
  }
}
