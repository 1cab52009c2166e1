// @ts-check
// The plan of a life, from its seed: what is sent, and which faults come when. A plan without some of its steps is a plan.
import { randomOf } from './random.mjs';

/**
 * @typedef {object} Message
 * @property {string} name
 * @property {string} account
 * @property {string} domain
 * @property {number} [scheduledS] its first attempt, after its acceptance
 * @property {number} [expiresS] after its acceptance
 * @property {boolean} [kills] every attempt ends its worker
 */
/** @typedef {'any' | 'commit' | 'claim'} On */
/**
 * @typedef {{ at: number } & (
 *   | { kind: 'accept', message: Message }
 *   | { kind: 'cancel', message: string }
 *   | { kind: 'account', account: string, state: 'suspended' | 'active', revision: number }
 *   | { kind: 'crash', worker: string, skip: number, after: boolean, restartMs: number }
 *   | { kind: 'cut', worker: string, skip: number, after: boolean, on: On }
 *   | { kind: 'outage', ms: number }
 *   | { kind: 'stall', worker: string, ms: number }
 *   | { kind: 'stop', worker: string, restartMs: number }
 *   | { kind: 'clock', worker: string, ms: number })} Step `at`: ms from the beginning. `skip`: so many statements of the
 *   worker come before it; `after`: the statement is executed, and its answer lost; `on`: the next one of this kind
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

/** @param {import('./random.mjs').Random} random @param {number} at @param {string} worker @returns {Step} */
function faultOf(random, at, worker) {
  const skip = random.below(8);
  const after = random.chance(0.5);
  const restartMs = random.between(1_000, 20_000);
  const kind = random.pick([
    'crash',
    'crash',
    'cut',
    'cut',
    'cut',
    'outage',
    'stall',
    'stop',
    'clock',
    'clock',
  ]);
  switch (kind) {
    case 'crash':
      return { at, kind, worker, skip, after, restartMs };
    case 'cut':
      return {
        at,
        kind,
        worker,
        skip,
        after,
        on: random.pick(/** @type {On[]} */ (['any', 'commit', 'commit', 'claim'])),
      };
    case 'outage':
      return {
        at,
        kind,
        ms: random.chance(0.4) ? random.between(15_000, 28_000) : random.between(500, 15_000),
      };
    case 'stall':
      return { at, kind, worker, ms: random.between(1_000, 25_000) };
    case 'stop':
      return { at, kind, worker, restartMs };
    default:
      return { at, kind: 'clock', worker, ms: random.between(-600_000, 600_000) };
  }
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
    case 'crash':
      return `${at}${step.worker} is killed ${whenOf(step)}; another starts ${step.restartMs} ms later`;
    case 'cut':
      return `${at}a session of ${step.worker} ends ${whenOf(step)}`;
    case 'outage':
      return `${at}the database is away for ${step.ms} ms`;
    case 'stall':
      return `${at}${step.worker} does nothing for ${step.ms} ms`;
    case 'stop':
      return `${at}${step.worker} is stopped; another starts ${step.restartMs} ms after its end`;
    default:
      return `${at}the time of day of ${step.worker} moves by ${step.ms} ms`;
  }
}

/** @param {{ skip: number, after: boolean, on?: On }} fault */
const whenOf = ({ skip, after, on = 'any' }) => {
  const any = skip === 0 ? 'its next statement' : `a statement after ${skip} others`;
  const which = on === 'any' ? any : `its next ${on}`;
  return after ? `behind ${which}, before the answer` : `before ${which}`;
};
