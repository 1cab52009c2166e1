import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiErrors, timeOfId, type AccountId } from '@postmesh/contracts';
import { pageSql, toPage, type Page, type PageQuery, type PageRow, type Sql } from '@postmesh/http';

const MAX_TRIES = 100;
const MAX_OF_MESSAGE = 100;

export interface DeliveryRow {
  id: string;
  created_at: Date;
  endpoint_id: string;
  target: 'webhook' | 'route';
  event_type: string;
  webhook_message_id: string;
  state: 'succeeded' | 'dropped' | 'stopped' | 'set-aside' | 'missed' | 'waiting' | 'in_flight';
  attempts: number;
  status: number | null;
  reason: string | null;
  next_attempt_at: Date | null;
  replay_of: string | null;
  recovered_at: Date | null;
  can_be_replayed: boolean;
}

export interface WholeDelivery extends DeliveryRow {
  body: string | null;
  /** JSON */
  route: string | null;
}

export interface AttemptRow {
  attempt: number;
  started_at: Date;
  duration_ms: number;
  outcome: 'succeeded' | 'retried' | 'dropped' | 'unknown';
  status: number | null;
  redirects: number;
  reason: string | null;
  response: string | null;
}

export interface OfEndpoint {
  accountId: AccountId;
  endpointId: string;
}

/** The deliveries of one webhook or route, as long as they are kept. */
@Injectable()
export class EndpointDeliveries {
  constructor(private readonly dataSource: DataSource) {}

  /** Newest first. */
  async page(
    { accountId, endpointId }: OfEndpoint,
    state: 'ended' | 'failed' | 'waiting',
    page: PageQuery,
  ): Promise<Page<DeliveryRow>> {
    const { text, parameters } = pageSql(deliveriesOf(endpointId, accountId, state), page);
    const rows: (DeliveryRow & PageRow)[] = await this.dataSource.query(text, [...parameters]);
    const last = await this.lastAttempts(rows);
    return toPage(rows, page, (row) => ({ ...row, ...last.get(row.id) }));
  }

  /** Those for one message, of all endpoints: oldest first, up to a hundred. A message of another account has none. */
  async ofMessage(accountId: AccountId, messageId: string): Promise<DeliveryRow[]> {
    // no call ends before its message exists: partitions of earlier days are not read
    const since = new Date(timeOfId(messageId));
    const rows: DeliveryRow[] = await this.dataSource.query(OF_MESSAGE, [messageId, accountId, since]);
    const last = await this.lastAttempts(rows);
    return rows.map((row) => ({ ...row, ...last.get(row.id) }));
  }

  /** @throws ApiError 404 */
  async one({ accountId, endpointId }: OfEndpoint, id: string): Promise<[WholeDelivery, AttemptRow[]]> {
    const ids = [id, endpointId, accountId];
    const [waiting]: WholeDelivery[] = await this.dataSource.query(
      `select ${WAITING}, body, route from webhook_deliveries where id = $1 and webhook_id = $2 and account_id = $3`,
      ids,
    );
    const [ended]: WholeDelivery[] = waiting
      ? []
      : await this.dataSource.query(
          `select ${ENDED}, body, route from ended_deliveries where id = $1 and endpoint_id = $2 and account_id = $3
           order by ended_at desc limit 1`,
          ids,
        );
    const row = waiting ?? ended;
    if (!row) throw ApiErrors.notFound('webhook delivery');
    const tries: AttemptRow[] = await this.dataSource.query(TRIES, [id]);
    const last = tries.at(-1);
    return [{ ...row, status: last?.status ?? null, reason: row.reason ?? last?.reason ?? null }, tries];
  }

  private async lastAttempts(
    rows: readonly DeliveryRow[],
  ): Promise<Map<string, Pick<DeliveryRow, 'status' | 'reason'>>> {
    const tried = rows.filter(({ attempts }) => attempts > 0).map(({ id }) => id);
    if (tried.length === 0) return new Map();
    const found: (Pick<DeliveryRow, 'status' | 'reason'> & { id: string })[] = await this.dataSource.query(
      LAST,
      [tried],
    );
    return new Map(found.map(({ id, ...rest }) => [id, rest]));
  }
}

const WAITING = `id, coalesce(requested_at, due_at) as created_at, webhook_id as endpoint_id,
  coalesce(target, 'webhook') as target, event_type, webhook_message_id,
  case state when 'leased' then 'in_flight' else 'waiting' end as state, attempts, null::int as status, reason,
  due_at as next_attempt_at, replay_of, null::timestamptz as recovered_at, false as can_be_replayed`;
const ENDED = `id, ended_at as created_at, endpoint_id, target, event_type, webhook_message_id, outcome as state, attempts,
  null::int as status, null::text as reason, null::timestamptz as next_attempt_at, replay_of, recovered_at,
  body is not null or route is not null as can_be_replayed`;

const OF_MESSAGE = `select * from (
    select ${WAITING} from webhook_deliveries where message_id = $1 and account_id = $2
    union all
    select ${ENDED} from ended_deliveries where message_id = $1 and account_id = $2 and ended_at >= $3) as calls
  order by created_at, id limit ${MAX_OF_MESSAGE}`;

/** For the tests of its plan, too. */
export function deliveriesOf(
  endpointId: string,
  accountId: string,
  state: 'ended' | 'failed' | 'waiting',
): Sql {
  const parameters = [endpointId, accountId];
  if (state === 'waiting')
    return {
      text: `select ${WAITING} from webhook_deliveries where webhook_id = $1 and account_id = $2`,
      parameters,
    };
  const failed = state === 'failed' ? ` and outcome <> 'succeeded'` : '';
  return {
    text: `select ${ENDED} from ended_deliveries where endpoint_id = $1 and account_id = $2${failed}`,
    parameters,
  };
}

const LAST = `select distinct on (delivery_id) delivery_id as id, status, reason from webhook_attempts
  where delivery_id = any($1::uuid[]) order by delivery_id, started_at desc`;
const TRIES = `select * from (
    select attempt, started_at, duration_ms, outcome, status, redirects, reason, response from webhook_attempts
    where delivery_id = $1 order by started_at desc limit ${MAX_TRIES}) as latest order by started_at`;
