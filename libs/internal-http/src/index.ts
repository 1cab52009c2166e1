export { InternalClient, OPERATOR_HEADER, SERVICE_TOKEN_HEADER } from './internal-client.js';
export { PrincipalMinter, PrincipalVerifier } from './principal-token.js';
export { ServiceDirectory } from './service-directory.js';
export type { InternalRequest, InternalResponse, LocalService, RemoteService } from './service-directory.js';
export { ServiceTokens } from './service-token.js';
export { principalPrivateKey, principalPublicKeys, serviceTokenKeys } from './signing-keys.js';
