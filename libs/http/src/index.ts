export { isWorthAnotherTry, type Attempt } from './internal/another-try.rules.js';
export { closeGently, isUnread, readRestLater } from './internal/close-gently.js';
export { InternalClient, OPERATOR_HEADER, SERVICE_TOKEN_HEADER } from './internal/internal-client.js';
export {
  attachedCall,
  attachCall,
  BODY_ACCOUNT_HEADER,
  BODY_MAX_BYTES_HEADER,
  ServiceDirectory,
  STREAMED_TYPES,
} from './internal/service-directory.js';
export type {
  InternalRequest,
  InternalResponse,
  LocalService,
  RawBody,
  RemoteService,
} from './internal/service-directory.js';
export { principalPrivateKey, principalPublicKeys, serviceTokenKeys } from './internal/signing.js';
export { stopListening } from './internal/stop-listening.js';
export { PrincipalMinter, PrincipalVerifier, ServiceTokens } from './internal/tokens.js';
export { POLICY_TIMEOUT_MS, PublishedPolicies } from './mta-sts/published-policies.js';
export type { PolicyFault } from './mta-sts/published-policies.js';
export { namesHost, readStsRecord } from './mta-sts/sts-policy.rules.js';
export type { StsPolicyText } from './mta-sts/sts-policy.rules.js';
export { readExtraCa } from './outgoing/extra-ca.js';
export { OutgoingHttp } from './outgoing/outgoing-http.js';
export type { OutgoingResponse } from './outgoing/outgoing-http.js';
export { MOST_REDIRECTS } from './outgoing/redirect.rules.js';
export {
  AddressPolicy,
  INVALID_URL,
  isRefusedAtSight,
  MAX_URL_LENGTH,
  readTargetUrl,
} from './outgoing/target.rules.js';
export { decodeCursor, encodeCursor, MAX_LIMIT, parsePageQuery } from './pagination/page-query.rules.js';
export type { PageQuery, SortKey } from './pagination/page-query.rules.js';
export { pageSql, placeOf, toFullPage, toPage } from './pagination/pages.js';
export type { FullPage, Page, PageRow, Sql } from './pagination/pages.js';
