import { z } from 'zod';
import { readTime } from '@postmesh/contracts';

export const RecoverBody = z.object({
  since: z
    .string()
    .refine((text) => readTime(text) !== undefined, { message: 'since must be an RFC 3339 timestamp' })
    .nullish()
    .meta({
      format: 'date-time',
      description: 'Earliest time of the events; default: all retained events, by default of seven days.',
    }),
});
export type RecoverBody = z.infer<typeof RecoverBody>;
