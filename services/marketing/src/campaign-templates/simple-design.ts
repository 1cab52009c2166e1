import { z } from 'zod';
import { nameField } from '@postmesh/contracts';
import {
  applyContent,
  CAMPAIGN_CONTENT,
  ContentInput,
  givenContent,
  MAX_DESIGN_BYTES,
  type DesignBody,
  type Editor,
  type MakeDesign,
  requireSimple,
} from '@postmesh/designs';

// Deeper than any design of an editor of blocks.
const MAX_DEPTH = 100;

/** An editor's data of a design: any JSON object or array, which only the editor understands. */
const blocks = z
  .union([z.record(z.string(), z.unknown()), z.array(z.unknown())])
  .refine((value) => !isTooDeep(value), { message: `blocks must be nested at most ${MAX_DEPTH} deep` })
  .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_DESIGN_BYTES, {
    message: 'blocks must be at most 1 MiB of JSON',
  })
  .refine((value) => isStorable(JSON.stringify(value)), {
    message: 'blocks must not contain NUL characters or halves of surrogate pairs',
  });

const content = ContentInput.refine((given) => typeof given.html === 'string', {
  message: 'content.html is required: a design of blocks comes with the HTML that is made of them',
});

/** A design of the editor `simple` (spec 3-marketing §11). */
export const SimpleDesignBody = z.object({ blocks, content });
export type SimpleDesignBody = z.infer<typeof SimpleDesignBody>;

export const CreateSimpleTemplateBody = z.object({ name: nameField(), blocks, content });
export type CreateSimpleTemplateBody = z.infer<typeof CreateSimpleTemplateBody>;

/** Checked level by level, since a deep value would exhaust the stack. */
function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
    if (level.length === 0) return false;
  }
  return true;
}

/** Postgres cannot store these escaped characters in JSON. */
const isStorable = (json: string): boolean => !/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i.test(json);

/**
 * Replaces the design by one of blocks (rules U11 to U16 for the text).
 * @throws ApiError 400; 409 when the design is of another editor, which never changes
 */
export async function simpleDesign(
  stored: DesignBody & { editor: Editor | null },
  { blocks: design, content: given }: SimpleDesignBody,
  make: MakeDesign,
): Promise<DesignBody & { editor: 'simple'; design: object }> {
  if (stored.editor !== null) requireSimple(stored);
  const bodies = { current: stored, others: [] };
  const body = await applyContent(givenContent(given), bodies, { policy: CAMPAIGN_CONTENT, make });
  return { editor: 'simple', design, ...body };
}
