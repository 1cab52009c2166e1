// @ts-check
// What is simulated: each has its processes, its plans and its verdict, and the scheduler and the database of all.

/** @typedef {{ rule: string, text: string }} Breach */
/**
 * @typedef {object} Subject
 * @property {readonly import('./store.mjs').Database[]} databases
 * @property {(seed: number, life: number) => any} planOf
 * @property {(step: any) => string} lineOf a step as a line for people
 * @property {(plan: any, store: import('./store.mjs').Store, options: { isTraced: boolean }) => Promise<Lived>} live
 */
/**
 * @typedef {object} Lived
 * @property {{ start: number, endedAt: number, steps: number, hash: number, faults: unknown[], trace: string[] }} history
 * @property {Breach[]} breaches
 * @property {number} attempts SMTP transactions, requests, calls, batches
 */

/** @type {Record<string, { of: string, load: () => Promise<{ SUBJECT: Subject }> }>} */
export const SUBJECTS = {
  deliveries: { of: 'SMTP transactions', load: () => import('./deliveries/subject.mjs') },
  webhooks: { of: 'calls of webhooks', load: () => import('./webhooks/subject.mjs') },
  campaigns: { of: 'requests to messages', load: () => import('./campaigns/subject.mjs') },
  keys: { of: 'requests', load: () => import('./keys/subject.mjs') },
  log: { of: 'batches', load: () => import('./log/subject.mjs') },
};
