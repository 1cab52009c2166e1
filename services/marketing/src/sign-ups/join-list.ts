import type { EntityManager } from 'typeorm';
import { recordUnsubscribes } from '../contacts/contact-unsubscribes.js';

/**
 * A contact joins a list by its own decision. The contact is locked by this transaction.
 * @returns false for a membership that ended by a complaint, which is frozen
 */
export async function joinList(
  tx: EntityManager,
  accountId: string,
  { contactId, listId }: { contactId: string; listId: string },
): Promise<boolean> {
  await tx.query(
    `insert into memberships as m (list_id, contact_id, account_id, subscription_status, subscribed_at, created_at, updated_at)
     values ($1, $2, $3, 'confirmed', now(), now(), now())
     on conflict (list_id, contact_id) do update set subscription_status = 'confirmed', subscribed_at = now(),
       unsubscribed_at = null, updated_at = now()
     where m.subscription_status in ('unconfirmed', 'unsubscribed')`,
    [listId, contactId, accountId],
  );
  const [after]: { status: string }[] = await tx.query(
    'select subscription_status as status from memberships where list_id = $1 and contact_id = $2',
    [listId, contactId],
  );
  return after?.status === 'confirmed';
}

/**
 * A person who had stopped all marketing mail and joins some lists gets the mail of these alone: the flag is cleared, and the
 * other lists, which it held back, are left.
 */
export async function resubscribe(
  tx: EntityManager,
  contactId: string,
  listIds: readonly string[],
): Promise<void> {
  await tx.query(
    `update memberships set subscription_status = 'unsubscribed', unsubscribed_at = now(), updated_at = now()
     where contact_id = $1 and list_id <> all($2::uuid[]) and subscription_status = 'confirmed'`,
    [contactId, listIds],
  );
  const createdAt = new Date();
  await tx.query(
    'update contacts set unsubscribed = false, unsubscribed_at = null, updated_at = $2 where id = $1',
    [contactId, createdAt],
  );
  await recordUnsubscribes(tx, [{ contactId, unsubscribed: false, source: 'recipient', createdAt }]);
}
