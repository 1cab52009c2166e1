import { z } from 'zod';
import { ContentInput } from '../content/content-fields.js';
import { BlockDesign, blockDesignOf } from './blocks.schema.js';

/** A write of blocks. Their HTML is made by the service. */
export const DesignBlocksBody = z.object({
  blocks: BlockDesign,
  text: ContentInput.shape.text.meta({
    description: 'A text written by hand. `null` or nothing: it is made from the blocks.',
  }),
});
export type DesignBlocksBody = z.infer<typeof DesignBlocksBody>;

export const DesignBlocks = z
  .object({
    object: z.literal('design_blocks'),
    blocks: BlockDesign.nullable().meta({
      description: 'null: there are none, or another editor made them.',
    }),
    is_foreign: z.boolean().meta({ description: 'Another editor made the design: its HTML alone is known.' }),
  })
  .meta({ id: 'DesignBlocks', description: 'A design as the block editor reads it.' });
export type DesignBlocks = z.infer<typeof DesignBlocks>;

/** @param design the stored JSON of the editor `simple` */
export function designBlocks({ design, html }: { design: object | null; html: string | null }): DesignBlocks {
  const blocks = blockDesignOf(design);
  return { object: 'design_blocks', blocks, is_foreign: blocks === null && html !== null };
}
