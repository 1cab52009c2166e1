import { z } from 'zod';
import { ApiError, isLongerThan, lineField, Timestamp, Uuid } from '@postmesh/contracts';
import { METRICS, type Metric } from './trial.rules.js';

const MAX_SUBJECT = 998;
/** In addition to the campaign's own content. */
const MAX_OTHERS = 3;
/** Opens and clicks that come later than a week change no winner. */
const MAX_WAIT_MINUTES = 7 * 24 * 60;

const variant = z
  .strictObject({
    subject: lineField('subject', MAX_SUBJECT)
      .refine((text) => text !== '' && !isLongerThan(text, MAX_SUBJECT), {
        message: 'subject must not be empty',
      })
      .nullable()
      .meta({ maxLength: MAX_SUBJECT, description: 'null: that of the campaign.' }),
    template_id: Uuid.nullable().meta({
      description: 'A campaign template, whose content is copied; null: that of the campaign.',
    }),
  })
  .refine(({ subject, template_id }) => subject !== null || template_id !== null, {
    message: 'a variant needs a subject or a template_id',
  });

export const TrialFields = z.strictObject({
  metric: z
    .enum(METRICS)
    .meta({ description: 'The result that decides, as a share of the delivered messages.' }),
  share: z
    .int()
    .min(1)
    .max(100)
    .meta({ description: 'Percent of the recipients, for all variants together.' }),
  wait_minutes: z
    .int()
    .min(1)
    .max(MAX_WAIT_MINUTES)
    .meta({ description: 'From the last message of the trial to the decision.' }),
  variants: z
    .array(variant)
    .min(1)
    .max(MAX_OTHERS)
    .meta({ description: "In addition to the campaign's own subject and content." }),
});
export type TrialFields = z.infer<typeof TrialFields>;

export const TrialBody = z.object({ trial: TrialFields.nullable().meta({ description: 'null: none.' }) });
export type TrialBody = z.infer<typeof TrialBody>;

const Count = z.int().nonnegative();
const result = z.object({
  variant: Count.meta({ description: "0: the campaign's own subject and content." }),
  recipients: Count,
  delivered: Count,
  opened: Count,
  clicked: Count,
});

export const TrialResource = z
  .object({
    object: z.literal('campaign_trial'),
    campaign_id: z.uuid(),
    trial: TrialFields.nullable(),
    decides_at: Timestamp.nullable().meta({
      description: 'null: messages of the trial are still to be sent.',
    }),
    decided_at: Timestamp.nullable(),
    winner: Count.nullable().meta({
      description:
        'The variant that all other recipients get; null: not decided, or the campaign ended before.',
    }),
    results: z.array(result).meta({ description: 'For the recipients of the trial. Empty before sending.' }),
  })
  .meta({
    id: 'CampaignTrial',
    description: 'Variants of a campaign that are tried with some of its recipients.',
  });
export type TrialResource = z.infer<typeof TrialResource>;

/** A row of `campaign_trials`. */
export interface TrialRow {
  readonly metric: Metric;
  readonly share: number;
  readonly waitMinutes: number;
  /** null before sending */
  readonly size: number | null;
  readonly decidesAt: Date | null;
  readonly decidedAt: Date | null;
  readonly winner: number | null;
}

export const TrialErrors = {
  noTemplate: (nth: number) => new ApiError(400, `variant ${nth}: the account has no such campaign template`),
  badContent: (nth: number, why: string) => new ApiError(400, `variant ${nth}: ${why}`),
} as const;
