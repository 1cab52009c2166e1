export { ACCOUNTS_SERVICE } from './accounts.definition.js';
export { FirstAccount } from './first-account/first-account.js';
