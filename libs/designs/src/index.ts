export { EDITORS, hasBody, NO_DESIGN } from './design.js';
export type { DesignBody, Editor } from './design.js';
export { Designs, ownShare, shareOf } from './thread/designs.js';
export type { DesignShare } from './thread/designs.js';
export { DesignsModule } from './designs.module.js';
export type { DesignJob } from './thread/design-job.js';
export {
  ContentInput,
  ContentResource,
  MAX_DESIGN_BYTES,
  PreheaderField,
  shownContent,
  SubjectField,
} from './content/content-fields.js';
export { CAMPAIGN_CONTENT, TEMPLATE_CONTENT } from './content/content-policy.js';
export { applyContent } from './content/apply-content.js';
export type { MakeDesign } from './content/apply-content.js';
export {
  editorAfter,
  editorOfDesign,
  givenContent,
  requireEditor,
  requireSimple,
} from './content/content-choice.rules.js';
export { hasUnsubscribeLink, requireRenderable } from './content/renderable.rules.js';
export { DesignBlocks, designBlocks, DesignBlocksBody } from './blocks/design-blocks.schema.js';
export { htmlOfBlocks } from './blocks/html-of-blocks.js';
