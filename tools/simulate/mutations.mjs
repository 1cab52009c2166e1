// @ts-check
// Known faults of all subjects: a simulator that does not find them proves nothing.
import { MUTATIONS as OF_CAMPAIGNS } from './campaigns/mutations.table.mjs';
import { MUTATIONS as OF_DELIVERIES } from './deliveries/mutations.table.mjs';
import { MUTATIONS as OF_KEYS } from './keys/mutations.table.mjs';
import { MUTATIONS as OF_LOG } from './log/mutations.table.mjs';
import { MUTATIONS as OF_WEBHOOKS } from './webhooks/mutations.table.mjs';

/** @param {string} of @param {readonly import('./module-hooks.mjs').Mutation[]} mutations */
const all = (of, mutations) => mutations.map((mutation) => ({ of, ...mutation }));

export const MUTATIONS = [
  ...all('deliveries', OF_DELIVERIES),
  ...all('keys', OF_KEYS),
  ...all('webhooks', OF_WEBHOOKS),
  ...all('campaigns', OF_CAMPAIGNS),
  ...all('log', OF_LOG),
];
