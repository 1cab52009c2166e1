import { Controller, Get, Query } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiErrors, Uuid, type AccountStatesPage } from '@postmesh/contracts';
import { Internal } from '@postmesh/service-host';
import { accountState } from './account-state.rules.js';

const PAGE = 1_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

interface Row {
  id: string;
  parent_account_id: string | null;
  revision: number;
  suspended_at: Date | null;
  blocked_at: Date | null;
  deleted_at: Date | null;
  parent_suspended_at: Date | null;
  parent_blocked_at: Date | null;
  parent_deleted_at: Date | null;
}

// Mail is scheduled up to 7 days ahead and tried for one: what is deleted longer has nothing unsent.
const NOT_ACTIVE = `select account.id, account.parent_account_id, account.revision,
    account.suspended_at, account.blocked_at, account.deleted_at, parent.suspended_at as parent_suspended_at,
    parent.blocked_at as parent_blocked_at, parent.deleted_at as parent_deleted_at
  from accounts account left join accounts parent on parent.id = account.parent_account_id
  where account.id > $1
    and coalesce(account.suspended_at, account.blocked_at, parent.suspended_at, parent.blocked_at,
      account.deleted_at) is not null
    and (account.deleted_at is null or account.deleted_at > now() - interval '9 days')
  order by account.id limit ${PAGE}`;

/** Tells services that begin which accounts may not send; afterwards they hear of changes by events. */
@Internal()
@Controller('internal/account-states')
export class AccountStatesController {
  constructor(private readonly dataSource: DataSource) {}

  @Get()
  async list(@Query('after') after: string | undefined): Promise<AccountStatesPage> {
    const rows: Row[] = await this.dataSource.query(NOT_ACTIVE, [readAfter(after)]);
    return {
      accounts: rows.map((row) => ({
        account_id: row.id,
        parent_account_id: row.parent_account_id,
        state: stateOf(row),
        revision: row.revision,
      })),
      next: rows.length === PAGE ? (rows.at(-1)?.id ?? null) : null,
    };
  }
}

/** @throws ApiError 400 */
function readAfter(after: string | undefined): string {
  if (after === undefined) return FIRST_ID;
  const parsed = Uuid.safeParse(after);
  if (!parsed.success) throw ApiErrors.invalidParameter('after');
  return parsed.data;
}

const stateOf = (row: Row) =>
  accountState(
    { suspendedAt: row.suspended_at, blockedAt: row.blocked_at, deletedAt: row.deleted_at },
    {
      suspendedAt: row.parent_suspended_at,
      blockedAt: row.parent_blocked_at,
      deletedAt: row.parent_deleted_at,
    },
  );
