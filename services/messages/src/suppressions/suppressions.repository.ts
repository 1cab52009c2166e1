import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newId, type AccountId } from '@postmesh/contracts';
import { insertRows, UNNAMED } from '@postmesh/database';
import { Outbox } from '@postmesh/events';
import { pageSql, type PageQuery, type PageRow } from '@postmesh/http';
import {
  suppressionEvents,
  UNSUBSCRIBED,
  type ChangedSuppression,
  type Suppression,
  type SuppressionCause,
} from './suppression.rules.js';
import type { SuppressionFilters } from './suppression.schema.js';

const SELECTED = `id, account_id as "accountId", domain, email, reason, protected, source, created_at as "createdAt",
  expires_at as "expiresAt", message_id as "messageId"`;

/** As returned by the driver. */
type Row = Omit<Suppression, 'revision'> & { revision: string };

const INSERTED = {
  account_id: 'uuid',
  domain: 'text',
  email: 'text',
  id: 'uuid',
  reason: 'text',
  protected: 'bool',
  source: 'text',
  created_at: 'timestamptz',
  expires_at: 'timestamptz',
  message_id: 'uuid',
} as const;

/** The effect on a row that still blocks: it gets the later expiry and the protection, or stays unchanged. */
export type LiveRow = 'extend' | 'keep';

const LIVE = 'suppressions.expires_at > now()';
const stays = (column: string) =>
  `${column} = case when ${LIVE} then suppressions.${column} else excluded.${column} end`;
const REPLACE = `(account_id, domain, email) do update set ${['id', 'reason', 'source', 'created_at'].map(stays).join(', ')},
  protected = excluded.protected or (suppressions.protected and ${LIVE}),
  expires_at = case when ${LIVE} then greatest(suppressions.expires_at, excluded.expires_at) else excluded.expires_at end,
  message_id = coalesce(case when ${LIVE} then suppressions.message_id end, excluded.message_id),
  revision = excluded.revision
  where not (${LIVE})`;
/** A live row is changed by the cause `excluded`. */
const EXTENDS = `excluded.expires_at > suppressions.expires_at or (excluded.protected and not suppressions.protected)`;
const ON_CONFLICT: Record<LiveRow, string> = {
  keep: REPLACE,
  extend: `${REPLACE} or ${EXTENDS}`,
};

/** The effect of a cause on the row of its address and domain, which stays unchanged otherwise. */
export type Effect = 'created' | 'extended';

/** Position of a row in the order of the primary key. */
export interface RowPlace {
  domain: string;
  email: string;
}

export interface WipedPage {
  /** position of the next page; undefined at the end */
  last: RowPlace | undefined;
  /** number of protected rows that still block */
  kept: number;
}

/** Rows of the suppression list. Every change publishes `SuppressionsChanged` in its transaction. */
@Injectable()
export class SuppressionsRepository {
  constructor(private readonly outbox: Outbox) {}

  /**
   * Locks the lists of these accounts until the transaction ends. So revisions and events have the order
   * of the changes, and statements with many rows cannot deadlock. A send only reads and does not wait.
   */
  async lock(tx: EntityManager, accountIds: readonly AccountId[]): Promise<void> {
    await tx.query(
      `select pg_advisory_xact_lock(hashtext('suppressions of an account'), key)
       from (select distinct hashtext(id) as key from unnest($1::text[]) id order by key) locked`,
      [[...new Set(accountIds)]],
    );
  }

  /**
   * @param causes of accounts that are locked in this transaction; each address and domain once
   * @returns the rows that changed; unchanged rows are left out
   */
  async upsert(
    tx: EntityManager,
    causes: readonly SuppressionCause[],
    live: LiveRow,
  ): Promise<ChangedSuppression[]> {
    const given = causes.map((cause) => ({ ...cause, id: newId() }));
    const rows = await insertRows<(typeof given)[number], keyof typeof INSERTED, Row>(
      tx,
      'suppressions',
      INSERTED,
      given,
      { onConflict: ON_CONFLICT[live], returning: `${SELECTED}, revision` },
    );
    const made = new Set(given.map(({ id }) => id));
    const changed = rows.map((row) => withKind(row, made.has(row.id) ? 'created' : 'extended'));
    await this.publish(tx, changed);
    return changed;
  }

  /** The effects that `upsert` would have, with live rows extended. @param causes of one account */
  async effects(
    manager: EntityManager,
    causes: readonly SuppressionCause[],
  ): Promise<(RowPlace & { kind: Effect })[]> {
    return manager.query(EFFECTS, [
      causes[0]?.accountId,
      causes.map(({ domain }) => domain),
      causes.map(({ email }) => email),
      causes.map((cause) => cause.protected),
      causes.map(({ expiresAt }) => expiresAt),
    ]);
  }

  /** Rows that still block, newest first. */
  async page(
    manager: EntityManager,
    accountId: AccountId,
    { domain, email, from, to }: SuppressionFilters,
    page: PageQuery,
  ): Promise<(Suppression & PageRow)[]> {
    const parameters: unknown[] = [accountId];
    const conditions = ['account_id = $1', 'expires_at > now()'];
    const add = (comparison: string, value: unknown) =>
      value === undefined || conditions.push(`${comparison} $${parameters.push(value)}`);
    add('domain =', domain);
    add('email =', email);
    add('created_at >=', from);
    add('created_at <', to);
    const text = `select ${SELECTED}, created_at from suppressions where ${conditions.join(' and ')}`;
    const query = pageSql({ text, parameters }, page);
    return manager.query(query.text, [...query.parameters]);
  }

