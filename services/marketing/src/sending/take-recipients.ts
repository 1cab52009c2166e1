import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { newId } from '@postmesh/contracts';
import type { CampaignSendRecipient } from '@postmesh/messages-contract';
import { FINAL_STATUSES, type CampaignStatus } from '../campaign-states/campaign-state.rules.js';
import { mailedTooRecently } from '../preferences/frequency.js';
import { addCounts } from '../results/campaign-counts.js';
import { variantOf, type RunningTrial } from '../trials/trial.rules.js';
import type { CampaignBatch } from './campaign-batches.table.js';
import { DailyLimit, type Reservation } from './daily-limit.js';
import {
  recipientName,
  recipientValues,
  skipReason,
  type ContactState,
  type SkipReason,
} from './recipient.rules.js';

/** A recipient whose message is handed over under this id, in every attempt. */
export interface TakenRecipient extends CampaignSendRecipient {
  readonly position: number;
  /** 0: the campaign's own content */
  readonly variant: number;
}

export interface SendingCampaign {
  readonly id: string;
  readonly accountId: string;
  readonly status: CampaignStatus;
  readonly startedAt: Date;
  /** null: its domain was deleted */
  readonly fromEmail: string | null;
  readonly fromName: string | null;
  readonly trial: RunningTrial | null;
}

/** The recipients of a batch that a worker may hand over. */
export interface Taken {
  readonly campaign: SendingCampaign;
  readonly recipients: readonly TakenRecipient[];
  /** they were taken by an earlier attempt */
  readonly isRepeat: boolean;
  readonly skipped: number;
  /** the batch has recipients that are still pending */
  readonly hasMore: boolean;
  readonly reservedDay: string | null;
  readonly short: Reservation['short'];
}

interface RecipientRow extends Omit<ContactState, 'tooSoon'> {
  readonly position: number;
  readonly contactId: string;
  readonly email: string;
  readonly messageId: string | null;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly attributes: Record<string, unknown> | null;
}

/**
 * The claim of recipients (spec 3-marketing §7.2): in one transaction each gets the id of its message before the
 * hand-over, so that every further attempt hands over the same message.
 */
@Injectable()
export class TakeRecipients {
  constructor(
    private readonly dataSource: DataSource,
    private readonly limit: DailyLimit,
  ) {}

  /** @returns undefined while the campaign does not send: the batch waits for it */
  execute(batch: CampaignBatch): Promise<Taken | undefined> {
    return this.dataSource.transaction(async (tx) => {
      const campaign = await lockCampaign(tx, batch.campaignId);
      if (!campaign) return undefined;
      const isOver = FINAL_STATUSES.includes(campaign.status);
      if (!isOver && campaign.status !== 'sending') return undefined;
      const rows = await openRecipients(tx, batch);
      const repeated = rows.filter(({ messageId }) => messageId !== null);
      const pending = rows.filter(({ messageId }) => messageId === null);
      const nothing = { campaign, isRepeat: false, skipped: 0, short: null };
      if (isOver) {
        await cancelAll(tx, batch, pending);
        const recipients = repeated.map(toTaken(campaign));
        return { ...nothing, recipients, isRepeat: true, hasMore: false, reservedDay: batch.reservedDay };
      }
      // taken recipients go first and separately, since they may count for another day's limit
      if (repeated.length > 0) {
        const recipients = repeated.map(toTaken(campaign));
        const hasMore = pending.length > 0;
        return { ...nothing, recipients, isRepeat: true, hasMore, reservedDay: batch.reservedDay };
      }
      return { ...nothing, ...(await this.take(tx, batch, campaign, pending)) };
    });
  }

  private async take(
    tx: EntityManager,
    batch: CampaignBatch,
    campaign: SendingCampaign,
    pending: readonly RecipientRow[],
  ): Promise<Pick<Taken, 'recipients' | 'skipped' | 'hasMore' | 'reservedDay' | 'short'>> {
    const recent = await mailedTooRecently(
      tx,
      batch.campaignId,
      pending.map(({ contactId }) => contactId),
    );
    const judged = pending.map((row) => ({
      row,
      reason: skipReason({ ...row, tooSoon: recent.has(row.contactId) }),
    }));
    const skipped = judged.flatMap(({ row, reason }) => (reason ? [{ row, reason }] : []));
    const wanted = judged.flatMap(({ row, reason }) => (reason ? [] : [row]));
    await skip(tx, batch, skipped);
    const none: Reservation = { granted: 0, day: '', short: null };
    const { campaignId, accountId } = batch;
    const { startedAt } = campaign;
    const { granted, day, short } =
      wanted.length === 0
        ? none
        : await this.limit.reserve(
            tx,
            { campaignId, accountId, startedAt, batchId: batch.id },
            wanted.length,
          );
    const taken = wanted.slice(0, granted).map((row) => ({ ...row, messageId: newId() }));
    await markTaken(tx, batch, taken, day);
    await addCounts(tx, [
      {
        campaignId,
        pending: -skipped.length - taken.length,
        skipped: skipped.length,
        queued: taken.length,
      },
    ]);
    return {
      recipients: taken.map(toTaken(campaign)),
      skipped: skipped.length,
      hasMore: granted < wanted.length,
      reservedDay: taken.length > 0 ? day : null,
      short,
    };
  }
}

