// @ts-check
// The plan of a life of idempotency keys, from its seed: who asks for what under which key, and which faults come when.
import { faultOf, lineOfFault } from '../faults.mjs';
import { randomOf } from '../random.mjs';

/**
 * @typedef {object} Asked one client, which asks until it has an answer
 * @property {string} name
 * @property {string} key
 * @property {'messages.send' | 'sub-accounts.create' | 'api-keys.create'} operation
 * @property {string} body another one makes another request
 * @property {'made' | 'refused' | 'broken'} ends of a run: with an effect, with a 4xx, with a 5xx
 * @property {number} runMs
 */
/**
 * @typedef {import('../faults.mjs').Fault | { at: number, kind: 'ask', asked: Asked }
 *   | { at: number, kind: 'prune', worker: string }} Step `at`: ms from the beginning
 */
/** @typedef {{ seed: number, life: number, workers: string[], steps: Step[] }} Plan steps in the order of time */

const SPAN_MS = 40_000;
const OPERATIONS = /** @type {Asked['operation'][]} */ ([
  ...['messages.send', 'messages.send', 'sub-accounts.create', 'sub-accounts.create', 'api-keys.create'],
]);

/** `m`: processes of messages, which keeps the register; `a`: of accounts. @param {number} seed @param {number} life @returns {Plan} */
export function planOf(seed, life) {
  const random = randomOf(seed, life, 'plan of keys');
  const workers = ['m1', 'm2', 'a1', 'a2'];
  /** @type {Step[]} */
  const steps = [];
  let nth = 0;
  for (let keys = random.between(1, 2); keys > 0; keys--) {
    const begin = random.below(SPAN_MS / 2);
    // most lives have one operation per key, as clients do
    const usual = random.pick(OPERATIONS);
    const isMixed = random.chance(0.3);
    for (let asks = random.between(2, 5); asks > 0; asks--) {
      const luck = random.next();
      const asked = {
        name: `r${++nth}`,
        key: `k${keys}`,
        operation: isMixed ? random.pick(OPERATIONS) : usual,
        body: random.chance(0.85) ? 'x' : 'y',
        ends: /** @type {Asked['ends']} */ (luck < 0.7 ? 'made' : luck < 0.85 ? 'refused' : 'broken'),
        runMs: random.chance(0.2) ? random.between(1_000, 30_000) : random.between(1, 400),
      };
      const at = random.chance(0.6) ? begin + random.below(100) : begin + random.below(SPAN_MS);
      steps.push({ at, kind: 'ask', asked });
    }
  }
  for (let faults = random.below(5); faults > 0; faults--)
    steps.push(faultOf(random, random.below(SPAN_MS), random.pick(workers)));
  if (random.chance(0.3))
    steps.push({ at: random.below(SPAN_MS), kind: 'prune', worker: random.pick(workers) });
  return { seed, life, workers, steps: steps.sort((one, other) => one.at - other.at) };
}

/** A step as a line for people. @param {Step} step */
export function lineOf(step) {
  const at = `${(step.at / 1_000).toFixed(3).padStart(8)} s  `;
  if (step.kind === 'prune') return `${at}${step.worker} prunes its keys`;
  if (step.kind !== 'ask') return lineOfFault(step);
  const { name, key, operation, body, ends, runMs } = step.asked;
  return `${at}${name} asks for ${operation} ${body} under ${key}: a run takes ${runMs} ms and is ${ends}`;
}
