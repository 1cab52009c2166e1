export { OutgoingHttp } from './outgoing-http.js';
export type { OutgoingResponse } from './outgoing-http.js';
export { MOST_REDIRECTS } from './redirect.rules.js';
export {
  AddressPolicy,
  INVALID_URL,
  isRefusedAtSight,
  MAX_URL_LENGTH,
  readTargetUrl,
} from './target.rules.js';
