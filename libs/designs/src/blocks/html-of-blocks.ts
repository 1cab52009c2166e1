import type { MakeDesign } from '../content/apply-content.js';
import type { ContentPolicy } from '../content/content-policy.js';
import type { BlockDesign } from './blocks.schema.js';
import { mjmlOfBlocks } from './mjml-of-blocks.rules.js';

/** @throws ApiError 400; Transient */
export async function htmlOfBlocks(
  design: BlockDesign,
  { policy: { urls, maxHtmlMiB }, make }: { policy: ContentPolicy; make: MakeDesign },
): Promise<string> {
  return (await make({ mjml: mjmlOfBlocks(design), urls, maxHtmlMiB })).html;
}
