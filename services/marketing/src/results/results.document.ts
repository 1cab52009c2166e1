import { ApiErrors, fullPageOf, type ServiceDocument } from '@postmesh/contracts';
import { CampaignFigures, CampaignFiguresQuery, CampaignSkips } from './campaign-figures.schema.js';
import { CampaignStatsResource, ListRecipientsQuery, RecipientResource } from './results.schema.js';

const noCampaign = { status: 404, when: `\`${ApiErrors.notFound('campaign').message}\`` } as const;

export const RESULTS_DOCUMENT: ServiceDocument = {
  'campaigns.stats': {
    summary: 'Get the statistics of a campaign',
    description:
      'All counters are zero before sending, and may lag by some seconds. Opens and clicks stay 0 while `track_opens` and `track_clicks` are false: the account does not track them (`PUT …/accounts/{account_id}` turns it on).',
    response: { status: 200, description: 'The counters of the campaign.', schema: CampaignStatsResource },
    apiErrors: [noCampaign],
  },
  'campaigns.recipients': {
    summary: 'List the recipients of a campaign',
    description:
      'In the order of sending; empty before the campaign is sent. Deleted contacts are not listed. `GET …/messages/{message_id}` shows the message of a recipient with its attempts.',
    query: ListRecipientsQuery,
    paginated: true,
    response: {
      status: 200,
      description: 'One page of recipients.',
      schema: fullPageOf(RecipientResource),
    },
    apiErrors: [noCampaign],
  },
};

/** Operations of the console (decision 116). */
export const CAMPAIGN_FIGURES_DOCUMENT: ServiceDocument = {
  'statistics-groups.campaigns': {
    summary: 'Get the figures of each campaign',
    description:
      'The 100 newest of the campaigns that began to be sent in the range, with their results so far.',
    query: CampaignFiguresQuery,
    response: { status: 200, description: 'The figures.', schema: CampaignFigures },
    apiErrors: [{ status: 400, when: 'A parameter is invalid.' }],
  },
  'campaign-skips.get': {
    summary: 'Count the reasons for which recipients were left out',
    description: 'The commonest first. `contact_frequency`: the contact wants less mail.',
    response: {
      status: 200,
      description: 'The reasons.',
      schema: CampaignSkips,
      example: {
        object: 'campaign_skips',
        campaign_id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a02',
        is_cut: false,
        data: [{ reason: 'contact_frequency', count: 12 }],
      },
    },
    apiErrors: [noCampaign],
  },
};
