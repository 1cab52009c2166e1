export { scanTags } from './html-tags.rules.js';
export { LinkTokens } from './link-tokens.js';
export type { ClickLink, OpenLink, PublicLink, UnsubscribeLink } from './link-tokens.js';
export { isTarget, locationOf, publicBaseUrl } from './link-urls.rules.js';
export type { OwnAddress } from './link-urls.rules.js';
export { trackHtml } from './track-html.rules.js';
export type { TrackingOptions } from './track-html.rules.js';
