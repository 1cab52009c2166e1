import { z } from 'zod';
import { listOf, Timestamp } from '@postmesh/contracts';
import type { FigureSums } from './counters.repository.js';
import { GROUPINGS } from './time-ranges.rules.js';

const Moment = z.iso.datetime({ offset: true });

/** For the API document; `readStatisticsQuery` parses them. */
export const StatisticsParameters = z.object({
  from_time: Moment.optional().meta({ description: 'Inclusive. Default: 30 days before `to_time`.' }),
  to_time: Moment.optional().meta({ description: 'Exclusive. Default: now.' }),
  sender_domain: z.string().optional().meta({
    description:
      'Sending domains of the account, separated by commas, up to 100. Default: all that the key may read.',
  }),
  recipient_domains: z
    .string()
    .optional()
    .meta({ description: 'Domains of recipients, separated by commas. Default: all.' }),
  tags: z
    .string()
    .optional()
    .meta({ description: 'Messages with any of these tags, separated by commas, up to 20.' }),
  group_by: z
    .enum(GROUPINGS)
    .default('day')
    .optional()
    .meta({ description: 'Length of a bucket. Weeks begin on Monday. At most 1,000 buckets.' }),
});

const Bucket = z.object({
  from_timestamp: Timestamp.meta({ description: 'Inclusive. Buckets show their natural bounds, in UTC.' }),
  to_timestamp: Timestamp.meta({ description: 'Exclusive.' }),
});

export const Count = z.int().nonnegative();

/** Each message once per column. */
export const DELIVERABILITY_COUNTS = {
  reception_count: Count.meta({ description: 'Accepted messages.' }),
  delivered_count: Count,
  deferred_count: Count.meta({ description: 'Messages that were deferred at least once.' }),
  bounced_count: Count,
  failed_count: Count,
  suppressed_count: Count,
  opened_count: Count.meta({ description: 'Messages that were opened at least once.' }),
  clicked_count: Count.meta({ description: 'Messages with at least one click.' }),
};

export const deliverabilityCounts = (sums: FigureSums | undefined) => ({
  reception_count: sums?.received ?? 0,
  delivered_count: sums?.delivered ?? 0,
  deferred_count: sums?.deferred ?? 0,
  bounced_count: sums?.bounced ?? 0,
  failed_count: sums?.failed ?? 0,
  suppressed_count: sums?.suppressed ?? 0,
  opened_count: sums?.opened ?? 0,
  clicked_count: sums?.clicked ?? 0,
});

const DeliverabilityBucket = Bucket.extend(DELIVERABILITY_COUNTS).meta({
  id: 'DeliverabilityBucket',
  description: 'How many messages, each once per column.',
});

const BounceBucket = Bucket.extend({
  bounces: z.array(
    z.object({
      classification: z.string().meta({ description: 'An open set: more kinds may come.' }),
      count: Count,
    }),
  ),
}).meta({ id: 'BounceBucket', description: 'Bounces by kind, most frequent first.' });

const DeliveryTimeBucket = Bucket.extend({
  avg_delivery_time: z
    .number()
    .meta({ description: 'Seconds from acceptance to delivery; 0 when nothing was delivered.' }),
  delivered_count: Count,
  delivery_times: z
    .array(
      z.object({
        recipient_domain: z.string(),
        delivery_time: z.number().meta({ description: 'Average, in seconds.' }),
        count: Count,
      }),
    )
    .meta({ description: 'By recipient domain, most messages first.' }),
}).meta({ id: 'DeliveryTimeBucket', description: 'How long deliveries took.' });

export const DeliverabilityResponse = listOf(DeliverabilityBucket);
export type DeliverabilityResponse = z.infer<typeof DeliverabilityResponse>;
export const BounceResponse = listOf(BounceBucket);
export type BounceResponse = z.infer<typeof BounceResponse>;
export const DeliveryTimeResponse = listOf(DeliveryTimeBucket);
export type DeliveryTimeResponse = z.infer<typeof DeliveryTimeResponse>;

/** The periods of the overview. */
export const OVERVIEW_HOURS = [24, 168, 720] as const;

const OverviewPeriod = z
  .object({
    hours: z.literal(OVERVIEW_HOURS),
    from_timestamp: Timestamp.meta({ description: 'The beginning of its first hour.' }),
    reception_count: Count.meta({ description: 'Accepted messages.' }),
    delivered_count: Count,
    deferred_count: Count.meta({ description: 'Messages that were deferred at least once.' }),
    bounced_count: Count,
    failed_count: Count,
    suppressed_count: Count,
    complaint_count: Count.meta({ description: 'Reports of recipients who call a message abuse.' }),
  })
  .meta({ id: 'OverviewPeriod', description: 'How many messages, each once per column.' });
export const StatisticsOverview = z
  .object({ object: z.literal('statistics_overview'), periods: z.array(OverviewPeriod) })
  .meta({ id: 'StatisticsOverview', description: 'The last 24 hours, 7 days and 30 days.' });
export type StatisticsOverview = z.infer<typeof StatisticsOverview>;
