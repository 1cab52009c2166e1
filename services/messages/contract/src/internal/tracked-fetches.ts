import { z } from 'zod';

export const MAX_TRACKED_FETCHES = 500;
/** Longer user agents are cut. */
export const MAX_USER_AGENT = 512;

/** One fetch of a pixel or a link, to which the gateway responded. */
export const TrackedFetch = z.object({
  /** UUIDv7 made by the gateway: a repeated report counts once */
  id: z.uuid(),
  message_id: z.uuid(),
  kind: z.enum(['open', 'click']),
  /** clicks only: index of the link in the message */
  link_index: z.number().int().min(0).optional(),
  /** clicks only: target of the link */
  url: z.string().optional(),
  at: z.iso.datetime(),
  /** IP address of the client; empty when the connection was closed already */
  ip: z.string(),
  user_agent: z.string().max(MAX_USER_AGENT),
  /** HEAD, or a request that is marked as a prefetch */
  prefetch: z.boolean(),
});
export type TrackedFetch = z.infer<typeof TrackedFetch>;

/** `POST /internal/tracked-fetches` of the messages service. */
export const TrackedFetches = z.object({ fetches: z.array(TrackedFetch).max(MAX_TRACKED_FETCHES) });
export type TrackedFetches = z.infer<typeof TrackedFetches>;
