export {
  browserCookie,
  FLOW_MS,
  flowOf,
  hashOf,
  isBrowserSecret,
  newBrowser,
  newState,
  stateOf,
} from './flow.rules.js';
export type { Flow } from './flow.rules.js';
export { domainOf, OidcErrors } from './identity.rules.js';
export type { Identity } from './identity.rules.js';
export { OIDC_CALLBACK, OidcClient } from './oidc-client.js';
export type { AskedAgain } from './oidc-client.js';
