import { Controller, Get, Inject, Query } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { EndpointStandings, type EndpointStanding } from '@postmesh/webhooks-contract';
import { InternalClient } from '@postmesh/http';
import type { Logger } from '@postmesh/observability';
import { Internal, LOGGER, query, uuidParam } from '@postmesh/service-host';

const MAX_ENDPOINTS = 100;
const MAX_ATTEMPTS = 100;
// The count stops here: a response in seconds matters more than an exact number of millions.
const MAX_COUNTED = 200_000;

const Filter = z.object({ account_id: z.uuid().optional(), troubled: z.enum(['true', 'false']).optional() });
const AttemptFilter = z.object({ failed: z.enum(['true', 'false']).optional() });

interface CalledEndpoint {
  endpoint_id: string;
  [column: string]: unknown;
}

/**
 * The state of webhooks and routes: calls in flight and pending deliveries of this service, and from the webhooks service
 * whether they are failing or disabled, as text, with the commands that resolve it.
 */
@Internal()
@Controller('operator/endpoints')
export class EndpointsController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly client: InternalClient,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Disabled and failing endpoints first, then those with the most pending deliveries. */
  @Get()
  async list(@Query(query(Filter)) { account_id, troubled }: z.infer<typeof Filter>): Promise<object> {
    const standings = await this.standings({ account_id });
    const called: CalledEndpoint[] = await this.dataSource.query(
      `${ENDPOINTS} where ($1::uuid is null or account_id = $1)
       order by endpoint_id = any($2::uuid[]) desc, deliveries desc, endpoint_id limit ${MAX_ENDPOINTS}`,
      [account_id ?? null, standings.map(({ endpoint_id }) => endpoint_id)],
    );
    const byId = new Map(called.map((endpoint) => [endpoint.endpoint_id, endpoint]));
    const first = standings.map((standing) => merged(byId.get(standing.endpoint_id), standing));
    const inTrouble = new Set(standings.map(({ endpoint_id }) => endpoint_id));
    const others = called
      .filter(({ endpoint_id }) => !inTrouble.has(endpoint_id))
      .map((endpoint) => ({ ...endpoint, state: 'enabled' }));
    return { endpoints: [...first, ...(troubled === 'true' ? [] : others)].slice(0, MAX_ENDPOINTS) };
  }

  /** One endpoint, with its last attempts. */
  @Get(':endpoint_id')
  async one(
    @uuidParam('endpoint_id') id: string,
    @Query(query(AttemptFilter)) { failed }: z.infer<typeof AttemptFilter>,
  ): Promise<object> {
    const [standing] = await this.standings({ endpoint_id: id });
    const [called]: CalledEndpoint[] = await this.dataSource.query(`${ENDPOINTS} where endpoint_id = $1`, [
      id,
    ]);
    const attempts = await this.dataSource.query(
      `select delivery_id, attempt, event_type, host, started_at, duration_ms, outcome, status, redirects, reason, response
       from webhook_attempts where endpoint_id = $1 and ($2::bool is not true or outcome <> 'succeeded')
       order by started_at desc limit ${MAX_ATTEMPTS}`,
      [id, failed === undefined ? null : failed === 'true'],
    );
    return { endpoint_id: id, ...merged(called, standing), attempts };
  }

  /** Empty while the webhooks service is unavailable: the data of this service is shown all the same. */
  private async standings(filter: { account_id?: string | undefined; endpoint_id?: string }) {
    const request = { method: 'POST' as const, path: '/internal/endpoint-standings', body: filter };
    try {
      const found = await this.client.request('webhooks', request, EndpointStandings);
      return found?.endpoints ?? [];
    } catch (error) {
      this.logger.warn(
        { event: 'webhook.standings_unknown', err: error },
        'reading endpoint states failed, list is shown without them',
      );
      return [];
    }
  }
}

const NOT_CALLED = { deliveries: 0, in_flight: 0, failures: 0 };

const merged = (called: CalledEndpoint | undefined, standing: EndpointStanding | undefined): object => ({
  ...NOT_CALLED,
  ...called,
  ...standing,
});

const ENDPOINTS = `
  with pending as (
    select webhook_id as endpoint_id, max(target) as target, (array_agg(account_id))[1] as account_id, max(host) as host,
      count(*)::int as deliveries, count(*) filter (where state = 'leased')::int as in_flight,
      min(due_at) filter (where state <> 'leased') as next_due_at, min(coalesce(requested_at, due_at)) as oldest_at
    from (select * from webhook_deliveries limit ${MAX_COUNTED}) as counted group by webhook_id),
  endpoints as (
    select endpoint_id, coalesce(s.target, p.target, 'webhook') as target, coalesce(s.account_id, p.account_id) as account_id,
      coalesce(p.host, s.host) as host, coalesce(p.deliveries, 0) as deliveries, coalesce(p.in_flight, 0) as in_flight,
      p.oldest_at, greatest(p.next_due_at, s.next_call_at) as next_call_at, coalesce(s.failures, 0) as failures,
      s.failing_since, s.last_failure_at, s.last_failure
    from pending p full join endpoint_states s using (endpoint_id))
  select * from endpoints`;
