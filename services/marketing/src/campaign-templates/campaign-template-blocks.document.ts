import type { ServiceDocument } from '@postmesh/contracts';
import { DesignBlocks, DesignBlocksBody } from '@postmesh/designs';
import { CampaignTemplateResource, CreateBlocksTemplateBody } from './campaign-template.schema.js';

const noTemplate = { status: 404, when: 'The account has no such campaign template.' } as const;
const badBlock = { status: 400, when: 'A block is invalid, or cannot be rendered.' } as const;

/** Operations of the console (decision 116). */
export const CAMPAIGN_TEMPLATE_BLOCKS_DOCUMENT: ServiceDocument = {
  'campaign-template-blocks.create': {
    summary: 'Create a campaign template of blocks',
    description: 'The HTML is made of the blocks.',
    body: CreateBlocksTemplateBody,
    response: { status: 201, description: 'The new template.', schema: CampaignTemplateResource },
    apiErrors: [badBlock],
  },
  'campaign-template-blocks.get': {
    summary: 'Get the blocks of a campaign template',
    description: 'The blocks of the block editor.',
    response: { status: 200, description: 'The blocks.', schema: DesignBlocks },
    apiErrors: [noTemplate],
  },
  'campaign-template-blocks.put': {
    summary: 'Replace the blocks of a campaign template',
    description: 'The HTML is made of them. Campaigns made from the template do not change.',
    body: DesignBlocksBody,
    response: { status: 200, description: 'The blocks.', schema: DesignBlocks },
    apiErrors: [
      badBlock,
      noTemplate,
      { status: 409, when: 'The template is of another editor.' },
      { status: 503, when: 'Other requests change the template.' },
    ],
  },
  'campaign-templates.duplicate': {
    summary: 'Duplicate a campaign template',
    description: 'A template of its own with the same design, named `Copy of …`.',
    response: { status: 201, description: 'The new template.', schema: CampaignTemplateResource },
    apiErrors: [noTemplate],
  },
};
