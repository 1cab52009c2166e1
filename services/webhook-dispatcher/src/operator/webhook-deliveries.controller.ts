import { Controller, Get } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiErrors } from '@postmesh/contracts';
import { Internal, uuidParam } from '@postmesh/service-host';

const MAX_HOSTS = 100;
const MAX_WAITING = 100;

/** The pending webhook deliveries, the reason and end of their waits (architecture §1.3), and their attempts. */
@Internal()
@Controller('operator')
export class WebhookDeliveriesController {
  constructor(private readonly dataSource: DataSource) {}

  @Get('queue')
  async queue(): Promise<object> {
    const [totals] = await this.dataSource.query(
      `select count(*)::int as deliveries, count(*) filter (where state = 'leased')::int as in_flight,
         count(*) filter (where state <> 'leased' and due_at <= now())::int as due,
         min(due_at) filter (where state <> 'leased') as next_due_at from webhook_deliveries`,
    );
    const hosts = await this.dataSource.query(
      `select host, count(*)::int as deliveries, min(due_at) filter (where state <> 'leased') as next_due_at
       from webhook_deliveries group by host order by count(*) desc, host limit ${MAX_HOSTS}`,
    );
    const waiting = await this.dataSource.query(
      `select id as delivery_id, coalesce(target, 'webhook') as target, webhook_id as endpoint_id, event_type, host, state,
         attempts, due_at, reason
       from webhook_deliveries order by due_at, id limit ${MAX_WAITING}`,
    );
    return { ...totals, hosts, waiting };
  }

  /** One delivery, `waiting: null` after its end, with its attempts. Bodies are not shown. */
  @Get('deliveries/:delivery_id')
  async delivery(@uuidParam('delivery_id') id: string): Promise<object> {
    const [waiting] = await this.dataSource.query(
      `select id as delivery_id, account_id, coalesce(target, 'webhook') as target, webhook_id as endpoint_id, event_type,
         host, state, attempts, due_at, reason, webhook_message_id, replay_of
       from webhook_deliveries where id = $1`,
      [id],
    );
    const [ended] = await this.dataSource.query(
      `select account_id, target, endpoint_id, event_type, host, outcome, attempts, requested_at, ended_at,
         webhook_message_id, replay_of, body is not null or route is not null as can_be_replayed
       from ended_deliveries where id = $1`,
      [id],
    );
    const attempts: unknown[] = await this.dataSource.query(ATTEMPTS, [id]);
    if (!waiting && !ended && attempts.length === 0) throw ApiErrors.notFound('webhook delivery');
    return { delivery_id: id, waiting: waiting ?? null, ended: ended ?? null, attempts };
  }
}

// `attempts` contains the rows of the previous release.
const ATTEMPTS = `
  select attempt, target, endpoint_id, event_type, host, started_at, duration_ms, outcome, status, redirects, reason, response
  from webhook_attempts where delivery_id = $1
  union all
  select attempt, 'webhook', webhook_id, event_type, host, started_at, duration_ms, outcome, status, 0, reason, null
  from attempts where delivery_id = $1
  order by attempt`;
