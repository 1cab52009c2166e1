import { z } from 'zod';
import { readTime } from '@postmesh/contracts';

export const RecoverBody = z.object({
  since: z
    .string()
    .refine((text) => readTime(text) !== undefined, { message: 'since must be an RFC 3339 timestamp' })
    .nullish()
    .meta({
      format: 'date-time',
      description:
        'Events from then on; left out: all that are kept, which are those of seven days by default.',
    }),
});
export type RecoverBody = z.infer<typeof RecoverBody>;
