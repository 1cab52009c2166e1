export { OutgoingHttp } from './outgoing-http.js';
export type {
  OutgoingDocument,
  OutgoingGet,
  OutgoingHttpOptions,
  OutgoingPost,
  OutgoingResponse,
} from './outgoing-http.js';
export { MOST_REDIRECTS, type RedirectTrouble } from './redirect.rules.js';
export {
  AddressPolicy,
  INVALID_URL,
  isRefusedAtSight,
  MAX_URL_LENGTH,
  readTargetUrl,
} from './target.rules.js';
