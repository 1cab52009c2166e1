import { z } from 'zod';
import { ApiErrors, readTime } from '@postmesh/contracts';

const MAX_AHEAD_MS = 365 * 86_400_000;

const isAhead = (text: string): boolean => {
  const ahead = (readTime(text)?.getTime() ?? 0) - Date.now();
  return ahead > 0 && ahead <= MAX_AHEAD_MS;
};

/** `POST …/campaigns/{id}/send` (spec 3-marketing §3.2). */
export const SendCampaignBody = z.object({
  send_at: z
    .string()
    .refine((text) => readTime(text) !== undefined, {
      message: ApiErrors.invalidTime('send_at').message,
      abort: true,
    })
    .refine(isAhead, { message: 'send_at must be in the future and within 365 days' })
    .transform((text) => readTime(text) as Date)
    .nullish()
    .meta({
      format: 'date-time',
      description: 'Time of the start; omitted or null: as soon as the checks pass.',
    }),
});
export type SendCampaignBody = z.infer<typeof SendCampaignBody>;
