export { closeGently, isUnread } from './close-gently.js';
export { InternalClient, OPERATOR_HEADER, SERVICE_TOKEN_HEADER } from './internal-client.js';
export {
  BODY_ACCOUNT_HEADER,
  BODY_MAX_BYTES_HEADER,
  ServiceDirectory,
  STREAMED_TYPES,
} from './service-directory.js';
export type {
  InternalRequest,
  InternalResponse,
  LocalService,
  OperationCall,
  RawBody,
  RemoteService,
} from './service-directory.js';
export { principalPrivateKey, principalPublicKeys, serviceTokenKeys } from './signing.js';
export { stopListening } from './stop-listening.js';
export { PrincipalMinter, PrincipalVerifier, ServiceTokens } from './tokens.js';
