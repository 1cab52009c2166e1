// @ts-check
// The plan of a life of the log, from its seed: who writes what, how its handling goes, and which faults come when.
import { faultOf, lineOfFault } from '../faults.mjs';
import { randomOf } from '../random.mjs';

/**
 * How the handling of an event goes. `slow` takes seconds; `transient` fails for a while; `racy` fails twice; `heavy` makes a
 * large batch take too long; these have their effect in the end. `bug`, `permanent`, `poison`, `too-heavy`, `swallows` (its consumer
 * continues after a failed statement) and `kills` do not.
 * @typedef {'fine' | 'slow' | 'transient' | 'racy' | 'heavy' | 'bug' | 'permanent' | 'poison' | 'too-heavy' | 'swallows' | 'kills'} Kind
 */
/** @typedef {{ n: number, of: 'happened' | 'changed' | 'ended' | 'other', key: string, kind: Kind }} Planned an event */
/**
 * @typedef {object} Writing a transaction
 * @property {string} name
 * @property {Planned[]} events
 * @property {Planned[]} dropped of a savepoint that is rolled back
 * @property {boolean} isUndone it is rolled back
 * @property {number} ms between its change and its end
 */
/**
 * @typedef {import('../faults.mjs').Fault | { at: number, kind: 'write', worker: string, writing: Writing }
 *   | { at: number, kind: 'join' | 'replay', worker: string } | { at: number, kind: 'away', ms: number }
 *   | { at: number, kind: 'rebalance', group: string } | { at: number, kind: 'lose', isWhole: boolean }} Step `at`: ms from the beginning
 */
/**
 * @typedef {object} Plan
 * @property {number} seed
 * @property {number} life
 * @property {string[]} workers
 * @property {boolean} isRelayed a relay publishes to Kafka; else the log is that of the bus
 * @property {boolean} isLosable of a relay: topics may be lost, so that its log keeps all events
 * @property {boolean} isCalm a member that does nothing for a while is the only fault
 * @property {number} maxBatch
 * @property {Step[]} steps in the order of time
 */

const SPAN_MS = 45_000;
const ENDING = /** @type {const} */ (['bug', 'permanent', 'poison', 'too-heavy', 'swallows']);
/** Kinds of events that end as dead letters. */
export const DIES = new Set([...ENDING, 'kills']);

/** `w`: processes that write; `a` and `b`: of the two groups. @param {number} seed @param {number} life @returns {Plan} */
export function planOf(seed, life) {
  const random = randomOf(seed, life, 'plan of the log');
  const isRelayed = random.chance(0.4);
  const isLosable = isRelayed && random.chance(0.4);
  const isCalm = !isRelayed && random.chance(0.15);
  const workers = ['w1', ...(random.chance(0.5) ? ['w2'] : []), 'a1', 'a2'];
  const all = [...workers];
  /** @type {Step[]} */
  const steps = [];
  const late = random.next();
  if (late < 0.3) workers.push('b1');
  else if (late < 0.8) steps.push({ at: random.between(5_000, SPAN_MS), kind: 'join', worker: 'b1' });
  if (late < 0.8) all.push('b1');
  const kills = !isCalm && random.chance(0.12) ? random.between(1, 20) : 0;
  const isRough = !isCalm && random.chance(0.6);
  // behind an event that is given up in its batch, or another race, it has one try
  const race = !isCalm && !isRough && random.chance(0.5) ? random.between(1, 10) : 0;
  let n = 0;
  const planned = () => {
    const luck = random.next();
    const of = /** @type {Planned['of']} */ (
      luck < 0.4 ? 'happened' : luck < 0.6 ? 'changed' : luck < 0.8 ? 'ended' : 'other'
    );
    const kind = ++n === kills ? 'kills' : n === race ? 'racy' : kindOf(random, isCalm, isRough);
    return { n, of, key: `k${random.between(1, 3)}`, kind };
  };
  let name = 0;
  const writing = () => ({
    name: `t${++name}`,
    events: Array.from({ length: random.between(1, 6) }, planned),
    dropped: random.chance(0.15) ? [planned()] : [],
    isUndone: random.chance(0.12),
    ms: random.chance(0.2) ? random.below(3_000) : random.below(20),
  });
  for (let bursts = random.between(1, 5); bursts > 0; bursts--) {
    let at = random.below(SPAN_MS);
    for (let writings = random.between(1, 5); writings > 0; writings--) {
      steps.push({
        at,
        kind: 'write',
        worker: random.pick(all.filter((one) => one.startsWith('w'))),
        writing: writing(),
      });
      at += random.chance(0.6) ? random.below(40) : random.below(6_000);
    }
  }
  if (isCalm)
    steps.push({
      at: random.between(8_000, 30_000),
      kind: 'stall',
      worker: random.pick(['a1', 'a2']),
      ms: 60_000,
    });
  else
    for (let faults = random.below(6); faults > 0; faults--)
      steps.push(atCommits(faultOf(random, random.below(SPAN_MS), random.pick(all))));
  if (isRelayed) steps.push(...ofBrokers(random, isLosable, writing));
  for (let replays = isCalm ? 0 : random.below(3); replays > 0; replays--)
    steps.push({
      at: random.between(20_000, SPAN_MS + 15_000),
      kind: 'replay',
      worker: random.pick(['a1', 'a2']),
    });
  steps.sort((one, other) => one.at - other.at);
  return { seed, life, workers, isRelayed, isLosable, isCalm, maxBatch: random.pick([2, 4, 8, 500]), steps };
}

