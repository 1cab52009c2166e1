import type { EntityManager } from 'typeorm';
import { insertRows } from '@postmesh/database';
import { addCounts } from './campaign-counts.js';
import type { ForgottenMessage, LockedMessages, LockedRecipient } from './lock-recipients.js';
import { byMessage } from './recipient-outcomes.rules.js';
import { countsOf, foldFetches, type Fetch, type TrackedChange } from './tracked-recipients.rules.js';

/** Opens and clicks of messages of campaigns (spec 3-marketing §7.6). */
export async function recordFetches(
  tx: EntityManager,
  { recipients, forgotten }: LockedMessages,
  fetches: readonly Fetch[],
): Promise<void> {
  if (fetches.length === 0) return;
  const byId = byMessage(fetches);
  await keepFetches(tx, recipients, byId);
  const changes = foldFetches(recipients, byId);
  const ofForgotten = foldFetches(forgotten, byId);
  await updateRecipients(tx, changes);
  await updateForgotten(tx, ofForgotten);
  await addCounts(tx, [...changes, ...ofForgotten].map(countsOf));
}

type Kept = readonly [recipient: LockedRecipient, fetch: Fetch];

const COLUMNS = {
  id: ['uuid', ([, { id }]: Kept) => id],
  campaign_id: ['uuid', ([{ campaignId }]: Kept) => campaignId],
  contact_id: ['uuid', ([{ contactId }]: Kept) => contactId],
  kind: ['text', ([, { kind }]: Kept) => kind],
  url: ['text', ([, { url }]: Kept) => url],
  ip: ['text', ([, { ip }]: Kept) => ip],
  user_agent: ['text', ([, { userAgent }]: Kept) => userAgent],
  is_bot: ['bool', ([, { isBot }]: Kept) => isBot],
  created_at: ['timestamptz', ([, { createdAt }]: Kept) => createdAt],
} as const;

/** Records fetches, also those of bots, but none of deleted contacts. */
async function keepFetches(
  tx: EntityManager,
  recipients: readonly LockedRecipient[],
  fetches: ReadonlyMap<string, Fetch[]>,
): Promise<void> {
  const kept = recipients.flatMap((recipient) =>
    (fetches.get(recipient.messageId) ?? []).map((fetch): Kept => [recipient, fetch]),
  );
  await insertRows(tx, 'campaign_fetches', COLUMNS, kept, { onConflict: 'do nothing' });
}

const UPDATE = `
  update campaign_recipients r set open_count = r.open_count + given.opens, click_count = r.click_count + given.clicks,
    opened_at = least(r.opened_at, given.opened_at), clicked_at = least(r.clicked_at, given.clicked_at)
  from unnest($1::uuid[], $2::int[], $3::int[], $4::int[], $5::timestamptz[], $6::timestamptz[])
    as given(campaign_id, position, opens, clicks, opened_at, clicked_at)
  where r.campaign_id = given.campaign_id and r.position = given.position`;

async function updateRecipients(
  tx: EntityManager,
  changes: readonly TrackedChange<LockedRecipient>[],
): Promise<void> {
  if (changes.length === 0) return;
  await tx.query(UPDATE, [
    changes.map(({ recipient }) => recipient.campaignId),
    changes.map(({ recipient }) => recipient.position),
    changes.map(({ opens }) => opens),
    changes.map(({ clicks }) => clicks),
    changes.map(({ openedAt }) => openedAt),
    changes.map(({ clickedAt }) => clickedAt),
  ]);
}

async function updateForgotten(
  tx: EntityManager,
  changes: readonly TrackedChange<ForgottenMessage>[],
): Promise<void> {
  if (changes.length === 0) return;
  await tx.query(
    `update campaign_forgotten_messages f set opened = f.opened or given.opened, clicked = f.clicked or given.clicked
     from unnest($1::uuid[], $2::bool[], $3::bool[]) as given(message_id, opened, clicked)
     where f.message_id = given.message_id`,
    [
      changes.map(({ recipient }) => recipient.messageId),
      changes.map(({ opens }) => opens > 0),
      changes.map(({ clicks }) => clicks > 0),
    ],
  );
}
