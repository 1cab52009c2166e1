import { z } from 'zod';

const Time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

/** Which ended deliveries of an endpoint are made again. */
export const ReplayRange = z
  .object({
    endpoint_id: z.uuid(),
    event_type: z.string().max(100).optional(),
    /** how they ended; all of them unless given */
    outcome: z.enum(['succeeded', 'dropped', 'stopped', 'set-aside']).optional(),
    /** when they were requested: from then on */
    from: Time,
    /** and before then; now unless given */
    to: Time.optional(),
    /** where the request before ended */
    after: z
      .string()
      .regex(/^\d{4}-\d\d-\d\dT[\d:.]+Z\/[0-9a-f-]{36}$/)
      .optional(),
  })
  .strict()
  .refine(({ from, to }) => to === undefined || from < to, { message: 'from must be before to' });
export type ReplayRange = z.infer<typeof ReplayRange>;
