import { z } from 'zod';
import { Timestamp } from '@postmesh/contracts';

const Moment = z.iso.datetime({ offset: true });

export const CampaignFiguresQuery = z.object({
  from_time: Moment.optional().meta({ description: 'Inclusive. Default: 30 days before `to_time`.' }),
  to_time: Moment.optional().meta({ description: 'Exclusive. Default: now.' }),
  sender_domain: z.string().max(253).optional().meta({ description: 'Only campaigns from this domain.' }),
});
export type CampaignFiguresQuery = z.infer<typeof CampaignFiguresQuery>;

const Count = z.int().nonnegative();

export const CampaignFigures = z
  .object({
    object: z.literal('list'),
    is_cut: z.boolean().meta({ description: 'There are more than the 100 newest.' }),
    data: z.array(
      z.object({
        campaign_id: z.uuid(),
        name: z.string(),
        sent_at: Timestamp.meta({ description: 'When it began to be sent.' }),
        recipients: Count.meta({ description: 'All recipients, with any status.' }),
        delivered: Count,
        bounced: Count,
        failed: Count,
        suppressed: Count,
        skipped: Count.meta({ description: 'Left out just before the hand-over, such as during a break.' }),
        opened: Count.meta({ description: 'Recipients who opened it.' }),
        clicked: Count.meta({ description: 'Recipients who clicked a link.' }),
        unsubscribed: Count,
        complained: Count,
      }),
    ),
  })
  .meta({ id: 'CampaignFigures', description: 'What became of the messages of each campaign.' });
export type CampaignFigures = z.infer<typeof CampaignFigures>;

/** Skipped recipients whose reasons are counted. */
export const MAX_COUNTED_SKIPS = 100_000;

export const CampaignSkips = z
  .object({
    object: z.literal('campaign_skips'),
    campaign_id: z.uuid(),
    is_cut: z.boolean().meta({ description: 'The first 100,000 skipped recipients are counted.' }),
    data: z.array(z.object({ reason: z.string(), count: Count })),
  })
  .meta({ id: 'CampaignSkips', description: 'The reasons for which recipients were left out.' });
export type CampaignSkips = z.infer<typeof CampaignSkips>;
