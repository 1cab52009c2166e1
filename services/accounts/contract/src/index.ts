export * from './account-directory.js';
export * from './events/account-changed.v1.js';
export * from './events/newest-per-account.js';
export * from './events/system-mail-requested.v1.js';
export * from './internal/accounts.js';
export * from './internal/api-keys.js';
export * from './internal/refused-requests.js';
export * from './internal/smtp-credentials.js';
