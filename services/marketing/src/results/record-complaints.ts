import type { EntityManager } from 'typeorm';
import type { MessageChangedEvent } from '@postmesh/messages-contract';
import { addCounts } from './campaign-counts.js';
import type { ForgottenMessage, LockedMessages, LockedRecipient } from './lock-recipients.js';

/** A complaint, with when it was reported. */
type Complaint<R extends ForgottenMessage> = readonly [recipient: R, at: string];

/** @returns when each message was reported first, by its id */
export const complaintsOf = (events: readonly MessageChangedEvent[]): ReadonlyMap<string, string> =>
  new Map(
    events
      .filter(({ data }) => data.change === 'complained')
      .toReversed()
      .map(({ data }) => [data.message_id, data.changed_at]),
  );

/**
 * A spam report freezes all memberships that brought the message to its reader (spec 3-marketing §7.5).
 * @param times of complaints, by message; the contacts of these messages are locked
 */
export async function recordComplaints(
  tx: EntityManager,
  { recipients, forgotten }: LockedMessages,
  times: ReadonlyMap<string, string>,
): Promise<void> {
  if (times.size === 0) return;
  const first = complaints(recipients, times);
  const ofForgotten = complaints(forgotten, times);
  await updateRecipients(tx, first);
  await freezeMemberships(tx, first);
  await updateForgotten(tx, ofForgotten);
  await addCounts(
    tx,
    [...first, ...ofForgotten].map(([{ campaignId }]) => ({ campaignId, complained: 1 })),
  );
}

/** Each recipient complains once. */
const complaints = <R extends ForgottenMessage>(
  recipients: readonly R[],
  times: ReadonlyMap<string, string>,
): Complaint<R>[] =>
  recipients.flatMap((recipient): Complaint<R>[] => {
    const at = times.get(recipient.messageId);
    return at === undefined || recipient.complained ? [] : [[recipient, at]];
  });

async function updateRecipients(
  tx: EntityManager,
  complained: readonly Complaint<LockedRecipient>[],
): Promise<void> {
  if (complained.length === 0) return;
  await tx.query(
    `update campaign_recipients r set complained_at = given.at
     from unnest($1::uuid[], $2::int[], $3::timestamptz[]) as given(campaign_id, position, at)
     where r.campaign_id = given.campaign_id and r.position = given.position`,
    [
      complained.map(([{ campaignId }]) => campaignId),
      complained.map(([{ position }]) => position),
      complained.map(([, at]) => at),
    ],
  );
}

/** Also on lists that are deleted. @param complained with their contacts locked */
async function freezeMemberships(
  tx: EntityManager,
  complained: readonly Complaint<LockedRecipient>[],
): Promise<void> {
  const rows = complained.flatMap(([{ contactId, listIds }, at]) =>
    listIds.map((listId) => ({ listId, contactId, at })),
  );
  if (rows.length === 0) return;
  await tx.query(
    `update memberships m set subscription_status = 'complained', unsubscribed_at = given.at, updated_at = now()
     from (select list_id, contact_id, min(at) as at from unnest($1::uuid[], $2::uuid[], $3::timestamptz[])
       as one(list_id, contact_id, at) group by list_id, contact_id) as given
     where m.list_id = given.list_id and m.contact_id = given.contact_id and m.subscription_status <> 'complained'`,
    [rows.map(({ listId }) => listId), rows.map(({ contactId }) => contactId), rows.map(({ at }) => at)],
  );
}

async function updateForgotten(
  tx: EntityManager,
  complained: readonly Complaint<ForgottenMessage>[],
): Promise<void> {
  if (complained.length === 0) return;
  await tx.query(
    'update campaign_forgotten_messages set complained = true where message_id = any($1::uuid[])',
    [complained.map(([{ messageId }]) => messageId)],
  );
}
