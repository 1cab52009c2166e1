import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ApiError } from '@postmesh/contracts';
import { insertRows } from '@postmesh/database';
import { frequencySql, type Frequency } from '../preferences/frequency.js';
import {
  consentAfter,
  detailsDigest,
  NO_CONSENTS,
  textDigest,
  verifyConsents,
  type ConsentLink,
  type SealedConsent,
  type StoredConsent,
} from './consent-chain.rules.js';

/** A consent, or its end, that is about to be recorded. */
export interface NewConsent extends Pick<SealedConsent, 'contactId' | 'listId' | 'action' | 'way'> {
  readonly formId?: string;
  readonly textVersion?: number;
  /** the words that the person agreed to, or answered */
  readonly text: string;
  readonly email: string;
  readonly ip: string;
  readonly at: Date;
}

/** A record with the words and the list as they are known today. */
export interface ShownConsent extends StoredConsent {
  readonly text: string | null;
  readonly listName: string | null;
  readonly status: string | null;
  /** null: the contact is deleted */
  readonly frequency: Frequency | null;
}

const COLUMNS = {
  account_id: 'uuid',
  seq: 'bigint',
  contact_id: 'uuid',
  list_id: 'uuid',
  action: 'text',
  way: 'text',
  form_id: 'uuid',
  text_version: 'int',
  text_digest: 'text',
  at: 'timestamptz',
  details: 'jsonb',
  details_digest: 'text',
  hash: 'bytea',
} as const;

const READ = `r.seq, r.contact_id as "contactId", r.list_id as "listId", r.action, r.way, r.form_id as "formId",
  r.text_version as "textVersion", r.text_digest as "textDigest", r.at, r.details, r.details_digest as "detailsDigest", r.hash`;
const SHOWN = `select ${READ}, t.text, l.name as "listName", m.subscription_status as status,
    case when c.id is not null then ${frequencySql('f')} end as frequency
  from consent_records r left join consent_texts t on t.form_id = r.form_id and t.version = r.text_version
    left join lists l on l.id = r.list_id
    left join contacts c on c.id = r.contact_id left join contact_frequencies f on f.contact_id = c.id
    left join memberships m on m.list_id = r.list_id and m.contact_id = r.contact_id`;

const VERIFIED_AT_ONCE = 5_000;
const SHOWN_AT_ONCE = 1_000;
const MOST_OF_CONTACT = 200;

/**
 * Adds to the chain of an account, in the transaction of the changes. It locks the end of the chain, so it comes last in its
 * transaction.
 */
export async function recordConsents(
  tx: EntityManager,
  accountId: string,
  consents: readonly NewConsent[],
): Promise<void> {
  if (consents.length === 0) return;
  await tx.query(
    'insert into consent_chains (account_id, seq, hash) values ($1, 0, $2) on conflict do nothing',
    [accountId, NO_CONSENTS.hash],
  );
  const [end]: { seq: string; hash: Buffer }[] = await tx.query(
    'select seq, hash from consent_chains where account_id = $1 for update',
    [accountId],
  );
  if (!end) throw new Error('the chain of consents is missing');
  let last: ConsentLink = { seq: Number(end.seq), hash: end.hash };
  const rows = consents.map((consent) => {
    const { email, ip, text, formId = null, textVersion = null } = consent;
    const details = { email, ip, salt: randomBytes(16).toString('hex') };
    const sealed = {
      ...{ ...consent, formId, textVersion },
      textDigest: textDigest(text),
      detailsDigest: detailsDigest(details),
    };
    last = consentAfter(last, sealed);
    return { ...sealed, ...last, details, accountId };
  });
  await insertRows(tx, 'consent_records', COLUMNS, rows);
  await tx.query('update consent_chains set seq = $2, hash = $3 where account_id = $1', [
    accountId,
    last.seq,
    last.hash,
  ]);
}

/** For a contact that is deleted: the records stay as links of the chain, and say nothing of the person. */
export async function forgetConsents(
  tx: EntityManager,
  { id, accountId, email }: { id: string; accountId: string; email: string },
): Promise<void> {
  await tx.query('update consent_records set details = null where contact_id = $1', [id]);
  await tx.query('delete from sign_ups where account_id = $1 and email = $2', [accountId, email]);
}

/** The chain of consents of an account. */
@Injectable()
export class ConsentRecords {
  constructor(private readonly dataSource: DataSource) {}

  /** Newest first. @throws ApiError 404 */
  async ofContact(accountId: string, contactId: string): Promise<ShownConsent[]> {
    const known: unknown[] = await this.dataSource.query(
      'select from contacts where id = $1 and account_id = $2',
      [contactId, accountId],
    );
    if (known.length === 0) throw new ApiError(404, 'contact not found');
    return this.shown(
      `${SHOWN} where r.account_id = $1 and r.contact_id = $2 order by r.seq desc limit ${MOST_OF_CONTACT}`,
      [accountId, contactId],
    );
  }

  /** In the order of the chain. @param after the number of the last record of the page before */
  page(accountId: string, after: number): Promise<ShownConsent[]> {
    return this.shown(
      `${SHOWN} where r.account_id = $1 and r.seq > $2 order by r.seq limit ${SHOWN_AT_ONCE}`,
      [accountId, after],
    );
  }

  /** @param after a record that was verified before. @returns how far the chain is whole, and whether that is its end */
  async verify(accountId: string, after: number) {
    return this.dataSource.transaction('REPEATABLE READ', async (tx) => {
      const [end] = await this.links(tx, 'select seq, hash from consent_chains where account_id = $1', [
        accountId,
      ]);
      const begin = await this.beginAt(tx, accountId, after);
      const rows: StoredConsent[] = await tx.query(
        `select ${READ} from consent_records r where account_id = $1 and seq > $2 order by seq limit ${VERIFIED_AT_ONCE}`,
        [accountId, after],
      );
      const { last, problem } = verifyConsents(begin, rows.map(numbered));
      const hasMore = rows.length === VERIFIED_AT_ONCE;
      const isShort = !hasMore && end !== undefined && !(end.seq === last.seq && end.hash.equals(last.hash));
      return {
        last: last.seq,
        hash: last.hash.toString('hex'),
        hasMore: hasMore && problem === null,
        problem:
          problem ?? (isShort ? `the chain ends at record ${end.seq}, and is whole until ${last.seq}` : null),
      };
    });
  }

  private async beginAt(tx: EntityManager, accountId: string, after: number): Promise<ConsentLink> {
    if (after === 0) return NO_CONSENTS;
    const [found] = await this.links(
      tx,
      'select seq, hash from consent_records where account_id = $1 and seq = $2',
      [accountId, after],
    );
    if (!found) throw new ApiError(400, 'after is not the number of a record');
    return found;
  }

  private async links(tx: EntityManager, sql: string, parameters: unknown[]): Promise<ConsentLink[]> {
    const rows: { seq: string; hash: Buffer }[] = await tx.query(sql, parameters);
    return rows.map(numbered);
  }

  private async shown(sql: string, parameters: unknown[]): Promise<ShownConsent[]> {
    const rows: ShownConsent[] = await this.dataSource.query(sql, parameters);
    return rows.map(numbered);
  }
}

/** A bigint comes as text. */
const numbered = <R extends { seq: string | number }>(row: R): R & { seq: number } => ({
  ...row,
  seq: Number(row.seq),
});