/** @param {import('../random.mjs').Random} random @param {boolean} isLosable @param {() => Writing} writing @returns {Step[]} */
function ofBrokers(random, isLosable, writing) {
  /** @type {Step[]} */
  const steps = [];
  if (random.chance(0.3))
    steps.push({ at: random.below(SPAN_MS), kind: 'away', ms: random.between(300, 12_000) });
  if (isLosable) {
    const at = random.between(10_000, SPAN_MS);
    steps.push({ at, kind: 'lose', isWhole: random.chance(0.5) });
    // some that are lost with them
    steps.push({ at: at - random.between(20, 600), kind: 'write', worker: 'w1', writing: writing() });
  }
  for (let times = random.below(4); times > 0; times--) {
    const group = random.pick(['messages', 'marketing']);
    steps.push({ at: random.below(SPAN_MS), kind: 'rebalance', group });
  }
  return steps;
}

/** @param {import('../random.mjs').Random} random @param {boolean} isCalm @param {boolean} isRough @returns {Kind} */
function kindOf(random, isCalm, isRough) {
  if (isCalm) return 'fine';
  const luck = random.next();
  if (isRough && luck < 0.12) return random.pick(ENDING);
  if (luck < 0.4)
    return random.pick(/** @type {Kind[]} */ (['slow', 'transient', 'heavy', 'heavy', 'heavy']));
  return 'fine';
}

/** There are no claims of rows here. @param {import('../faults.mjs').Fault} fault @returns {import('../faults.mjs').Fault} */
const atCommits = (fault) =>
  fault.kind === 'cut' && fault.on === 'claim' ? { ...fault, on: 'commit' } : fault;

/** A step as a line for people. @param {Step} step */
export function lineOf(step) {
  const at = `${(step.at / 1_000).toFixed(3).padStart(8)} s  `;
  switch (step.kind) {
    case 'write': {
      const { name, events, dropped, isUndone, ms } = step.writing;
      const text = (/** @type {Planned[]} */ some) =>
        some.map(({ n, of, key, kind }) => `${n} (${of}, ${key}, ${kind})`).join(', ');
      const without = dropped.length > 0 ? `, without ${text(dropped)} of its savepoint` : '';
      return `${at}${step.worker} writes ${name}: ${text(events)}${without}, in ${ms} ms${isUndone ? ', and rolls it back' : ''}`;
    }
    case 'join':
      return `${at}${step.worker} is the first of its group`;
    case 'away':
      return `${at}the brokers are away for ${step.ms} ms`;
    case 'lose':
      return `${at}the topics are lost${step.isWhole ? ', and the groups with them' : ''}`;
    case 'rebalance':
      return `${at}partitions of ${step.group} are assigned anew`;
    case 'replay':
      return `${at}${step.worker} handles its dead letters again`;
    default:
      return lineOfFault(step);
  }
}
