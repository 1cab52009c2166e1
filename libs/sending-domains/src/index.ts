export { AccountDirectory } from './account-directory.js';
export { DomainDirectory, type Forget } from './domain-directory.js';
