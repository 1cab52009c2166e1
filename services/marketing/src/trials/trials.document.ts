import type { ServiceDocument } from '@postmesh/contracts';
import { TrialBody, TrialResource } from './trial.schema.js';

const response = {
  status: 200,
  description: 'The trial, with its results.',
  schema: TrialResource,
  example: {
    object: 'campaign_trial',
    campaign_id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a02',
    trial: {
      metric: 'opened',
      share: 20,
      wait_minutes: 240,
      variants: [{ subject: 'Spring is here', template_id: null }],
    },
    decides_at: null,
    decided_at: null,
    winner: null,
    results: [],
  },
} as const;
const noCampaign = { status: 404, when: '`campaign not found`' } as const;

/** Operations of the console (decision 163). */
export const TRIALS_DOCUMENT: ServiceDocument = {
  'campaign-trials.get': {
    summary: 'Get the variants of a campaign',
    response,
    apiErrors: [noCampaign],
  },
  'campaign-trials.put': {
    summary: 'Set the variants of a draft',
    description:
      'Some recipients get the variants in equal parts. After a time the one with the best results goes to all others.',
    body: TrialBody,
    response,
    apiErrors: [
      { status: 400, when: 'A field is invalid, or a template is missing or cannot be sent.' },
      noCampaign,
      { status: 409, when: '`campaign is not a draft`' },
    ],
  },
};
