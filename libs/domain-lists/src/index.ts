export { isListedOrBelow, readDomainList } from './domain-list.rules.js';
export { DomainListFile, type DomainListFileOptions } from './domain-list-file.js';
