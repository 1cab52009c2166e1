// @ts-check
// The plan of a life of webhooks, from its seed: what happens to messages, who changes endpoints, how receivers answer, and
// which faults come when.
import { faultOf, lineOfFault } from '../faults.mjs';
import { randomOf } from '../random.mjs';

/**
 * @typedef {object} Endpoint
 * @property {string} name its host is `<name>.test`
 * @property {string} account
 * @property {string[]} changes of messages that it wants
 * @property {string | undefined} domain the only one that it wants
 * @property {number} flakiness share of its answers that are no success, while it is up
 * @property {readonly [from: number, to: number][]} down ms from the beginning: every call fails
 */
/** @typedef {{ name: string, message: string, account: string, change: string, domain: string }} Happening */
/** @typedef {'disable' | 'enable' | 'delete' | 'recover' | 'replay'} Act */
/**
 * @typedef {import('../faults.mjs').Fault | ({ at: number } & (
 *   | { kind: 'create', endpoint: Endpoint }
 *   | { kind: 'happens', happening: Happening }
 *   | { kind: Act, endpoint: string }))} Step `at`: ms from the beginning
 */
/** @typedef {{ seed: number, life: number, workers: string[], isNarrow: boolean, steps: Step[] }} Plan steps in the order of time */

const SPAN_MS = 60_000;
const CHANGES = ['delivered', 'deferred', 'opened'];
const DOMAINS = ['a.test', 'b.test'];

/** `h`: processes of webhooks; `d`: dispatchers. @param {number} seed @param {number} life @returns {Plan} */
export function planOf(seed, life) {
  const random = randomOf(seed, life, 'plan of webhooks');
  const workers = ['h1', 'h2', 'd1', 'd2'];
  /** @type {Step[]} */
  const steps = [];
  const isBad = random.chance(0.35);
  // a recovery that has something to bring, and another one behind it, are too rare by chance
  const isRecovered = random.chance(0.3);
  // so is one that fails before it is disabled, and continues when it is enabled
  const isStubborn = !isRecovered && random.chance(0.2);
  for (let nth = random.between(1, 3); nth > 0; nth--) {
    const endpoint = endpointOf(random, `w${nth}`, isBad && nth === 1);
    steps.push({ at: random.below(4_000), kind: 'create', endpoint });
    if (isRecovered) steps.push(...recoveryOf(random, endpoint));
    else if (isStubborn && nth === 1) steps.push(...stubbornnessOf(random, endpoint));
    else steps.push(...actsOf(random, endpoint));
  }
  for (let messages = random.between(1, 4), nth = 0; messages > 0; messages--) {
    const [account, domain] = [random.chance(0.8) ? 'A' : 'B', random.pick(DOMAINS)];
    let at = random.between(1_000, SPAN_MS * 0.7);
    for (let events = random.between(1, 6); events > 0; events--) {
      const happening = { name: `e${++nth}`, message: `m${messages}`, account, domain };
      steps.push({ at, kind: 'happens', happening: { ...happening, change: random.pick(CHANGES) } });
      at += random.chance(0.6) ? random.below(50) : random.below(6_000);
    }
  }
  for (let faults = isRecovered ? random.below(2) : random.below(5); faults > 0; faults--)
    steps.push(faultOf(random, random.below(SPAN_MS), random.pick(workers)));
  steps.sort((one, other) => one.at - other.at);
  return { seed, life, workers, isNarrow: random.chance(0.15), steps };
}

/** @param {import('../random.mjs').Random} random @param {string} name @param {boolean} isDown @returns {Endpoint} */
function endpointOf(random, name, isDown) {
  const changes = CHANGES.filter(() => random.chance(0.7));
  const from = random.below(15_000);
  return {
    name,
    account: random.chance(0.8) ? 'A' : 'B',
    changes: changes.length === 0 ? [CHANGES[0] ?? ''] : changes,
    domain: random.chance(0.3) ? random.pick(DOMAINS) : undefined,
    flakiness: random.chance(0.5) ? 0.05 : 0.35,
    down: isDown || random.chance(0.2) ? [[from, from + random.between(10_000, 45_000)]] : [],
  };
}

