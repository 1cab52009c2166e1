import { Body, Controller, HttpCode, Inject, Injectable, Post } from '@nestjs/common';
import { DataSource } from 'typeorm';
import {
  KeyLookup as KeyLookupRequest,
  type KeyLookupResponse,
  type KeyUses,
  type KnownKey,
} from '@postmesh/accounts-contract';
import { Principal, ROLES, type MemberRole } from '@postmesh/contracts';
import { Pepper } from '@postmesh/secrets';
import { Internal, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { FACT_COLUMNS, factJoins, knownAccount, type FactRow } from '../account/account-facts.js';
import { internalBody } from '../internal-requests/internal-body.js';
import { rehashShown } from '../key-lookup/rehash-shown.js';
import { roleSql } from './memberships.js';
import { PEPPERED_SESSIONS, type SignInWay } from './session.entity.js';
import { CONFIRMED_MS, endOf, IDLE_MS, LONGEST_MS, LONGEST_OIDC_MS, LOOK_AGAIN_MS } from './session.rules.js';

/** A session with the member's role and the facts of the account. */
interface Row extends FactRow {
  hash: Buffer;
  pepperId: string;
  sessionId: string | null;
  userId: string;
  way: SignInWay;
  createdAt: Date;
  lastUsedAt: Date;
  role: MemberRole | null;
  confirmedAt: Date | null;
  hasPasskey: boolean;
}

/** Finds sessions by the hashes of their secrets, for the caches of gateways: in the form of keys (KeyLookup). */
@Injectable()
export class SessionLookup {
  constructor(
    private readonly dataSource: DataSource,
    private readonly pepper: Pepper,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** One statement, so that revision and facts are consistent (see CacheLeases). */
  async find(hashes: readonly Buffer[]): Promise<KeyLookupResponse> {
    const rows: ({ revision: string } & Row)[] = await this.dataSource.query(LOOKUP, [
      hashes,
      LONGEST_MS / 1_000,
      IDLE_MS / 1_000,
      LONGEST_OIDC_MS / 1_000,
    ]);
    const hasOidc = this.settings.oidcIssuer !== undefined;
    return {
      revision: Number(rows[0]?.revision),
      keys: rows.flatMap((row) => (row.sessionId === null ? [] : (knownSession(row, hasOidc) ?? []))),
    };
  }

  /** Like uses of keys. A late report gives no further life to a session that has ended. */
  async recordUses(uses: KeyUses['uses']): Promise<void> {
    if (uses.length === 0) return;
    await this.dataSource.query(
      `update sessions session set last_used_at = used.at
       from (select id, max(at) as at from unnest($1::uuid[], $2::timestamptz[]) as given (id, at)
             group by id order by id) used
       where session.id = used.id and session.last_used_at <= used.at - interval '5 minutes'
         and session.last_used_at > used.at - make_interval(secs => $3)`,
      [uses.map((use) => use.key_id), uses.map((use) => use.used_at), IDLE_MS / 1_000],
    );
    const shown = uses.flatMap((use) => use.rehash ?? []);
    await rehashShown(this.dataSource, { column: PEPPERED_SESSIONS, keyId: this.pepper.keyId }, shown);
  }
}

const LOOKUP = `select current.revision, session.secret_hash as hash, session.pepper_id as "pepperId",
    session.id as "sessionId", session.user_id as "userId", session.way, session.created_at as "createdAt",
    session.last_used_at as "lastUsedAt", session.confirmed_at as "confirmedAt",
    exists (select from passkeys where passkeys.user_id = session.user_id) as "hasPasskey", ${roleSql('session.user_id')} as role, ${FACT_COLUMNS}
  from key_revision current
  left join sessions session on session.secret_hash = any($1::bytea[])
    and session.created_at > now() - make_interval(secs => case session.way when 'oidc' then $4::float8 else $2::float8 end)
    and session.last_used_at > now() - make_interval(secs => $3)
  left join members member on member.account_id = session.account_id and member.user_id = session.user_id
  ${factJoins('session.account_id')}`;

/** @returns undefined where the account was deleted, or the user is no member of it any more */
function knownSession(row: Row, hasOidc: boolean): KnownKey | undefined {
  const account = knownAccount(row);
  if (!account || row.role === null) return undefined;
  const confirmedBy = confirmationsOf(row, hasOidc);
  return {
    hash: row.hash.toString('base64'),
    pepper_id: row.pepperId,
    principal: Principal.parse({
      account_id: row.accountId,
      key_id: row.sessionId,
      scopes: [...ROLES[row.role].scopes],
      account: account.facts,
      member: { user_id: row.userId, role: row.role },
    }),
    ip_allow_list: [],
    blocked: account.blocked,
    last_used_at: row.lastUsedAt.toISOString(),
    rate_limits: row.rateLimits,
    ...(confirmedBy.length > 0 && {
      confirmed_until: confirmedUntil(row).toISOString(),
      confirmed_by: confirmedBy,
    }),
    valid_until: new Date(Math.min(endOf(row).getTime(), Date.now() + LOOK_AGAIN_MS)).toISOString(),
  };
}

/** The ways in which the member can confirm a change; none: there is no confirmation. */
const confirmationsOf = ({ hasPasskey, way }: Row, hasOidc: boolean): ('passkey' | 'oidc')[] => [
  ...(hasPasskey ? (['passkey'] as const) : []),
  ...(hasOidc && way === 'oidc' ? (['oidc'] as const) : []),
];

const confirmedUntil = ({ confirmedAt }: Row): Date =>
  new Date(confirmedAt === null ? 0 : confirmedAt.getTime() + CONFIRMED_MS);

@Controller('internal/sessions')
@Internal()
export class SessionLookupController {
  constructor(private readonly sessions: SessionLookup) {}

  @Post('lookup')
  @HttpCode(200)
  lookup(@Body(internalBody(KeyLookupRequest)) { hashes }: KeyLookupRequest): Promise<KeyLookupResponse> {
    return this.sessions.find(hashes.map((hash) => Buffer.from(hash, 'base64')));
  }
}
