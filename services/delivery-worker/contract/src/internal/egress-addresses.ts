import { z } from 'zod';

/**
 * `GET /internal/egress-addresses` of the delivery worker: the addresses of sources that an operator made. Those of
 * `POSTMESH_EGRESS_SOURCES` are in the settings of every service.
 */
export const EgressAddresses = z.object({
  addresses: z.array(z.string()),
  /** all mail leaves through relays, whose addresses receivers see */
  only_relays: z.boolean(),
});
export type EgressAddresses = z.infer<typeof EgressAddresses>;
