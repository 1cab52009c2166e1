export { OutgoingHttp } from './outgoing-http.js';
export type {
  OutgoingDocument,
  OutgoingGet,
  OutgoingHttpOptions,
  OutgoingPost,
  OutgoingResponse,
} from './outgoing-http.js';
export { AddressPolicy, isRefusedAtSight, MAX_URL_LENGTH, readTargetUrl } from './target.rules.js';
