import { z } from 'zod';
import { defineEvent } from '@postmesh/contracts';

/** A campaign waits for a review, or an operator decided on it: its account's members get a notice (spec 3-marketing §6). */
export const CampaignReviewChanged = defineEvent({
  type: 'campaign-review-changed',
  version: 1,
  stream: 'accounts',
  data: z.object({
    campaign_id: z.string(),
    account_id: z.string(),
    name: z.string(),
    outcome: z.enum(['pending', 'approved', 'returned', 'rejected']),
    /** the reason of the review, or the operator's note */
    note: z.string().nullable(),
  }),
  key: (data) => data.account_id,
  examples: [
    {
      campaign_id: '5d0c6c3e-2f6b-4a58-9a54-0d1f5b7c9e10',
      account_id: '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0',
      name: 'Spring sale',
      outcome: 'pending',
      note: 'too many of the checked contacts may bounce',
    },
  ],
});
