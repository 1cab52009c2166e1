import type { ServiceDocument } from '@postmesh/contracts';
import { DesignBlocks, DesignBlocksBody } from '@postmesh/designs';

/** Operations of the console (decision 116). */
export const TEMPLATE_BLOCKS_DOCUMENT: ServiceDocument = {
  'template-blocks.get': {
    summary: 'Get the blocks of a template',
    description: 'Those of the draft, else those of the published copy: what the block editor shows.',
    response: { status: 200, description: 'The blocks.', schema: DesignBlocks },
    apiErrors: [{ status: 404, when: 'The account has no such template.' }],
  },
  'template-blocks.put': {
    summary: 'Replace the blocks of a template',
    description: 'In its draft. The HTML is made of them.',
    body: DesignBlocksBody,
    response: { status: 200, description: 'The blocks.', schema: DesignBlocks },
    apiErrors: [
      { status: 400, when: 'A block is invalid.' },
      { status: 404, when: 'The account has no such template.' },
      { status: 409, when: 'The template is of another editor.' },
      { status: 503, when: 'Other requests change the template.' },
    ],
  },
};
