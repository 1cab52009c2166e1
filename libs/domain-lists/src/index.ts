export { DomainListFile, isListedOrBelow } from './domain-lists.js';
export { RecipientShields } from './recipient-shields.js';
export type { Shield } from './recipient-shields.rules.js';
