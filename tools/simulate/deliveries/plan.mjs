// @ts-check
// The plan of a life, from its seed: what is sent, and which faults come when. A plan without some of its steps is a plan.
import { faultOf, lineOfFault } from '../faults.mjs';
import { randomOf } from '../random.mjs';

/**
 * @typedef {object} Message
 * @property {string} name
 * @property {string} account
 * @property {string} domain
 * @property {number} [scheduledS] its first attempt, after its acceptance
 * @property {number} [expiresS] after its acceptance
 * @property {boolean} [kills] every attempt ends its worker
 */
/**
 * @typedef {import('../faults.mjs').Fault | ({ at: number } & (
 *   | { kind: 'accept', message: Message }
 *   | { kind: 'cancel', message: string }
 *   | { kind: 'account', account: string, state: 'suspended' | 'active', revision: number }))} Step `at`: ms from the beginning
 */
/**
 * @typedef {object} Plan
 * @property {number} seed
 * @property {number} life
 * @property {string[]} workers
 * @property {Step[]} steps in the order of time
 */

const ACCOUNTS = ['A', 'B'];
const DOMAINS = ['a.test', 'b.test'];
const SPAN_MS = 45_000;

/** @param {number} seed @param {number} life @returns {Plan} */
export function planOf(seed, life) {
  const random = randomOf(seed, life, 'plan');
  const workers = ['w1', 'w2', 'w3'].slice(0, random.between(2, 3));
  const at = () => random.below(SPAN_MS);
  /** @type {Step[]} */
  const steps = [];
  // many of one account at once, for more places than a worker has
  const isBurst = random.chance(0.15);
  const messages = isBurst ? random.between(8, 10) : random.between(2, 7);
  const killer = random.chance(0.1) ? 0 : -1;
  for (let nth = 0; nth < messages; nth++) {
    const message = {
      name: `m${nth + 1}`,
      account: isBurst ? 'A' : random.pick(ACCOUNTS),
      domain: random.pick(DOMAINS),
      ...(random.chance(0.2) ? { scheduledS: random.between(3, 30) } : {}),
      ...(random.chance(0.2) ? { expiresS: random.between(15, 90) } : {}),
      ...(nth === killer ? { kills: true } : {}),
    };
    const accepted = isBurst || random.chance(0.5) ? random.below(2_000) : random.below(SPAN_MS / 2);
    steps.push({ at: accepted, kind: 'accept', message });
    const begins = accepted + 1_000 * (message.scheduledS ?? 0);
    const nearly = Math.max(accepted, begins - 500) + random.below(2_000);
    if (random.chance(0.3))
      steps.push({
        at: random.chance(0.5) ? nearly : accepted + random.below(20_000),
        kind: 'cancel',
        message: message.name,
      });
  }
  if (random.chance(0.3)) {
    const account = random.pick(ACCOUNTS);
    const from = at();
    steps.push({ at: from, kind: 'account', account, state: 'suspended', revision: 1 });
    steps.push({
      at: from + random.between(3_000, 30_000),
      kind: 'account',
      account,
      state: 'active',
      revision: 2,
    });
  }
  for (let faults = random.below(6); faults > 0; faults--)
    steps.push(faultOf(random, at(), random.pick(workers)));
  return { seed, life, workers, steps: steps.sort((one, other) => one.at - other.at) };
}

/**
 * The reply to the nth transaction of a message.
 * @param {Plan} plan @param {Message} message @param {number} nth @returns {import('./mail-world.mjs').Reply}
 */
export function replyOf({ seed, life }, { name, kills }, nth) {
  const random = randomOf(seed, life, 'reply', name, nth);
  const ms = random.chance(0.3)
    ? random.between(4_000, random.chance(0.3) ? 60_000 : 30_000)
    : random.between(20, 3_000);
  if (kills) return { kind: 'kills', ms: Math.min(ms, 4_000) };
  const luck = random.next();
  if (luck < 0.55) return { kind: 'accepted', ms };
  if (luck < 0.62) return { kind: 'rejected', ms };
  if (luck < 0.8) return { kind: 'deferred', ms };
  return { kind: luck < 0.87 ? 'cut-before' : 'cut-after', ms };
}

/** A step as a line for people. @param {Step} step */
export function lineOf(step) {
  const at = `${(step.at / 1_000).toFixed(3).padStart(8)} s  `;
  switch (step.kind) {
    case 'accept': {
      const { name, account, domain, scheduledS, expiresS, kills } = step.message;
      const more = [
        scheduledS === undefined ? '' : `, for ${scheduledS} s later`,
        expiresS === undefined ? '' : `, expires after ${expiresS} s`,
        kills ? ', ends each worker' : '',
      ];
      return `${at}${name} of account ${account} to ${domain} is accepted${more.join('')}`;
    }
    case 'cancel':
      return `${at}${step.message} is to be canceled`;
    case 'account':
      return `${at}account ${step.account} becomes ${step.state}`;
    default:
      return lineOfFault(step);
  }
}
