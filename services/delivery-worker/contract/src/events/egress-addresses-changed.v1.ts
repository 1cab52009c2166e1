import { z } from 'zod';
import { defineEvent } from '@postmesh/contracts';

/** The sources that operators made, all of them: those of `POSTMESH_EGRESS_SOURCES` are in the settings of every service. */
export const EgressAddressesChanged = defineEvent({
  type: 'egress-addresses-changed',
  version: 1,
  stream: 'accounts',
  data: z.object({
    sources: z.array(
      z.object({
        address: z.string(),
        /** the name in its greeting */
        ehlo: z.string(),
      }),
    ),
  }),
  // one key: the last one is the state
  key: () => 'egress',
  examples: [{ sources: [{ address: '192.0.2.11', ehlo: 'mta-2.example.com' }] }, { sources: [] }],
});
