import { z } from 'zod';

export const MAX_TRACKED_FETCHES = 500;
/** Longer ones are cut. */
export const MAX_USER_AGENT = 512;

/** One fetch of a pixel or a link, as the gateway answered it. */
export const TrackedFetch = z.object({
  /** UUIDv7 of the gateway: a report that comes twice is one */
  id: z.uuid(),
  message_id: z.uuid(),
  kind: z.enum(['open', 'click']),
  /** clicks only: which link of the message */
  link_index: z.number().int().min(0).optional(),
  /** clicks only: where it leads */
  url: z.string().optional(),
  at: z.iso.datetime(),
  /** of the client; empty when it was gone already */
  ip: z.string(),
  user_agent: z.string().max(MAX_USER_AGENT),
  /** HEAD, or a request that says itself that it only fetches ahead */
  prefetch: z.boolean(),
});
export type TrackedFetch = z.infer<typeof TrackedFetch>;

/** `POST /internal/tracked-fetches` of the messages service. */
export const TrackedFetches = z.object({ fetches: z.array(TrackedFetch).max(MAX_TRACKED_FETCHES) });
export type TrackedFetches = z.infer<typeof TrackedFetches>;
