import { listOf, MessageResponse, type ServiceDocument } from '@postmesh/contracts';
import { MessagePreview } from '@postmesh/messages-contract';
import { CampaignErrors } from './campaign.js';
import {
  CampaignPage,
  CampaignPreviewBody,
  CampaignResource,
  CreateCampaignBody,
  DuplicateCampaignBody,
  ListCampaignsQuery,
  TestResult,
  TestSendBody,
  UpdateCampaignBody,
} from './campaign.schema.js';

const unknown = { status: 404, when: '`campaign not found`' } as const;
const notDraft = { status: 409, when: `\`${CampaignErrors.notDraft().message}\`` } as const;
const busy = {
  status: 503,
  when: 'Other changes of the campaign take longer than 10 seconds, with `Retry-After`.',
} as const;
const badFields = {
  status: 400,
  when: 'The domain of `from` may not send, a list does not exist, or the content has problems (those of MJML with their lines).',
} as const;
const shown = (status: 200 | 201, description: string) => ({ status, description, schema: CampaignResource });

export const CAMPAIGNS_DOCUMENT: ServiceDocument = {
  'campaigns.list': {
    summary: 'List campaigns',
    description: 'Newest first, without lists, content and issues.',
    query: ListCampaignsQuery,
    paginated: true,
    response: { status: 200, description: 'A page of campaigns.', schema: CampaignPage },
  },
  'campaigns.create': {
    summary: 'Create a campaign',
    description:
      'Creates a draft. All fields except the name can be set later; `issues` lists the fields that are missing before it can be sent.',
    body: CreateCampaignBody,
    example: {
      name: 'Spring sale',
      subject: 'For you, {{ first_name|default("dear reader") }}',
      from: { email: 'news@shop.example.com', name: 'Shop' },
      content: { html: '<p>Hi! <a href="{{ unsubscribe_url }}">Unsubscribe</a></p>' },
    },
    response: shown(201, 'The draft.'),
    apiErrors: [badFields, { status: 404, when: '`template not found`' }],
  },
  'campaigns.get': {
    summary: 'Get a campaign',
    response: shown(200, 'The campaign.'),
    apiErrors: [unknown],
  },
  'campaigns.update': {
    summary: 'Change a campaign',
    description:
      'Changes the given fields of a draft. Changes of the same campaign wait for each other. A hand-written text stays with a new design; `content.text: null` derives it from the HTML again.',
    body: UpdateCampaignBody,
    example: { subject: 'Only today' },
    response: shown(200, 'The campaign.'),
    apiErrors: [badFields, unknown, notDraft, busy],
  },
  'campaigns.delete': {
    summary: 'Delete a campaign',
    description: 'Deletes a draft and its design finally. Lists and templates stay.',
    response: {
      status: 200,
      description: 'Deleted.',
      schema: MessageResponse,
      example: {
        message: 'campaign 01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01 (Spring sale) deleted successfully',
      },
    },
    apiErrors: [unknown, notDraft, busy],
  },
  'campaigns.duplicate': {
    summary: 'Duplicate a campaign',
    description:
      'Copies a campaign in any status to a draft: design, subject, preheader, sender, reply-to, and its existing lists. The default name is `Copy of …`.',
    body: DuplicateCampaignBody,
    bodyOptional: true,
    example: { name: 'Spring sale, once more' },
    response: shown(201, 'The copy.'),
    apiErrors: [unknown],
  },
  'campaigns.test-send': {
    summary: 'Send a test of a campaign',
    description:
      'Sends the present campaign to up to five addresses, with `[Test] ` before the subject, without tracking, and not counted in its results. At most 20 test messages per campaign and hour.',
    body: TestSendBody,
    example: { to: ['me@shop.example.com'] },
    response: { status: 202, description: 'One result per address.', schema: listOf(TestResult) },
    apiErrors: [
      {
        status: 400,
        when: '`campaign is not ready: …` with the missing ones of subject, sender and content.',
      },
      { status: 403, when: '`account is suspended` or `monthly sending limit reached`' },
      { status: 404, when: '`campaign not found` or `contact not found`' },
    ],
  },
  'campaigns.preview': {
    summary: 'Preview a campaign',
    description:
      'Renders the message to one contact, or with the given values, in any status; nothing is sent or stored. A part that cannot be rendered is omitted and named in `issues`, with all other issues of a draft. Unsubscribe links are samples.',
    body: CampaignPreviewBody,
    bodyOptional: true,
    example: { contact: 'ann@mail.example.com', substitutions: { plan: 'gold' } },
    response: { status: 200, description: 'The message.', schema: MessagePreview },
    apiErrors: [{ status: 404, when: '`campaign not found` or `contact not found`' }],
  },
};

/** Operations of the console (decision 116). */
export const CAMPAIGN_TEMPLATE_PREVIEWS_DOCUMENT: ServiceDocument = {
  'campaign-templates.preview': {
    summary: 'Preview a campaign template',
    description:
      'Renders the design as a campaign would send it, to one contact or with the given values; nothing is sent or stored.',
    body: CampaignPreviewBody,
    bodyOptional: true,
    response: { status: 200, description: 'The message.', schema: MessagePreview },
    apiErrors: [{ status: 404, when: '`template not found` or `contact not found`' }],
  },
};
