import { z } from 'zod';
import { defineEvent } from '@postmesh/contracts';

/** By reports of receivers, the aligned share of a domain's mail has fallen below its usual one, or is as before (decision 150). */
export const DomainAlignmentChanged = defineEvent({
  type: 'domain-alignment-changed',
  version: 1,
  stream: 'messages',
  data: z.object({
    domain_id: z.string(),
    domain: z.string(),
    change: z.enum(['fallen', 'recovered']),
    /** aligned share of the last two reported days, 0 to 1 */
    share: z.number(),
    /** of the two weeks before the fall; 0.95 where they have too few messages */
    usual: z.number(),
    changed_at: z.string(),
  }),
  key: (data) => data.domain_id,
  examples: [
    {
      domain_id: '01980f3e-0000-7c11-a2d4-0c5f9e6b8a00',
      domain: 'shop.test',
      change: 'fallen',
      share: 0.88,
      usual: 0.99,
      changed_at: '2026-01-05T10:00:00.000Z',
    },
  ],
});
