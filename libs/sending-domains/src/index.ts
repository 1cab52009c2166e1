export { AccountDirectory } from './account-directory.js';
export { DomainDirectory } from './domain-directory.js';
