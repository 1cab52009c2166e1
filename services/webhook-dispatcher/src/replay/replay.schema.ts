import { z } from 'zod';

const Time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

/** A requested replay: the missed events of an endpoint since a time, or all events since then. */
export const ReplayWanted = z
  .object({
    endpoint_id: z.uuid(),
    /** `recover`: events that have not succeeded; `all`: also those that have succeeded */
    kind: z.enum(['recover', 'all']),
    /** events at this time or later */
    since: Time,
    event_type: z.string().max(100).optional(),
  })
  .strict();
export type ReplayWanted = z.infer<typeof ReplayWanted>;
