import { ApiErrors, MessageResponse, type ServiceDocument } from '@postmesh/contracts';
import {
  CampaignTemplatePage,
  CampaignTemplateResource,
  CreateCampaignTemplateBody,
  ListCampaignTemplatesQuery,
  UpdateCampaignTemplateBody,
} from './campaign-template.schema.js';

const noTemplate = { status: 404, when: `\`${ApiErrors.notFound('template').message}\`` } as const;
const badContent = {
  status: 400,
  when: 'The content has problems (those of MJML with their lines), cannot be rendered, or belongs to another editor.',
} as const;

const DESIGN = `MJML is compiled strictly, HTML is stored unchanged. Images and stylesheets need a full \`https://\` URL or one that is a
whole \`{{ variable }}\`. The content must be renderable.`;

/** Spec 3-marketing §9. */
export const CAMPAIGN_TEMPLATES_DOCUMENT: ServiceDocument = {
  'campaign-templates.list': {
    summary: 'List campaign templates',
    description: 'Newest first, without their designs.',
    query: ListCampaignTemplatesQuery,
    paginated: true,
    response: { status: 200, description: 'One page.', schema: CampaignTemplatePage },
  },
  'campaign-templates.create': {
    summary: 'Create a campaign template',
    description: `A design for campaigns to copy: MJML or HTML, with its text, which is derived from the HTML unless it is given. ${DESIGN}`,
    body: CreateCampaignTemplateBody,
    example: {
      name: 'Newsletter',
      content: {
        html: '<p>Hello {{ first_name|default("there") }}</p><p><a href="{{ unsubscribe_url }}">Unsubscribe</a></p>',
      },
    },
    response: { status: 201, description: 'The new template.', schema: CampaignTemplateResource },
    apiErrors: [badContent],
  },
  'campaign-templates.get': {
    summary: 'Get a campaign template',
    response: { status: 200, description: 'The template.', schema: CampaignTemplateResource },
    apiErrors: [noTemplate],
  },
  'campaign-templates.update': {
    summary: 'Change a campaign template',
    description: `Omitted fields keep their value; campaigns made from the template do not change. A hand-written text stays with a new design
unless \`content.text\` is given; \`null\` derives it from the HTML. ${DESIGN}`,
    body: UpdateCampaignTemplateBody,
    example: { name: 'Newsletter of winter' },
    response: { status: 200, description: 'The template.', schema: CampaignTemplateResource },
    apiErrors: [badContent, { status: 400, when: '`no field to update`' }, noTemplate],
  },
  'campaign-templates.delete': {
    summary: 'Delete a campaign template',
    description: 'The deletion is final. Campaigns made from the template have their own copies.',
    response: {
      status: 200,
      description: 'It is gone.',
      schema: MessageResponse,
      example: {
        message:
          'campaign template 01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01 (Product updates) deleted successfully',
      },
    },
    apiErrors: [noTemplate],
  },
};
