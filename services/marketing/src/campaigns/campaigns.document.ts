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
  when: 'The domain of `from` may not send, a list is not there, or the content has a problem (of MJML each with its line).',
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
      'Makes a draft. Everything but the name can come later; `issues` says what is missing before it can be sent.',
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
      'Changes the fields that are given, of a draft alone. Changes of the same campaign wait for each other. A text that was written by hand stays beside a new design; `content.text: null` makes it from the HTML again.',
    body: UpdateCampaignBody,
    example: { subject: 'Only today' },
    response: shown(200, 'The campaign.'),
    apiErrors: [badFields, unknown, notDraft, busy],
  },
  'campaigns.delete': {
    summary: 'Delete a campaign',
    description: 'Deletes a draft and its design for good. Lists and templates stay.',
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
      'Makes a draft of a campaign in any status: its design, subject, preheader, sender, reply-to, and those of its lists that exist. Without a name it is called `Copy of …`.',
    body: DuplicateCampaignBody,
    bodyOptional: true,
    example: { name: 'Spring sale, once more' },
    response: shown(201, 'The copy.'),
    apiErrors: [unknown],
  },
  'campaigns.test-send': {
    summary: 'Send a test of a campaign',
    description:
      'Sends the campaign as it is to up to five addresses, with `[Test] ` before the subject, untracked, and counted nowhere. At most 20 test messages per campaign and hour.',
    body: TestSendBody,
    example: { to: ['me@shop.example.com'] },
    response: { status: 202, description: 'One result per address.', schema: listOf(TestResult) },
    apiErrors: [
      {
        status: 400,
        when: '`campaign is not ready: …` with what is missing of subject, sender and content.',
      },
      { status: 403, when: '`account is suspended` or `monthly sending limit reached`' },
      { status: 404, when: '`campaign not found` or `contact not found`' },
    ],
  },
  'campaigns.preview': {
    summary: 'Preview a campaign',
    description:
      'Renders the message to one contact, or with the given values; nothing is sent or stored. In any status. A part that cannot be rendered is left out and named in `issues`, with what else keeps a draft from being sent. Links to unsubscribe are those of a test.',
    body: CampaignPreviewBody,
    bodyOptional: true,
    example: { contact: 'ann@mail.example.com', substitutions: { plan: 'gold' } },
    response: { status: 200, description: 'The message.', schema: MessagePreview },
    apiErrors: [{ status: 404, when: '`campaign not found` or `contact not found`' }],
  },
};
