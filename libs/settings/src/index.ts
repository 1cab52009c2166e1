export { CATALOGUE, DIALECTS } from './catalogue.js';
export type { DialectName } from './catalogue.js';
export { DNS_HOST_NAMES } from './dns-host-apis.js';
export type { DnsHostName } from './dns-host-apis.js';
export { feedbackLoopAddress, reportHost } from './feedback-loop.js';
export type { EgressRelay, EgressSourceSetting, EgressVia, SocksLogin } from './egress.js';
export {
  givenSettings,
  loadSettings,
  redactedSettings,
  settingsReference,
  SettingsError,
  unknownSettings,
} from './load.js';
export type { SettingName, Settings } from './load.js';
export { isLocalMode, LOCAL_MODE } from './local-mode.js';
export { oidcOf, operatorOidcOf } from './oidc.rules.js';
export type { OidcProviderSettings, OidcSettings, OperatorOidcSettings } from './oidc.rules.js';
export { openPort } from './open-port.js';
export { FIRST_OPERATOR } from './operator-tokens.js';
export type { OperatorToken } from './operator-tokens.js';
export { requireDeliverable } from './real-delivery.rules.js';
export { serviceSetting } from './service-settings.js';
export type { HostAndPort, TsigAlgorithm, TsigKey } from './zone-update.js';
