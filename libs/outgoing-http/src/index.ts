export { AddressPolicy } from './address-policy.rules.js';
export type { CallTrouble } from './call-trouble.rules.js';
export { OutgoingHttp } from './outgoing-http.js';
export type { OutgoingResponse, OutgoingHttpOptions, OutgoingPost } from './outgoing-http.js';
export { isRefusedAtSight, MAX_URL_LENGTH, readTargetUrl } from './target.rules.js';
