import { Body, Controller, HttpCode, Injectable, Post } from '@nestjs/common';
import { DataSource } from 'typeorm';
import {
  KeyLookup as KeyLookupRequest,
  KeyUses,
  Principal,
  type AccountFacts,
  type KeyLookupResponse,
  type KnownKey,
  type Rehash,
} from '@postmesh/contracts';
import { Pepper } from '@postmesh/secrets';
import { Internal, rehash } from '@postmesh/service-host';
import { accountState, type StateColumns } from '../account/account-state.rules.js';
import { PEPPERED_API_KEYS } from '../api-keys/api-key.entity.js';
import { internalBody } from '../internal-requests/internal-body.js';

/** A key with its account, and with its account's parent if there is one. */
interface Row extends StateColumns {
  hash: Buffer;
  pepperId: string | null;
  keyId: string | null;
  accountId: string;
  ipAllowList: string[];
  lastUsedAt: Date | null;
  scopes: string[];
  /** what travels in the principal as it is */
  facts: Partial<AccountFacts>;
  monthlyCredit: number;
  rateLimits: KnownKey['rate_limits'];
  parentId: string | null;
  parentMonthlyCredit: number;
  parentSuspendedAt: Date | null;
  parentBlockedAt: Date | null;
  parentDeletedAt: Date | null;
}

/** Finds keys by the hashes of their secrets. */
@Injectable()
export class KeyLookup {
  constructor(
    private readonly dataSource: DataSource,
    private readonly pepper: Pepper,
  ) {}

  /** One statement, so that the revision belongs to exactly these facts (see CacheLeases). */
  async find(hashes: readonly Buffer[]): Promise<KeyLookupResponse> {
    const rows: ({ revision: string } & Row)[] = await this.dataSource.query(LOOKUP, [hashes]);
    return {
      revision: Number(rows[0]?.revision),
      keys: rows.flatMap((row) => (row.keyId === null ? [] : (knownKey(row) ?? []))),
    };
  }

  /** `last_used_at` moves lazily: at most one write per key in five minutes (spec 1-platform §2.1 rule 5). */
  async recordUses(uses: KeyUses['uses']): Promise<void> {
    if (uses.length === 0) return;
    await this.dataSource.query(
      `update api_keys key set last_used_at = used.at
       from (select id, max(at) as at from unnest($1::uuid[], $2::timestamptz[]) as given (id, at)
             group by id order by id) used
       where key.id = used.id
         and (key.last_used_at is null or key.last_used_at <= used.at - interval '5 minutes')`,
      [uses.map((use) => use.key_id), uses.map((use) => use.used_at)],
    );
    await this.rehash(uses.flatMap((use) => use.rehash ?? []));
  }

  /** While POSTMESH_SECRET_KEYS are rolled out, only what is under the key that this service would use itself counts. */
  async rehash(shown: readonly Rehash[]): Promise<void> {
    const { keyId } = this.pepper;
    const fitting = shown.filter(({ pepper_id }) => pepper_id === keyId);
    const secrets = fitting.map(({ from, to }) => ({
      from: Buffer.from(from, 'base64'),
      to: Buffer.from(to, 'base64'),
      keyId,
    }));
    await rehash(this.dataSource, PEPPERED_API_KEYS, secrets);
  }
}

// Sub-accounts use their parent's partner flag (spec 1-platform §10.1). A credit is at most 10^9.
const LOOKUP = `select current.revision, key.secret_hash as hash, key.pepper_id as "pepperId", key.id as "keyId", key.account_id as "accountId",
    key.ip_allow_list as "ipAllowList", key.last_used_at as "lastUsedAt",
    array(select scope from api_key_scopes scope where scope.api_key_id = key.id order by position) as scopes,
    json_build_object('platform_partner', coalesce(parent.platform_partner, account.platform_partner),
      'track_opens', account.track_opens, 'track_clicks', account.track_clicks,
      'reject_bad_recipients', account.reject_bad_recipients,
      'reject_mistyped_recipients', account.reject_mistyped_recipients,
      'message_metadata_retention', account.message_metadata_retention,
      'message_data_retention', account.message_data_retention) as facts,
    account.suspended_at as "suspendedAt", account.blocked_at as "blockedAt", account.deleted_at as "deletedAt",
    account.monthly_credit::int as "monthlyCredit", account.rate_limits as "rateLimits",
    parent.id as "parentId", parent.monthly_credit::int as "parentMonthlyCredit",
    parent.suspended_at as "parentSuspendedAt", parent.blocked_at as "parentBlockedAt",
    parent.deleted_at as "parentDeletedAt"
  from key_revision current
  left join api_keys key on key.secret_hash = any($1::bytea[])
  left join accounts account on account.id = key.account_id
  left join accounts parent on parent.id = account.parent_account_id`;

/** @returns undefined for a key of a deleted account */
function knownKey(row: Row): KnownKey | undefined {
  const parent = {
    suspendedAt: row.parentSuspendedAt,
    blockedAt: row.parentBlockedAt,
    deletedAt: row.parentDeletedAt,
  };
  const state = accountState(row, parent);
  if (state === 'deleted') return undefined;
  // a blocked account sends nothing either, should a principal of it ever be made
  const status = state === 'blocked' ? 'suspended' : state;
  return {
    hash: row.hash.toString('base64'),
    pepper_id: row.pepperId,
    principal: Principal.parse({
      account_id: row.accountId,
      key_id: row.keyId,
      scopes: row.scopes,
      account: { ...row.facts, status, parent_account_id: row.parentId, ...creditOf(row) },
    }),
    ip_allow_list: row.ipAllowList,
    blocked: state === 'blocked',
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
    rate_limits: row.rateLimits,
  };
}

/** A child has a cap of its own; what a top-level account is given, it shares with its children (§10.4 rule 7). */
function creditOf(row: Row): Pick<AccountFacts, 'monthly_credit' | 'credit_pool'> {
  const isChild = row.parentId !== null;
  const shared = isChild ? row.parentMonthlyCredit : row.monthlyCredit;
  const pool = { account_id: row.parentId ?? row.accountId, monthly_credit: shared };
  return {
    monthly_credit: isChild ? row.monthlyCredit : 0,
    credit_pool: shared > 0 ? pool : null,
  };
}

@Controller('internal/keys')
@Internal()
export class KeyLookupController {
  constructor(private readonly keys: KeyLookup) {}

  @Post('lookup')
  @HttpCode(200)
  lookup(@Body(internalBody(KeyLookupRequest)) { hashes }: KeyLookupRequest): Promise<KeyLookupResponse> {
    return this.keys.find(hashes.map((hash) => Buffer.from(hash, 'base64')));
  }

  @Post('used')
  @HttpCode(200)
  async used(@Body(internalBody(KeyUses)) { uses }: KeyUses): Promise<{ message: string }> {
    await this.keys.recordUses(uses);
    return { message: 'uses recorded' };
  }
}
