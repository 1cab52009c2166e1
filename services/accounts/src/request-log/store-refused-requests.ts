import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { RefusedRequest, RefusedRequests } from '@postmesh/accounts-contract';
import { insertRows } from '@postmesh/database';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { dayRoom } from './day-room.rules.js';

interface Day {
  accountId: string;
  stored: number;
  passed: number;
}

type Row = RefusedRequest & { accountId: string };

const COLUMNS = {
  id: 'uuid',
  account_id: 'uuid',
  created_at: ['timestamptz', ({ at }: Row) => at],
  protocol: 'text',
  key_id: ['uuid', ({ key_id }: Row) => key_id],
  method: 'text',
  operation: 'text',
  path: 'text',
  status: 'smallint',
  message: 'text',
  request_id: ['text', ({ request_id }: Row) => request_id],
  client_ip: ['text', ({ client_ip }: Row) => client_ip],
  user_agent: ['text', ({ user_agent }: Row) => user_agent],
  duration_ms: ['integer', ({ duration_ms }: Row) => duration_ms],
} as const;

/** Stores what gateways report, up to the bound of each account and day; further requests are counted. */
@Injectable()
export class StoreRefusedRequests {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'requestLogDays' | 'requestLogPerDay'>,
  ) {}

  async execute({ accounts }: RefusedRequests): Promise<void> {
    const { requestLogDays, requestLogPerDay: perDay } = this.settings;
    const accountIds = Object.keys(accounts);
    if (requestLogDays === 0 || accountIds.length === 0) return;
    await this.dataSource.transaction(async (tx) => {
      const days = await lockDays(tx, accountIds);
      const parts = days.map((day) => {
        const { requests, left_out: leftOut } = accounts[day.accountId] ?? { requests: [], left_out: 0 };
        const room = dayRoom({ ...day, perDay });
        const rows = requests
          .slice(0, room)
          .map((request): Row => ({ ...request, accountId: day.accountId }));
        return { ...day, rows, leftOut: leftOut + requests.length - rows.length };
      });
      const rows = parts.flatMap((part) => part.rows);
      // a report is repeated when its response was lost
      const stored = await insertRows<Row, keyof typeof COLUMNS, { accountId: string }>(
        tx,
        'refused_requests',
        COLUMNS,
        rows,
        { onConflict: 'do nothing', returning: 'account_id as "accountId"' },
      );
      await addToDays(
        tx,
        parts.map(({ accountId, leftOut }) => ({
          accountId,
          leftOut,
          stored: stored.filter((row) => row.accountId === accountId).length,
        })),
      );
    });
  }
}

const TODAY = `(now() at time zone 'utc')::date`;

/** The days of these accounts, which no other transaction changes meanwhile. In one order: none waits for another twice. */
function lockDays(tx: EntityManager, accountIds: readonly string[]): Promise<Day[]> {
  return tx.query(
    `insert into refused_request_days (account_id, day)
     select id, ${TODAY} from unnest($1::uuid[]) as id order by id
     on conflict (account_id, day) do update set stored = refused_request_days.stored
     returning account_id as "accountId", stored,
       (extract(epoch from (now() at time zone 'utc')::time) / 86400)::float8 as passed`,
    [accountIds],
  );
}

async function addToDays(
  tx: EntityManager,
  added: readonly { accountId: string; stored: number; leftOut: number }[],
): Promise<void> {
  await tx.query(
    `update refused_request_days day set stored = day.stored + added.stored, left_out = day.left_out + added.left_out
     from unnest($1::uuid[], $2::int[], $3::bigint[]) as added (account_id, stored, left_out)
     where day.account_id = added.account_id and day.day = ${TODAY}`,
    [
      added.map(({ accountId }) => accountId),
      added.map(({ stored }) => stored),
      added.map(({ leftOut }) => leftOut),
    ],
  );
}
