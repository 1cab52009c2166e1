import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Principal, type KeyLookupResponse, type KnownKey } from '@postmesh/contracts';
import { accountState } from '../account/account-state.rules.js';

interface Row {
  hash: Buffer;
  key_id: string;
  account_id: string;
  ip_allow_list: string[];
  last_used_at: Date | null;
  scopes: string[];
  platform_partner: boolean;
  track_opens: boolean;
  track_clicks: boolean;
  reject_bad_recipients: boolean;
  reject_mistyped_recipients: boolean;
  message_metadata_retention: number;
  message_data_retention: number;
  suspended_at: Date | null;
  blocked_at: Date | null;
  deleted_at: Date | null;
  parent_id: string | null;
  /** bigint */
  monthly_credit: string;
  parent_monthly_credit: string | null;
  rate_limits: KnownKey['rate_limits'];
  parent_suspended_at: Date | null;
  parent_blocked_at: Date | null;
  parent_deleted_at: Date | null;
}

/** Finds keys by the hashes of their secrets. */
@Injectable()
export class KeyLookup {
  constructor(private readonly dataSource: DataSource) {}

  /** One statement, so that the revision belongs to exactly these facts (see CacheLeases). */
  async find(hashes: readonly Buffer[]): Promise<KeyLookupResponse> {
    const rows: ({ revision: string } & Row)[] = await this.dataSource.query(LOOKUP, [hashes]);
    return {
      revision: Number(rows[0]?.revision),
      keys: rows.flatMap((row) => (row.key_id === null ? [] : (knownKey(row) ?? []))),
    };
  }
}

// Sub-accounts use their parent's partner flag (spec 1-platform §10.1).
const LOOKUP = `select current.revision, key.secret_hash as hash, key.id as key_id, key.account_id,
    key.ip_allow_list, key.last_used_at,
    array(select scope from api_key_scopes scope where scope.api_key_id = key.id order by position) as scopes,
    coalesce(parent.platform_partner, account.platform_partner) as platform_partner,
    account.track_opens, account.track_clicks, account.reject_bad_recipients,
    account.reject_mistyped_recipients, account.message_metadata_retention, account.message_data_retention,
    account.suspended_at, account.blocked_at, account.deleted_at, account.monthly_credit, account.rate_limits,
    parent.id as parent_id, parent.monthly_credit as parent_monthly_credit,
    parent.suspended_at as parent_suspended_at, parent.blocked_at as parent_blocked_at,
    parent.deleted_at as parent_deleted_at
  from key_revision current
  left join api_keys key on key.secret_hash = any($1::bytea[])
  left join accounts account on account.id = key.account_id
  left join accounts parent on parent.id = account.parent_account_id`;

/** @returns undefined for a key of a deleted account */
function knownKey(row: Row): KnownKey | undefined {
  const state = accountState(
    { suspendedAt: row.suspended_at, blockedAt: row.blocked_at, deletedAt: row.deleted_at },
    row.parent_id !== null
      ? {
          suspendedAt: row.parent_suspended_at,
          blockedAt: row.parent_blocked_at,
          deletedAt: row.parent_deleted_at,
        }
      : undefined,
  );
  if (state === 'deleted') return undefined;
  return {
    hash: row.hash.toString('base64'),
    // a blocked account sends nothing either, should a principal of it ever be made
    principal: principalOf(row, state === 'blocked' ? 'suspended' : state),
    ip_allow_list: row.ip_allow_list,
    blocked: state === 'blocked',
    last_used_at: row.last_used_at?.toISOString() ?? null,
    rate_limits: row.rate_limits,
  };
}

function principalOf(row: Row, status: Principal['account']['status']): Principal {
  return Principal.parse({
    account_id: row.account_id,
    key_id: row.key_id,
    scopes: row.scopes,
    account: {
      status,
      platform_partner: row.platform_partner,
      track_opens: row.track_opens,
      track_clicks: row.track_clicks,
      reject_bad_recipients: row.reject_bad_recipients,
      reject_mistyped_recipients: row.reject_mistyped_recipients,
      message_metadata_retention: row.message_metadata_retention,
      message_data_retention: row.message_data_retention,
      parent_account_id: row.parent_id,
      ...creditOf(row),
    },
  });
}

/** A child has a cap of its own; what a top-level account is given, it shares with its children (§10.4 rule 7). */
function creditOf(row: Row): Pick<Principal['account'], 'monthly_credit' | 'credit_pool'> {
  const shared = Number(row.parent_id === null ? row.monthly_credit : row.parent_monthly_credit);
  const pool = { account_id: row.parent_id ?? row.account_id, monthly_credit: shared };
  return {
    monthly_credit: row.parent_id === null ? 0 : Number(row.monthly_credit),
    credit_pool: shared > 0 ? pool : null,
  };
}
