import { z } from 'zod';

const Time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

/** A replay that is asked for: what an endpoint did not get since a time, or all of that time. */
export const ReplayWanted = z
  .object({
    endpoint_id: z.uuid(),
    /** `recover`: events that have not succeeded; `all`: those that have succeeded, too */
    kind: z.enum(['recover', 'all']),
    /** events from then on */
    since: Time,
    event_type: z.string().max(100).optional(),
  })
  .strict();
export type ReplayWanted = z.infer<typeof ReplayWanted>;
