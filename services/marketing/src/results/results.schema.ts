import { z } from 'zod';
import { BooleanParameter, Timestamp, trimText, type AccountFacts } from '@postmesh/contracts';
import { readContactEmail } from '../contacts/contact-email.rules.js';
import { COUNTERS, type CampaignStats } from './campaign-counts.js';
import { RECIPIENT_STATUSES, type RecipientStatus } from './recipient-outcomes.rules.js';

const Count = z.int().nonnegative();

/** Spec 3-marketing §8.1. */
export const CampaignStatsResource = z
  .object({
    object: z.literal('campaign_stats'),
    campaign_id: z.uuid(),
    recipients: Count.meta({ description: 'All recipients, with any status.' }),
    ...(Object.fromEntries(COUNTERS.map((name) => [name, Count])) as Record<
      (typeof COUNTERS)[number],
      typeof Count
    >),
    updated_at: Timestamp.nullable().meta({ description: 'null before sending.' }),
    track_opens: z.boolean().meta({ description: 'Whether the account tracks opens now.' }),
    track_clicks: z.boolean().meta({ description: 'Whether the account tracks clicks now.' }),
  })
  .meta({
    id: 'CampaignStats',
    description:
      'The recipients of a campaign by state, each in one, and what they did. `opened` and `clicked` are recipients, `opens` and `clicks` are events; fetches of bots count nowhere.',
  });
export type CampaignStatsResource = z.infer<typeof CampaignStatsResource>;

export const statsResource = (
  campaignId: string,
  { counts, updatedAt }: CampaignStats,
  { track_opens, track_clicks }: Pick<AccountFacts, 'track_opens' | 'track_clicks'>,
): CampaignStatsResource => ({
  object: 'campaign_stats',
  campaign_id: campaignId,
  recipients: RECIPIENT_STATUSES.reduce((sum, status) => sum + counts[status], 0),
  ...counts,
  updated_at: updatedAt?.toISOString() ?? null,
  track_opens,
  track_clicks,
});

const flag = (description: string) => BooleanParameter.optional().meta({ description });

export const ListRecipientsQuery = z.object({
  status: z.enum(RECIPIENT_STATUSES).optional().meta({ description: 'Only recipients with this status.' }),
  email: z
    .string()
    .transform((text) => readContactEmail(text) ?? trimText(text).toLowerCase().replaceAll('\0', ''))
    .optional()
    .meta({ description: 'Only the recipient with this address.' }),
  opened: flag('Whether the recipient opened the message.'),
  clicked: flag('Whether the recipient clicked a link.'),
  unsubscribed: flag('Whether the recipient unsubscribed by this message.'),
  complained: flag('Whether the recipient reported this message as spam.'),
});
export type ListRecipientsQuery = z.infer<typeof ListRecipientsQuery>;

const first = (what: string) => Timestamp.nullable().meta({ description: `When it was first ${what}.` });

/** Spec 3-marketing §8.2. */
export const RecipientResource = z
  .object({
    object: z.literal('campaign_recipient'),
    campaign_id: z.uuid(),
    contact_id: z.uuid(),
    email: z.string().meta({ description: 'The address of the message.' }),
    list_ids: z.array(z.uuid()).meta({ description: 'Those lists of the campaign that had the contact.' }),
    status: z.enum(RECIPIENT_STATUSES),
    status_reason: z.string().nullable().meta({
      description: 'Reason of skipped, bounced or failed. An open set: releases may add values.',
    }),
    message_id: z.string().nullable(),
    sent_at: first('handed over'),
    delivered_at: first('delivered'),
    opened_at: first('opened'),
    clicked_at: first('clicked'),
    unsubscribed_at: first('used to unsubscribe'),
    complained_at: first('reported as spam'),
    open_count: Count,
    click_count: Count,
  })
  .meta({ id: 'CampaignRecipient', description: 'A recipient of a campaign.' });
export type RecipientResource = z.infer<typeof RecipientResource>;

/** A row of `campaign_recipients` and the domain of its message. */
export interface RecipientRow {
  campaign_id: string;
  contact_id: string;
  email: string;
  list_ids: string[];
  status: RecipientStatus;
  status_reason: string | null;
  message_id: string | null;
  from_domain: string | null;
  sent_at: Date | null;
  delivered_at: Date | null;
  opened_at: Date | null;
  clicked_at: Date | null;
  unsubscribed_at: Date | null;
  complained_at: Date | null;
  open_count: number;
  click_count: number;
}

const shown = (time: Date | null): string | null => time?.toISOString() ?? null;

export const recipientResource = (row: RecipientRow): RecipientResource => ({
  object: 'campaign_recipient',
  campaign_id: row.campaign_id,
  contact_id: row.contact_id,
  email: row.email,
  list_ids: row.list_ids,
  status: row.status,
  status_reason: row.status_reason,
  message_id: row.message_id === null ? null : `<${row.message_id}@${row.from_domain ?? ''}>`,
  sent_at: shown(row.sent_at),
  delivered_at: shown(row.delivered_at),
  opened_at: shown(row.opened_at),
  clicked_at: shown(row.clicked_at),
  unsubscribed_at: shown(row.unsubscribed_at),
  complained_at: shown(row.complained_at),
  open_count: row.open_count,
  click_count: row.click_count,
});
