import type { EntityManager } from 'typeorm';
import { addCounts, type CountDelta } from './campaign-counts.js';
import type { ForgottenMessage, LockedMessages, LockedRecipient } from './lock-recipients.js';
import {
  byMessage,
  OPEN_WHEN_FORGOTTEN,
  settle,
  type RecipientChange,
  type RecipientOutcome,
  type RecipientStatus,
} from './recipient-outcomes.rules.js';

type Settled<R> = readonly [recipient: R, change: RecipientChange];

/**
 * Records outcomes of campaign messages: the status of their recipients, the counters, and invalid contacts.
 * @param outcomes in order; a repeated one changes nothing. The contacts of hard ones are locked
 * @returns whether a message had its first outcome, which frees a place in the window
 */
export async function recordOutcomes(
  tx: EntityManager,
  { recipients, forgotten }: LockedMessages,
  outcomes: readonly RecipientOutcome[],
): Promise<boolean> {
  if (outcomes.length === 0) return false;
  const outcomesById = byMessage(outcomes);
  const settled = settleAll(recipients, outcomesById);
  const ofForgotten = settleAll(forgotten, outcomesById, OPEN_WHEN_FORGOTTEN).filter(([, change]) =>
    isMove(change),
  );
  await updateRecipients(tx, settled);
  await updateForgotten(tx, ofForgotten);
  await addCounts(tx, [...settled, ...ofForgotten].flatMap(countsOf));
  await invalidate(
    tx,
    settled.filter(([, { hard }]) => hard).map(([{ contactId }]) => contactId),
  );
  return [...settled, ...ofForgotten].some(([, { before }]) => before === 'queued');
}

const settleAll = <R extends ForgottenMessage>(
  recipients: readonly R[],
  outcomesById: ReadonlyMap<string, RecipientOutcome[]>,
  open?: readonly RecipientStatus[],
): Settled<R>[] =>
  recipients.flatMap((one): Settled<R>[] => {
    const outcomes = outcomesById.get(one.messageId);
    return outcomes ? [[one, settle(one.status, outcomes, open)]] : [];
  });

const isMove = ({ before, status }: RecipientChange): boolean => before !== status;

const countsOf = ([{ campaignId }, change]: Settled<ForgottenMessage>): CountDelta[] =>
  isMove(change)
    ? [
        { campaignId, [change.before]: -1 },
        { campaignId, [change.status]: 1 },
      ]
    : [];

// A recipient with an unchanged status keeps its reason.
const UPDATE = `
  update campaign_recipients r set status = given.status,
    status_reason = case when given.moved then given.reason else r.status_reason end,
    sent_at = coalesce(r.sent_at, given.sent_at), delivered_at = coalesce(r.delivered_at, given.delivered_at)
  from unnest($1::uuid[], $2::int[], $3::text[], $4::bool[], $5::text[], $6::timestamptz[], $7::timestamptz[])
    as given(campaign_id, position, status, moved, reason, sent_at, delivered_at)
  where r.campaign_id = given.campaign_id and r.position = given.position`;

async function updateRecipients(
  tx: EntityManager,
  settled: readonly Settled<LockedRecipient>[],
): Promise<void> {
  // repeated and late outcomes change nothing
  const changed = settled.filter(([, change]) => isMove(change) || change.deliveredAt !== null);
  if (changed.length === 0) return;
  await tx.query(UPDATE, [
    changed.map(([{ campaignId }]) => campaignId),
    changed.map(([{ position }]) => position),
    changed.map(([, { status }]) => status),
    changed.map(([, change]) => isMove(change)),
    changed.map(([, { reason }]) => reason),
    changed.map(([, { sentAt }]) => sentAt),
    changed.map(([, { deliveredAt }]) => deliveredAt),
  ]);
}

async function updateForgotten(
  tx: EntityManager,
  moved: readonly Settled<ForgottenMessage>[],
): Promise<void> {
  if (moved.length === 0) return;
  await tx.query(
    `update campaign_forgotten_messages f set status = given.status
     from unnest($1::uuid[], $2::text[]) as given(message_id, status) where f.message_id = given.message_id`,
    [moved.map(([{ messageId }]) => messageId), moved.map(([, { status }]) => status)],
  );
}

/** Spec 3-marketing §1.4 rule 2. @param contactIds locked for a change */
async function invalidate(tx: EntityManager, contactIds: readonly string[]): Promise<void> {
  if (contactIds.length === 0) return;
  await tx.query(
    `update contacts set validation_status = 'invalid', last_validated_at = now(), updated_at = now()
     where id = any($1::uuid[])`,
    [contactIds],
  );
}
