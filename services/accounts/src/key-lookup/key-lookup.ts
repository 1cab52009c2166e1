import { Body, Controller, HttpCode, Injectable, Post } from '@nestjs/common';
import { DataSource } from 'typeorm';
import {
  KeyLookup as KeyLookupRequest,
  KeyUses,
  type KeyLookupResponse,
  type KnownKey,
  type Rehash,
} from '@postmesh/accounts-contract';
import { Principal } from '@postmesh/contracts';
import { Pepper } from '@postmesh/secrets';
import { Internal } from '@postmesh/service-host';
import { FACT_COLUMNS, factJoins, knownAccount, type FactRow } from '../account/account-facts.js';
import { PEPPERED_API_KEYS } from '../api-keys/api-key.entity.js';
import { internalBody } from '../internal-requests/internal-body.js';
import { SessionLookup } from '../sessions/session-lookup.js';
import { rehashShown } from './rehash-shown.js';

/** A key with the facts of its account. */
export interface KeyRow extends FactRow {
  keyId: string | null;
  ipAllowList: string[];
  lastUsedAt: Date | null;
  scopes: string[];
}

interface Row extends KeyRow {
  hash: Buffer;
  pepperId: string | null;
}

/** Finds keys by the hashes of their secrets. */
@Injectable()
export class KeyLookup {
  constructor(
    private readonly dataSource: DataSource,
    private readonly pepper: Pepper,
  ) {}

  /** One statement, so that revision and facts are consistent (see CacheLeases). */
  async find(hashes: readonly Buffer[]): Promise<KeyLookupResponse> {
    const rows: ({ revision: string } & Row)[] = await this.dataSource.query(LOOKUP, [hashes]);
    return {
      revision: Number(rows[0]?.revision),
      keys: rows.flatMap((row) => {
        const key = row.keyId === null ? undefined : knownKey(row, row.hash.toString('base64'));
        return key ? [{ ...key, pepper_id: row.pepperId }] : [];
      }),
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

  rehash(shown: readonly Rehash[]): Promise<void> {
    return rehashShown(this.dataSource, { column: PEPPERED_API_KEYS, keyId: this.pepper.keyId }, shown);
  }
}

const LOOKUP = `select current.revision, key.secret_hash as hash, key.pepper_id as "pepperId", key.id as "keyId",
    key.ip_allow_list as "ipAllowList", key.last_used_at as "lastUsedAt",
    array(select scope from api_key_scopes scope where scope.api_key_id = key.id order by position) as scopes,
    ${FACT_COLUMNS}
  from key_revision current
  left join api_keys key on key.secret_hash = any($1::bytea[])
  ${factJoins('key.account_id')}`;

/**
 * @param hash what it was found by
 * @returns undefined for a key of a deleted account
 */
export function knownKey(row: KeyRow, hash: string): KnownKey | undefined {
  const account = knownAccount(row);
  if (!account) return undefined;
  return {
    hash,
    principal: Principal.parse({
      account_id: row.accountId,
      key_id: row.keyId,
      scopes: row.scopes,
      account: account.facts,
    }),
    ip_allow_list: row.ipAllowList,
    blocked: account.blocked,
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
    rate_limits: row.rateLimits,
  };
}

@Controller('internal/keys')
@Internal()
export class KeyLookupController {
  constructor(
    private readonly keys: KeyLookup,
    private readonly sessions: SessionLookup,
  ) {}

  @Post('lookup')
  @HttpCode(200)
  lookup(@Body(internalBody(KeyLookupRequest)) { hashes }: KeyLookupRequest): Promise<KeyLookupResponse> {
    return this.keys.find(hashes.map((hash) => Buffer.from(hash, 'base64')));
  }

  @Post('used')
  @HttpCode(200)
  async used(@Body(internalBody(KeyUses)) { uses }: KeyUses): Promise<{ message: string }> {
    await this.keys.recordUses(uses.filter(({ session }) => !session));
    await this.sessions.recordUses(uses.filter(({ session }) => session));
    return { message: 'uses recorded' };
  }
}
