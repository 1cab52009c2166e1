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
 * @property {string | undefined} apart a worker on another machine
 * @property {boolean} hasBudget messages take the budget of a new address first
 * @property {boolean} isSlow most replies take long
 * @property {Step[]} steps in the order of time
 */

const ACCOUNTS = ['A', 'B'];
const DOMAINS = ['a.test', 'b.test'];
const SPAN_MS = 45_000;

/**
 * The subject of a life: trouble of one kind at the moment at which it may do harm is too rare in lives of chance.
 * @typedef {'chance' | 'outage' | 'claims' | 'cancels' | 'burst' | 'clocks' | 'stops'} Theme
 */
const THEMES = /** @type {Theme[]} */ (['outage', 'claims', 'cancels', 'burst', 'clocks', 'stops']);

/** @param {number} seed @param {number} life @returns {Plan} */
export function planOf(seed, life) {
  const random = randomOf(seed, life, 'plan');
  const theme = random.chance(0.5) ? random.pick(THEMES) : 'chance';
  const workers = ['w1', 'w2', 'w3'].slice(0, theme === 'burst' ? 1 : random.between(2, 3));
  const messages = messagesOf(random, theme);
  const steps = [...messages, ...accountSteps(random, theme), ...faultsOf(random, theme, workers)];
  const apart = workers.length > 1 && random.chance(0.25) ? random.pick(workers) : undefined;
  return {
    ...{ seed, life, workers, apart, hasBudget: random.chance(0.25) },
    isSlow: ['outage', 'burst', 'stops'].includes(theme),
    steps: steps.sort((one, other) => one.at - other.at),
  };
}

/** Messages with their cancels. @param {import('../random.mjs').Random} random @param {Theme} theme @returns {Step[]} */
function messagesOf(random, theme) {
  /** @type {Step[]} */
  const steps = [];
  // many of one account at once, for more places than a worker has
  const isBurst = theme === 'burst' || random.chance(0.15);
  const count = isBurst ? random.between(8, 10) : random.between(2, 7);
  const killer = theme === 'chance' && random.chance(0.1) ? 1 : 0;
  for (let nth = 1; nth <= count; nth++) {
    const message = {
      name: `m${nth}`,
      account: isBurst ? 'A' : random.pick(ACCOUNTS),
      domain: random.pick(DOMAINS),
      ...(random.chance(theme === 'clocks' || theme === 'cancels' ? 0.6 : 0.2)
        ? { scheduledS: random.between(3, 30) }
        : {}),
      ...(random.chance(0.2) ? { expiresS: random.between(15, 90) } : {}),
      ...(nth === killer ? { kills: true } : {}),
    };
    const accepted = isBurst || random.chance(0.5) ? random.below(2_000) : random.below(SPAN_MS / 2);
    steps.push({ at: accepted, kind: 'accept', message });
    const begins = accepted + 1_000 * (message.scheduledS ?? 0);
    const nearly = Math.max(accepted, begins - 500) + random.below(2_000);
    if (random.chance(theme === 'cancels' ? 0.9 : 0.3))
      steps.push({
        at: theme === 'cancels' || random.chance(0.5) ? nearly : accepted + random.below(20_000),
        kind: 'cancel',
        message: message.name,
      });
  }
  return steps;
}

/** @param {import('../random.mjs').Random} random @param {Theme} theme @returns {Step[]} */
function accountSteps(random, theme) {
  if (theme !== 'chance' || !random.chance(0.3)) return [];
  const account = random.pick(ACCOUNTS);
  const at = random.below(SPAN_MS);
  const until = at + random.between(3_000, 30_000);
  return [
    { at, kind: 'account', account, state: 'suspended', revision: 1 },
    { at: until, kind: 'account', account, state: 'active', revision: 2 },
  ];
}

/**
 * @param {import('../random.mjs').Random} random @param {Theme} theme @param {string[]} workers
 * @returns {import('../faults.mjs').Fault[]}
 */
function faultsOf(random, theme, workers) {
  const many = (/** @type {number} */ count, /** @type {() => import('../faults.mjs').Fault} */ one) =>
    Array.from({ length: count }, one);
  const worker = () => random.pick(workers);
  const at = () => random.below(SPAN_MS);
  switch (theme) {
    case 'outage':
      return many(1, () => ({
        at: random.between(2_000, 15_000),
        kind: 'outage',
        ms: random.between(20_000, 28_000),
      }));
    case 'claims':
      return many(random.between(2, 5), () => ({
        ...{ at: random.below(25_000), kind: 'cut', worker: worker(), skip: 0, after: true, on: 'claim' },
      }));
    case 'clocks':
      return workers.map((one) => ({
        ...{ at: random.below(2_000), kind: 'clock', worker: one, ms: random.between(-600_000, 600_000) },
      }));
    case 'stops':
      return many(random.between(1, 3), () => ({
        ...{
          at: random.between(2_000, 30_000),
          kind: 'stop',
          worker: worker(),
          restartMs: random.between(1_000, 20_000),
        },
      }));
    case 'cancels':
    case 'burst':
      return [];
    default:
      return many(random.below(6), () => faultOf(random, at(), worker()));
  }
}

/**
 * The reply to the nth transaction of a message.
 * @param {Plan} plan @param {Message} message @param {number} nth @returns {import('./mail-world.mjs').Reply}
 */
export function replyOf({ seed, life, isSlow }, { name, kills }, nth) {
  const random = randomOf(seed, life, 'reply', name, nth);
  const ms = random.chance(isSlow ? 0.85 : 0.3)
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
