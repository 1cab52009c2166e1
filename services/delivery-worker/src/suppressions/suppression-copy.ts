import { Injectable } from '@nestjs/common';
import type { DataSource, EntityManager } from 'typeorm';
import { changedRows, insertRows } from '@postmesh/database';
import { newestOfEach, type SuppressionFact } from './suppression-copy.rules.js';

/**
 * SQL: whether the recipient of a `claimed` delivery is suppressed now. The subquery finds at most one row, so the
 * planner has no better plan than one probe of the primary key per claimed row. Rows of the release before have no
 * domain of their own.
 */
export const IS_SUPPRESSED = `(
    select s.suppressed_until > now() from suppressions s
    where s.account_id = claimed.account_id and s.recipient = claimed.recipient
      and s.domain = coalesce(claimed.domain,
        case when claimed.facts::json ->> 'sandbox' is null then claimed.facts::json ->> 'domain' end))`;

/** In place of the sending domain of a sandbox send, which is not looked up: no suppression has it. */
export const NOT_LOOKED_UP = '';

const COLUMNS = {
  account_id: 'uuid',
  domain: 'text',
  recipient: 'text',
  suppressed_until: 'timestamptz',
  revision: 'bigint',
} as const;

// A duplicate, or a fact older than the stored one, changes nothing.
const NEWEST_WINS = `(account_id, domain, recipient) do update
  set suppressed_until = excluded.suppressed_until, revision = excluded.revision, learnt_at = now()
  where suppressions.revision < excluded.revision`;

/** The position of a row in the order of account, domain and recipient. */
export type Place = Pick<SuppressionFact, 'accountId' | 'domain' | 'recipient'>;

export const BEFORE_ALL: Place = {
  accountId: '00000000-0000-0000-0000-000000000000',
  domain: '',
  recipient: '',
};
export const AFTER_ALL: Place = { ...BEFORE_ALL, accountId: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

/** A range of the order, of which the listed rows are complete. */
export interface Stretch {
  /** behind this place … */
  readonly after: Place;
  /** … up to this one */
  readonly upTo: Place;
  /** database time; changes since then may be newer than the list */
  readonly askedAt: Date;
}

/** The copy of the suppression lists of all accounts (spec 1-platform §14.3 rule 1). */
@Injectable()
export class SuppressionCopy {
  /** @returns how many rows were new or changed */
  async learn(manager: EntityManager, facts: readonly SuppressionFact[]): Promise<number> {
    const changed = await insertRows(manager, 'suppressions', COLUMNS, newestOfEach(facts), {
      onConflict: NEWEST_WINS,
      returning: '1',
    });
    return changed.length;
  }

  /** Removes rows in the range that are not listed: their removal had no event. @returns how many */
  async removeUnlisted(
    manager: EntityManager,
    { after, upTo, askedAt }: Stretch,
    listed: readonly Place[],
  ): Promise<number> {
    return changedRows(manager, REMOVE_UNLISTED, [
      ...[after.accountId, after.domain, after.recipient, upTo.accountId, upTo.domain, upTo.recipient],
      askedAt,
      listed.map(({ accountId }) => accountId),
      listed.map(({ domain }) => domain),
      listed.map(({ recipient }) => recipient),
    ]);
  }

  /** @returns when all lists were last read from their service; null: never */
  async readAt(dataSource: DataSource): Promise<Date | null> {
    const rows: { read_at: Date }[] = await dataSource.query('select read_at from suppression_copy');
    return rows[0]?.read_at ?? null;
  }

  async wasRead(dataSource: DataSource, at: Date): Promise<void> {
    await dataSource.query(
      `insert into suppression_copy (read_at) values ($1) on conflict (only_row) do update
       set read_at = excluded.read_at where suppression_copy.read_at < excluded.read_at`,
      [at],
    );
  }
}

const REMOVE_UNLISTED = `
  delete from suppressions s
  where (s.account_id, s.domain, s.recipient) > ($1::uuid, $2::text, $3::text)
    and (s.account_id, s.domain, s.recipient) <= ($4::uuid, $5::text, $6::text)
    and s.learnt_at < $7 and s.suppressed_until > now()
    and not exists (
      select from unnest($8::uuid[], $9::text[], $10::text[]) as listed(account_id, domain, recipient)
      where listed.account_id = s.account_id and listed.domain = s.domain and listed.recipient = s.recipient)`;