/** @param {import('../random.mjs').Random} random @param {Endpoint} endpoint @returns {Step[]} */
function actsOf(random, { name: endpoint }) {
  /** @type {Step[]} */
  const steps = [];
  const luck = random.next();
  const at = random.between(6_000, SPAN_MS * 0.7);
  if (luck < 0.12) steps.push({ at, kind: 'delete', endpoint });
  else if (luck < 0.45) {
    steps.push({ at, kind: 'disable', endpoint });
    if (random.chance(0.8)) steps.push({ at: at + random.below(20_000), kind: 'enable', endpoint });
  }
  if (random.chance(0.5)) steps.push({ at: SPAN_MS + random.below(15_000), kind: 'enable', endpoint });
  for (let more = random.below(3); more > 0; more--)
    steps.push({ at: random.between(10_000, SPAN_MS + 25_000), kind: 'recover', endpoint });
  if (random.chance(0.1)) steps.push({ at: random.between(20_000, SPAN_MS), kind: 'replay', endpoint });
  return steps;
}

/** It is away while events come, recovers, and recovers again. @param {import('../random.mjs').Random} random @param {Endpoint} endpoint @returns {Step[]} */
function recoveryOf(random, { name: endpoint }) {
  const away = random.between(5_000, 12_000);
  const back = random.between(25_000, SPAN_MS * 0.7);
  // the first one is done: it looks again after 45 s (`smaller.table.mjs`)
  const again = back + random.between(60_000, 80_000);
  return [
    { at: away, kind: 'disable', endpoint },
    { at: back, kind: 'enable', endpoint },
    { at: back + random.between(100, 8_000), kind: 'recover', endpoint },
    { at: again, kind: 'recover', endpoint },
  ];
}

/**
 * Its calls fail all the time, though its owner disables it and enables it again: failures before that count no more.
 * @param {import('../random.mjs').Random} random @param {Endpoint} endpoint which is down from now on @returns {Step[]}
 */
function stubbornnessOf(random, endpoint) {
  const { name, account, changes, domain } = endpoint;
  endpoint.down = [[0, SPAN_MS + 20_000]];
  const change = changes[0] ?? '';
  const [until, again] = [random.between(16_000, 20_000), random.between(38_000, 42_000)];
  const eventAt = (/** @type {number} */ at, /** @type {number} */ nth) => ({
    at,
    kind: /** @type {const} */ ('happens'),
    happening: {
      name: `e${51 + nth}`,
      message: 'm5',
      account,
      domain: domain ?? random.pick(DOMAINS),
      change,
    },
  });
  return [
    ...Array.from({ length: 6 }, (_, nth) => eventAt(random.between(6_000, 12_000), nth)),
    { at: until, kind: 'disable', endpoint: name },
    { at: again, kind: 'enable', endpoint: name },
    ...Array.from({ length: 2 }, (_, nth) => eventAt(again + random.between(1_000, 5_000), 6 + nth)),
  ];
}

/**
 * The answer to the nth call of an endpoint.
 * @param {Plan} plan @param {Endpoint} endpoint @param {number} nth @param {number} at ms from the beginning
 * @returns {import('./http-world.mjs').Answer}
 */
export function answerOf({ seed, life }, { name, flakiness, down }, nth, at) {
  const random = randomOf(seed, life, 'answer', name, nth);
  const ms = random.chance(0.15) ? random.between(500, 8_000) : random.between(5, 400);
  const isDown = down.some(([from, to]) => at >= from && at < to);
  const isCalm = at > 2 * SPAN_MS;
  if (!isDown && (isCalm || !random.chance(flakiness))) return { kind: 'ok', ms };
  const kind = random.pick(
    /** @type {import('./http-world.mjs').Answer['kind'][]} */ (
      isDown
        ? ['error', 'error', 'unreachable', 'silent']
        : ['error', 'busy', 'unreachable', 'lost', 'lost', 'silent']
    ),
  );
  if (!isDown && random.chance(0.04)) return { kind: 'kills', ms: Math.min(ms, 500) };
  return { kind, ms };
}

/** A step as a line for people. @param {Step} step */
export function lineOf(step) {
  const at = `${(step.at / 1_000).toFixed(3).padStart(8)} s  `;
  switch (step.kind) {
    case 'create': {
      const { name, account, changes, domain, down } = step.endpoint;
      const outage = down.map(([from, to]) => `, down from ${from} to ${to} ms`).join('');
      return `${at}${name} of account ${account} is created: ${changes.join(', ')} of ${domain ?? 'all domains'}${outage}`;
    }
    case 'happens': {
      const { name, message, account, change, domain } = step.happening;
      return `${at}${name}: ${message} of account ${account} at ${domain} is ${change}`;
    }
    case 'disable':
    case 'enable':
    case 'delete':
      return `${at}${step.endpoint} is to be ${step.kind}d`;
    case 'recover':
      return `${at}${step.endpoint} is to recover all events without success`;
    case 'replay':
      return `${at}all events of ${step.endpoint} are to be called again`;
    default:
      return lineOfFault(step);
  }
}
