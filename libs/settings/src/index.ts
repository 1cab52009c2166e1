export { CATALOGUE } from './catalogue.js';
export type { EgressRelay, EgressSourceSetting } from './egress.js';
export { loadSettings, redactedSettings, settingsReference, SettingsError, unknownSettings } from './load.js';
export type { SettingName, Settings } from './load.js';
export { openPort } from './open-port.js';
export { FIRST_OPERATOR } from './operator-tokens.js';
export type { OperatorToken } from './operator-tokens.js';
export { serviceSetting } from './service-settings.js';
export type { HostAndPort, TsigAlgorithm, TsigKey } from './zone-update.js';
