import type { ServiceDocument } from '@postmesh/contracts';
import { DesignBlocks, DesignBlocksBody } from '@postmesh/designs';

/** Operations of the console (decision 116). */
export const CAMPAIGN_BLOCKS_DOCUMENT: ServiceDocument = {
  'campaign-blocks.get': {
    summary: 'Get the blocks of a campaign',
    description: 'The blocks of the block editor.',
    response: { status: 200, description: 'The blocks.', schema: DesignBlocks },
    apiErrors: [{ status: 404, when: 'The account has no such campaign.' }],
  },
  'campaign-blocks.put': {
    summary: 'Replace the blocks of a draft campaign',
    description: 'A campaign without a design becomes one of blocks. The HTML is made of them.',
    body: DesignBlocksBody,
    response: { status: 200, description: 'The blocks.', schema: DesignBlocks },
    apiErrors: [
      { status: 400, when: 'A block is invalid, or cannot be rendered.' },
      { status: 404, when: 'The account has no such campaign.' },
      { status: 409, when: 'The design is of another editor, or the campaign is no draft.' },
    ],
  },
};
