import type { DataSource, EntityManager } from 'typeorm';
import { insertRows } from '@postmesh/database';

/** The origin of a change of the flag: the account by the API, an import, or the recipient on the page of an unsubscribe link. */
export type UnsubscribeSource = 'account' | 'import' | 'recipient';

/** One change of a contact's `unsubscribed`. */
export interface ContactUnsubscribe {
  contactId: string;
  unsubscribed: boolean;
  source: UnsubscribeSource;
  /** the campaign whose link was used */
  campaignId?: string | null;
  createdAt: Date;
}

const COLUMNS = {
  contact_id: 'uuid',
  unsubscribed: 'bool',
  source: 'text',
  campaign_id: ['uuid', ({ campaignId }: ContactUnsubscribe) => campaignId ?? null],
  created_at: 'timestamptz',
} as const;

/** In the transaction of the changes: a resubscription does not erase earlier records (spec 3-marketing §1.3). */
export async function recordUnsubscribes(
  tx: EntityManager,
  flips: readonly ContactUnsubscribe[],
): Promise<void> {
  await insertRows(tx, 'contact_unsubscribes', COLUMNS, flips);
}

const MAX_SHOWN = 1_000;

/** Newest first. */
export function readUnsubscribes(
  database: Pick<DataSource | EntityManager, 'query'>,
  contactId: string,
): Promise<
  { unsubscribed: boolean; source: UnsubscribeSource; campaign_id: string | null; created_at: Date }[]
> {
  return database.query(
    `select unsubscribed, source, campaign_id, created_at from contact_unsubscribes
     where contact_id = $1 order by id desc limit ${MAX_SHOWN}`,
    [contactId],
  );
}
