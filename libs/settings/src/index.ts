export { CATALOGUE } from './catalogue.js';
export {
  loadSettings,
  realPartsRequired,
  redactedSettings,
  settingsReference,
  SettingsError,
  unknownSettings,
} from './load.js';
export type { SettingName, Settings } from './load.js';