const TRIAL = `(select json_build_object('size', t.size, 'winner', t.winner, 'variants',
    1 + (select count(*) from campaign_variants v where v.campaign_id = t.campaign_id))
  from campaign_trials t where t.campaign_id = campaigns.id and t.size is not null)`;

// Not `for share`: workers could pass a shared lock on among themselves without a gap, so that a pause waits for ever.
async function lockCampaign(tx: EntityManager, id: string): Promise<SendingCampaign | undefined> {
  const [found]: SendingCampaign[] = await tx.query(
    `select id, account_id as "accountId", status, coalesce(started_at, created_at) as "startedAt",
       from_email as "fromEmail", from_name as "fromName", ${TRIAL} as trial
     from campaigns where id = $1 for no key update`,
    [id],
  );
  return found;
}

/** Recipients without a recorded hand-over. */
const openRecipients = (tx: EntityManager, batch: CampaignBatch): Promise<RecipientRow[]> =>
  tx.query(OPEN_RECIPIENTS, [batch.campaignId, batch.firstPosition, batch.lastPosition]);

// A taken recipient has a message id; one whose outcome overtook its record is still to be recorded.
const OPEN_RECIPIENTS = `
  select r.position, r.contact_id as "contactId", r.email, r.message_id as "messageId",
    c.first_name as "firstName", c.last_name as "lastName", c.attributes, c.status as "contactStatus",
    c.unsubscribed, c.validation_status as "validationStatus",
    exists (select from memberships m where m.list_id = any(r.list_ids) and m.contact_id = r.contact_id
      and m.subscription_status = 'confirmed') as confirmed,
    exists (select from contact_pauses p where p.contact_id = r.contact_id and p.paused_until > now()) as paused
  from campaign_recipients r left join contacts c on c.id = r.contact_id
  where r.campaign_id = $1 and r.position between $2 and $3 and r.sent_at is null
    and (r.status = 'pending' or (r.message_id is not null and r.status not in ('suppressed', 'failed')))
  order by r.position for update of r`;

const toTaken =
  ({ trial }: SendingCampaign) =>
  (row: RecipientRow): TakenRecipient => {
    const contact = {
      email: row.email,
      firstName: row.firstName ?? '',
      lastName: row.lastName ?? '',
      attributes: row.attributes ?? {},
    };
    return {
      position: row.position,
      variant: variantOf(row.position, trial),
      message_id: row.messageId as string,
      contact_id: row.contactId,
      email: row.email,
      name: recipientName(contact),
      values: recipientValues(contact),
    };
  };

async function skip(
  tx: EntityManager,
  { campaignId }: CampaignBatch,
  skipped: readonly { row: RecipientRow; reason: SkipReason }[],
): Promise<void> {
  if (skipped.length === 0) return;
  await tx.query(
    `update campaign_recipients r set status = 'skipped', status_reason = given.reason
     from unnest($2::int[], $3::text[]) as given(position, reason)
     where r.campaign_id = $1 and r.position = given.position`,
    [campaignId, skipped.map(({ row }) => row.position), skipped.map(({ reason }) => reason)],
  );
}

async function markTaken(
  tx: EntityManager,
  { id, campaignId }: CampaignBatch,
  taken: readonly RecipientRow[],
  day: string,
): Promise<void> {
  if (taken.length === 0) return;
  await tx.query(
    `update campaign_recipients r set status = 'queued', message_id = given.message_id
     from unnest($2::int[], $3::uuid[]) as given(position, message_id)
     where r.campaign_id = $1 and r.position = given.position`,
    [campaignId, taken.map(({ position }) => position), taken.map(({ messageId }) => messageId)],
  );
  await tx.query('update campaign_batches set reserved_day = $2 where id = $1', [id, day]);
}

/** For a campaign that was canceled during the attempt. */
async function cancelAll(
  tx: EntityManager,
  { campaignId }: CampaignBatch,
  pending: readonly RecipientRow[],
): Promise<void> {
  if (pending.length === 0) return;
  await tx.query(
    `update campaign_recipients set status = 'canceled' where campaign_id = $1 and position = any($2::int[])`,
    [campaignId, pending.map(({ position }) => position)],
  );
  await addCounts(tx, [{ campaignId, pending: -pending.length, canceled: pending.length }]);
}
