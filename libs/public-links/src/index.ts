export { isOneClick, readFormField } from './public-form.js';
export type { FormField } from './public-form.js';
export {
  badFormPage,
  badLinkPage,
  PAGE_HEADERS,
  publicPage,
  sendOneClickDone,
  sendPublicPage,
  shownText,
} from './public-page.js';
export { scanTags } from './html-tags.rules.js';
export { LinkTokens } from './link-tokens.js';
export type {
  CampaignUnsubscribeLink,
  ClickLink,
  OpenLink,
  PublicLink,
  TestUnsubscribeLink,
  UnsubscribeLink,
} from './link-tokens.js';
export { locationOf, ownBaseUrl, publicBaseUrl } from './link-urls.rules.js';
export type { OwnAddress } from './link-urls.rules.js';
export { MAX_TRACKED_LINKS, trackHtml } from './track-html.rules.js';
