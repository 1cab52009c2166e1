import type { EntityManager } from 'typeorm';
import type { RecipientStatus } from './recipient-outcomes.rules.js';

/** The recipient of a message with a new event. */
export interface LockedRecipient {
  readonly messageId: string;
  readonly campaignId: string;
  readonly position: number;
  readonly contactId: string;
  readonly listIds: string[];
  readonly status: RecipientStatus;
  readonly opened: boolean;
  readonly clicked: boolean;
  readonly unsubscribed: boolean;
  readonly complained: boolean;
}

/** The remaining data of a recipient whose contact was deleted: events of its message still count (spec 3-marketing §1.5 C5). */
export type ForgottenMessage = Omit<LockedRecipient, 'position' | 'contactId' | 'listIds' | 'unsubscribed'>;

export interface LockedMessages {
  readonly recipients: LockedRecipient[];
  readonly forgotten: ForgottenMessage[];
}

const LOCK_RECIPIENTS = `
  select message_id as "messageId", campaign_id as "campaignId", position, contact_id as "contactId",
    list_ids as "listIds", status, opened_at is not null as opened, clicked_at is not null as clicked,
    unsubscribed_at is not null as unsubscribed, complained_at is not null as complained
  from campaign_recipients where message_id = any($1::uuid[])
  order by campaign_id, position for no key update`;

const LOCK_FORGOTTEN = `
  select message_id as "messageId", campaign_id as "campaignId", status, opened, clicked, complained
  from campaign_forgotten_messages where message_id = any($1::uuid[])
  order by message_id for no key update`;

/**
 * Locks recipients of messages until the transaction ends, in the same order everywhere. Contacts are locked before
 * their recipients, as in the deletion of a contact.
 */
export async function lockMessages(tx: EntityManager, messageIds: Iterable<string>): Promise<LockedMessages> {
  const ids = new Set(messageIds);
  const recipients: LockedRecipient[] = await tx.query(LOCK_RECIPIENTS, [[...ids]]);
  for (const { messageId } of recipients) ids.delete(messageId);
  // after the recipients: a recipient whose contact is being deleted has moved there by now
  const forgotten: ForgottenMessage[] = ids.size > 0 ? await tx.query(LOCK_FORGOTTEN, [[...ids]]) : [];
  return { recipients, forgotten };
}

/**
 * @param strength `update` for changes of contacts, `share` for changes of their memberships (ADR 53)
 */
export async function lockContactsOf(
  tx: EntityManager,
  messageIds: readonly string[],
  strength: 'update' | 'share',
): Promise<void> {
  if (messageIds.length === 0) return;
  await tx.query(
    `select from contacts
     where id in (select contact_id from campaign_recipients where message_id = any($1::uuid[]))
     order by id for ${strength}`,
    [messageIds],
  );
}
