import { Controller, Get, Query } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { Internal, query, uuidParam } from '@postmesh/service-host';
import { OPENS_AFTER } from '../endpoints/endpoint-state.rules.js';

const MAX_ENDPOINTS = 100;
const MAX_ATTEMPTS = 100;
// More rows are not looked at: an answer in seconds is worth more than an exact number of millions.
const MAX_COUNTED = 200_000;

const Filter = z.object({ account_id: z.uuid().optional(), open: z.enum(['true', 'false']).optional() });
const AttemptFilter = z.object({ failed: z.enum(['true', 'false']).optional() });

/** Webhooks and routes as they are called: what is in flight, what waits, since when one is open, and why. */
@Internal()
@Controller('operator/endpoints')
export class EndpointsController {
  constructor(private readonly dataSource: DataSource) {}

  /** Those that are open first, then those behind which most waits. */
  @Get()
  async list(@Query(query(Filter)) { account_id, open }: z.infer<typeof Filter>): Promise<object> {
    const endpoints = await this.dataSource.query(
      `${ENDPOINTS} where ($1::uuid is null or account_id = $1)
         and ($2::bool is null or (opened_at is not null) = $2)
       order by (opened_at is null), deliveries desc, endpoint_id limit ${MAX_ENDPOINTS}`,
      [account_id ?? null, open === undefined ? null : open === 'true'],
    );
    return { opens_after: OPENS_AFTER, endpoints };
  }

  /** One of them, with its last attempts. */
  @Get(':endpoint_id')
  async one(
    @uuidParam('endpoint_id') id: string,
    @Query(query(AttemptFilter)) { failed }: z.infer<typeof AttemptFilter>,
  ): Promise<object> {
    const [endpoint] = await this.dataSource.query(`${ENDPOINTS} where endpoint_id = $1`, [id]);
    const attempts = await this.dataSource.query(
      `select delivery_id, attempt, event_type, host, started_at, duration_ms, outcome, status, redirects, reason, response
       from webhook_attempts where endpoint_id = $1 and ($2::bool is not true or outcome <> 'succeeded')
       order by started_at desc limit ${MAX_ATTEMPTS}`,
      [id, failed === undefined ? null : failed === 'true'],
    );
    return { ...(endpoint ?? { endpoint_id: id, state: 'closed', deliveries: 0, in_flight: 0 }), attempts };
  }
}

const ENDPOINTS = `
  with pending as (
    select webhook_id as endpoint_id, max(target) as target, (array_agg(account_id))[1] as account_id, max(host) as host,
      count(*)::int as deliveries, count(*) filter (where state = 'leased')::int as in_flight,
      min(due_at) filter (where state <> 'leased') as next_due_at, min(coalesce(requested_at, due_at)) as oldest_at
    from (select * from webhook_deliveries limit ${MAX_COUNTED}) as counted group by webhook_id),
  endpoints as (
    select endpoint_id, coalesce(s.target, p.target, 'webhook') as target, coalesce(s.account_id, p.account_id) as account_id,
      coalesce(p.host, s.host) as host, case when s.opened_at is null then 'closed' else 'open' end as state,
      coalesce(p.deliveries, 0) as deliveries, coalesce(p.in_flight, 0) as in_flight, p.oldest_at, p.next_due_at,
      coalesce(s.unanswered, 0) as unanswered, s.opened_at, s.last_failure_at, s.last_failure
    from pending p full join endpoint_states s using (endpoint_id))
  select * from endpoints`;