  /** @returns the number of removed rows of the address, at most `limit`; for one domain or all */
  async removeAddress(
    tx: EntityManager,
    accountId: AccountId,
    { email, domain }: { email: string; domain: string | undefined },
    limit: number,
  ): Promise<number> {
    const [rows]: [Row[], number] = await tx.query(
      `delete from suppressions s using (
         select domain from suppressions where account_id = $1 and email = $2 and ($3::text is null or domain = $3)
           and expires_at > now() limit $4) as found
       where s.account_id = $1 and s.email = $2 and s.domain = found.domain returning ${REMOVED}`,
      [accountId, email, domain ?? null, limit],
    );
    await this.publish(
      tx,
      rows.map((row) => withKind(row, 'removed')),
    );
    return rows.length;
  }

  /**
   * Removes the row that the recipient's unsubscribe has made, and no other one.
   * @param tx has locked the account
   * @returns whether mail may be sent to the address now
   */
  async removeUnsubscribe(
    tx: EntityManager,
    accountId: AccountId,
    { domain, email }: RowPlace,
  ): Promise<boolean> {
    const [rows]: [Row[], number] = await tx.query(
      `delete from suppressions s where s.account_id = $1 and s.domain = $2 and s.email = $3
         and s.reason = $4 and s.source = 'recipient' returning ${REMOVED}`,
      [accountId, domain, email, UNSUBSCRIBED],
    );
    await this.publish(
      tx,
      rows.map((row) => withKind(row, 'removed')),
    );
    const left: unknown[] = await tx.query(
      `select from suppressions where account_id = $1 and domain = $2 and email = $3 and ${LIVE}`,
      [accountId, domain, email],
    );
    return left.length === 0;
  }

  /** Later changes have a revision above the result. */
  async newestRevision(tx: EntityManager): Promise<string> {
    const [row]: { revision: string }[] = await tx.query(
      `select nextval('suppression_revisions') as revision`,
    );
    return row?.revision ?? '0';
  }

  /**
   * Removes unprotected rows among the next `limit` rows in the order of the primary key.
   * @param wipe `until`: rows with a later revision stay; `all`: protected ones are removed too
   */
  async wipePage(
    tx: EntityManager,
    wipe: { accountId: AccountId; domain: string | undefined; until: string; all: boolean },
    after: RowPlace,
    limit: number,
  ): Promise<WipedPage> {
    const { accountId, domain, until, all } = wipe;
    const ofDomain = domain === undefined ? [] : [domain];
    const page: (RowPlace & { goes: boolean; kept: boolean })[] = await tx.query(
      `${UNNAMED} select domain, email, (not protected or $4) as goes, protected and not $4 and expires_at > now() as kept
       from suppressions
       where account_id = $1 and (domain, email) > ($2, $3) and revision <= $5
         ${domain === undefined ? '' : 'and domain = $7'}
       order by domain, email limit $6`,
      [accountId, after.domain, after.email, all, until, limit, ...ofDomain],
    );
    await this.remove(
      tx,
      accountId,
      page.filter(({ goes }) => goes),
    );
    return {
      last: page.length < limit ? undefined : page.at(-1),
      kept: page.filter(({ kept }) => kept).length,
    };
  }

  private async remove(tx: EntityManager, accountId: AccountId, places: readonly RowPlace[]): Promise<void> {
    if (places.length === 0) return;
    const [rows]: [Row[], number] = await tx.query(
      `delete from suppressions s using unnest($2::text[], $3::text[]) as gone(domain, email)
       where s.account_id = $1 and s.domain = gone.domain and s.email = gone.email returning ${REMOVED}`,
      [accountId, places.map(({ domain }) => domain), places.map(({ email }) => email)],
    );
    await this.publish(
      tx,
      rows.map((row) => withKind(row, 'removed')),
    );
  }

  private publish(tx: EntityManager, changes: readonly ChangedSuppression[]): Promise<void> {
    return this.outbox.add(tx, suppressionEvents(changes));
  }
}

const EFFECTS = `
  select excluded.domain, excluded.email, case when suppressions.id is null then 'created' else 'extended' end as kind
  from unnest($2::text[], $3::text[], $4::bool[], $5::timestamptz[]) as excluded(domain, email, protected, expires_at)
    left join suppressions on suppressions.account_id = $1 and suppressions.domain = excluded.domain
      and suppressions.email = excluded.email and ${LIVE}
  where suppressions.id is null or ${EXTENDS}`;

const REMOVED = `s.id, s.account_id as "accountId", s.domain, s.email, s.reason, s.protected, s.source,
  s.created_at as "createdAt", s.expires_at as "expiresAt", nextval('suppression_revisions') as revision`;

const withKind = (row: Row, kind: ChangedSuppression['kind']): ChangedSuppression => ({
  ...row,
  revision: Number(row.revision),
  kind,
});
