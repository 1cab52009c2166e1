export { DomainListFile, isListedOrBelow } from './domain-lists.js';
