import { z } from 'zod';
import { Count, DELIVERABILITY_COUNTS, StatisticsParameters } from './statistics.resource.js';

/** For the document; `readStatisticsQuery` parses them. */
export const StatisticsGroupParameters = StatisticsParameters.pick({
  from_time: true,
  to_time: true,
  sender_domain: true,
});

const is_cut = z.boolean().meta({ description: 'There are more than the 100 with most messages.' });

export const TemplateFigures = z
  .object({
    object: z.literal('list'),
    is_cut,
    data: z.array(
      z.object({
        template_id: z.uuid(),
        name: z.string().nullable().meta({ description: 'null: it was deleted.' }),
        ...DELIVERABILITY_COUNTS,
        complaint_count: Count.meta({ description: 'Reports of recipients who call a message abuse.' }),
      }),
    ),
  })
  .meta({ id: 'TemplateFigures', description: 'What became of the messages of each template.' });
export type TemplateFigures = z.infer<typeof TemplateFigures>;

export const ProviderFigures = z
  .object({
    object: z.literal('list'),
    is_cut,
    data: z.array(
      z.object({
        provider: z.string().meta({
          description:
            'By the host that was connected to, such as `google`; `other` for hosts of no known provider.',
        }),
        delivered_count: Count,
        deferred_count: Count.meta({ description: 'Messages that were deferred at least once.' }),
        bounced_count: Count,
        failed_count: Count,
        avg_delivery_time: z
          .number()
          .meta({ description: 'Seconds from acceptance to delivery; 0 when nothing was delivered.' }),
      }),
    ),
  })
  .meta({ id: 'ProviderFigures', description: 'What became of messages at each mailbox provider.' });
export type ProviderFigures = z.infer<typeof ProviderFigures>;
