export { AIRMAIL, COLOURS, colourStyle, FONT } from './look.js';
export { FormTimes } from './form-times.js';
export { isOneClick, readFormFields } from './public-form.js';
export {
  badFormPage,
  badLinkPage,
  PAGE_HEADERS,
  publicPage,
  sendOneClickDone,
  sendPublicPage,
  shownText,
  type PageLook,
} from './public-page.js';
export { scanTags } from './html-tags.rules.js';
export { LinkTokens } from './link-tokens.js';
export type {
  CampaignUnsubscribeLink,
  ClickLink,
  ConfirmLink,
  OpenLink,
  PublicLink,
  UnsubscribeLink,
} from './link-tokens.js';
export { locationOf, ownBaseUrl, publicBaseUrl } from './link-urls.rules.js';
export type { OwnAddress } from './link-urls.rules.js';
export { MAX_TRACKED_LINKS, trackHtml } from './track-html.rules.js';
export { UnsubscribeController, Unsubscriber } from './unsubscribe.controller.js';
export type { Stop, Subscription } from './unsubscribe-pages.js';
