import { z } from 'zod';

/** One record as the API lists it in `dns_records` (spec 1-platform §11.2): full host name, content as text. */
export const PublishedRecord = z.object({ type: z.string(), host: z.string(), content: z.string() });
export type PublishedRecord = z.infer<typeof PublishedRecord>;

/** Everything the service asked domain owners to publish, and the operator's own zone. */
export const PublishedZone = z.object({
  domains: z.array(z.object({ domain: z.string(), records: z.array(PublishedRecord) })),
  serviceRecords: z.array(PublishedRecord),
});
export type PublishedZone = z.infer<typeof PublishedZone>;

/**
 * Reads what is to be published now. Called once per batch of queries, never twice at a time.
 * @param signal aborted when the answer would come too late to be of use
 */
export type RecordsSource = (signal: AbortSignal) => Promise<PublishedZone>;
