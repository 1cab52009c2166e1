import { ApiErrors, type ServiceDocument } from '@postmesh/contracts';
import { CampaignResource } from '../campaigns/campaign.schema.js';
import { SendCampaignBody } from './campaign-states.schema.js';

const notFound = { status: 404, when: `\`${ApiErrors.notFound('campaign').message}\`` } as const;

/** The API document of sending campaigns (spec 3-marketing §3.2). */
export const CAMPAIGN_STATES_DOCUMENT: ServiceDocument = {
  'campaigns.send': {
    summary: 'Send a campaign',
    description:
      'A draft without issues is checked and then sent, at once or at its time. It can no longer be changed.',
    body: SendCampaignBody,
    bodyOptional: true,
    example: {},
    response: { status: 200, description: 'The campaign, which is being checked.', schema: CampaignResource },
    apiErrors: [
      { status: 400, when: '`campaign is not ready: <code>, <code>`, all issues in order.' },
      { status: 403, when: 'The account is suspended, or marketing mail is off for it.' },
      notFound,
      { status: 409, when: '`campaign is not a draft`' },
    ],
  },
  'campaigns.unschedule': {
    summary: 'Unschedule a campaign',
    description: 'A campaign that has not begun to send becomes a draft again.',
    response: { status: 200, description: 'The draft.', schema: CampaignResource },
    apiErrors: [notFound, { status: 409, when: '`campaign is not scheduled`' }],
  },
};

/** Operations of the console (decision 116). */
export const CAMPAIGN_HOLDS_DOCUMENT: ServiceDocument = {
  'campaigns.pause': {
    summary: 'Pause a campaign that is being sent',
    description:
      'Messages that are on their way are not recalled; the other recipients wait until it is resumed.',
    response: { status: 200, description: 'The campaign, paused.', schema: CampaignResource },
    apiErrors: [notFound, { status: 409, when: '`campaign is not sending`' }],
  },
  'campaigns.resume': {
    summary: 'Resume a campaign that a member has paused',
    response: { status: 200, description: 'The campaign, being sent.', schema: CampaignResource },
    apiErrors: [
      notFound,
      { status: 409, when: '`campaign is not paused`, `campaign was not paused by a member: <reason>`' },
    ],
  },
  'campaigns.cancel': {
    summary: 'Cancel a campaign that is not finished',
    description: 'Its other recipients never get it. Messages that are on their way are not recalled.',
    response: { status: 200, description: 'The campaign, canceled.', schema: CampaignResource },
    apiErrors: [notFound, { status: 409, when: '`campaign is finished or was not sent`' }],
  },
};
