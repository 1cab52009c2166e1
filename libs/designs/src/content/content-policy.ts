import type { UrlPolicy } from '../thread/design-job.js';

/** Where transactional templates and campaigns want something else of a design. */
export interface ContentPolicy {
  /** beside a new design that comes without a text, one that was written by hand stays */
  readonly keepsCustomText: boolean;
  /** whatever cannot be rendered is refused when it is written, and not only when it is to be sent */
  readonly mustRender: boolean;
  readonly urls: UrlPolicy;
  /** how much HTML MJML may make */
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
