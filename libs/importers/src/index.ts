export { RefusedRequest } from './apply/target.js';
export type { ApiTarget, OperatorTarget } from './apply/target.js';
export { applyContacts, surveyContacts } from './contacts/import-contacts.js';
export type { ContactsJob, ContactsReport } from './contacts/import-contacts.js';
export { translateContacts } from './contacts/translate-contacts.js';
export type { ReadContact } from './contacts/contact-rows.rules.js';
export { FOREIGN_ROWS } from './read/foreign-rows.js';
export { compareDomain } from './domains/compare-domain.js';
export { SOURCE_NAMES, SOURCES, type SourceName } from './sources/sources.js';
export { CONSENTS, type Source } from './sources/source.js';
export { applySuppressions, surveySuppressions } from './suppressions/import-suppressions.js';
export type { SuppressionsJob, SuppressionsReport } from './suppressions/import-suppressions.js';
export { translateSuppressions } from './suppressions/translate-suppressions.js';
export { importTemplates } from './templates/import-templates.js';
export { translate } from './templates/translate.js';
export {
  effectOf,
  templatesAbout,
  templatesInText,
  translateParts,
  type TemplateParts,
} from './templates/translate-templates.js';
export { importWebhooks } from './webhooks/import-webhooks.js';
