import type { UrlPolicy } from '../thread/design-job.js';

/** The rules for designs that differ between transactional templates and campaigns. */
export interface ContentPolicy {
  /** a custom text is kept when a new design comes without a text */
  readonly keepsCustomText: boolean;
  /** content that cannot be rendered is rejected at the write, not only at sending */
  readonly mustRender: boolean;
  readonly urls: UrlPolicy;
  /** the most HTML that MJML may compile to */
  readonly maxHtmlMiB: number;
}

/** Transactional templates (spec 2-messages §6.3): drafts may hold what cannot be rendered yet. */
export const TEMPLATE_CONTENT: ContentPolicy = {
  keepsCustomText: false,
  mustRender: false,
  urls: 'expression-begins',
  maxHtmlMiB: 4,
};

/** Campaigns and campaign templates (spec 3-marketing §3.2 U9 to U16, spec 3-marketing §5.1). */
export const CAMPAIGN_CONTENT: ContentPolicy = {
  keepsCustomText: true,
  mustRender: true,
  urls: 'expression-is-whole',
  maxHtmlMiB: 1,
};
