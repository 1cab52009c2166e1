// @ts-check
// The verdict about a life of the log, from what happened in it.
import { EVENTS, GROUPS } from './events.mjs';
import { TAKES_OVER_MS } from './limits.table.mjs';
import { DIES } from './plan.mjs';

/** @typedef {import('../subjects.mjs').Breach} Breach */
/** @typedef {{ group: string, n: number, at: number }} Effect in their order */
/** @typedef {{ group: string, eventId: string, kind: string, reason: string }} Dead */
/** @typedef {{ stream: string, position: number, at: number, event: any }} Appended a committed event */
/**
 * @typedef {object} History
 * @property {import('./plan.mjs').Plan} plan
 * @property {import('./life.mjs').Written[]} written
 * @property {string[]} changes names of transactions that are committed
 * @property {Appended[]} appended in the order of their positions
 * @property {{ stream: string, position: number, groups: string[] }[]} trimmed with the groups that were known then
 * @property {{ rule: string, what: string }[]} seen by triggers
 * @property {string[]} groups that have had a member
 * @property {Effect[]} effects
 * @property {Dead[]} dead
 * @property {{ group: string, n: number }[]} unhandled
 * @property {{ at: string }[]} untrimmed
 * @property {number} batches
 * @property {boolean} isWithin a member stalled within a transaction
 * @property {{ owner: string | undefined, kind: string, from: number, to: number }[]} faults
 * @property {string[]} uncaught
 * @property {number} start
 * @property {number} endedAt
 * @property {number} steps
 * @property {number} hash
 * @property {string[]} trace
 */

/** An event that was alone in flight at so many ends of a process may be set aside, whatever it is (decision 87). */
const MAX_ALONE = 3;
/** One process of a group may end before it notes what is in flight, and a last one at the same time. */
const MAX_ENDS = 8;

/** @param {History} history @returns {Breach[]} */
export function judge(history) {
  const { uncaught, seen, unhandled, untrimmed, groups } = history;
  return [
    ...uncaught.map((text) => ({ rule: 'runs', text })),
    ...seen.map(({ rule, what }) => ({ rule, text: what })),
    ...unhandled.map(({ group, n }) => ({ rule: 'skipped', text: `${group} has not handled ${n}` })),
    ...untrimmed.map(({ at }) => ({ rule: 'ends', text: `${at} is not removed` })),
    ...history.written.flatMap((one) => judgeWritten(history, one)),
    ...groups.flatMap((group) => judgeGroup(history, group)),
    ...judgeTurns(history),
  ];
}

/** @param {History} history @param {import('./life.mjs').Written} written @returns {Breach[]} */
function judgeWritten({ appended, changes }, { writing: { name, events, dropped }, end }) {
  const isChanged = changes.includes(name);
  const counts = events.map(({ n }) => appended.filter(({ event }) => event.data.n === n).length);
  const isWhole = counts.every((count) => count === (isChanged ? 1 : 0));
  const breach = (/** @type {string} */ text) => ({ rule: 'transaction', text: `${name}: ${text}` });
  return [
    ...(isWhole
      ? []
      : [breach(`is ${isChanged ? '' : 'not '}there, its events are in the log ${counts.join(', ')} times`)]),
    ...(end === 'done' && !isChanged ? [breach('was answered, and is not there')] : []),
    ...(end === 'undone' && isChanged ? [breach('was rolled back, and is there')] : []),
    ...dropped
      .filter(({ n }) => appended.some(({ event }) => event.data.n === n))
      .map(({ n }) => breach(`${n} of a savepoint that was rolled back is in the log`)),
  ];
}

/** @param {History} history @param {string} group @returns {Breach[]} */
function judgeGroup(history, group) {
  const { appended, plan } = history;
  const types = new Set((GROUPS[group] ?? []).map((of) => EVENTS[of].type));
  const known = appended.filter(({ event }) => types.has(event.type));
  const effects = history.effects.filter((one) => one.group === group);
  const dead = history.dead.filter((one) => one.group === group);
  /** @type {Breach[]} */
  const breaches = [];
  const breach = (/** @type {string} */ rule, /** @type {string} */ text) =>
    breaches.push({ rule, text: `${group}: ${text}` });
  for (const { event } of known) {
    const { n } = event.data;
    const kind = kindOf(plan, n);
    const count = effects.filter((one) => one.n === n).length;
    const gone = dead.filter(({ eventId }) => eventId === event.id);
    if (count > 1) breach('twice', `${n} has its effect ${count} times`);
    if (gone.length > 1 || (gone.length > 0 && count > 0))
      breach('dead', `${n} is ${gone.length} dead letters, and has its effect ${count} times`);
    if (DIES.has(kind) && kind !== 'bug' && count > 0) breach('dead', `${n} (${kind}) has its effect`);
    const [givenUp] = gone;
    if (givenUp && !DIES.has(kind) && !maySetAside(history, givenUp))
      breach('dead', `${n} (${kind}) is a dead letter: ${givenUp.reason}`);
  }
  const foreign = effects.filter(({ n }) => !known.some(({ event }) => event.data.n === n));
  for (const { n } of foreign) breach('order', `${n} has an effect without being in the log`);
  breaches.push(...judgeOrder(history, group, known, effects), ...judgeEnds(history, group));
  return breaches;
}

/**
 * Events of a key, those that never were dead letters.
 * @param {History} history @param {string} group @param {Appended[]} known @param {Effect[]} effects @returns {Breach[]}
 */
function judgeOrder({ plan, dead }, group, known, effects) {
  // what was lost with a topic comes behind what is newer (decision 117)
  if (plan.isLosable) return [];
  /** @type {Map<string, number>} */
  const last = new Map();
  const places = new Map(known.map((one) => [one.event.data.n, one]));
  /** @type {Breach[]} */
  const breaches = [];
  for (const { n } of effects) {
    const place = places.get(n);
    if (!place || DIES.has(kindOf(plan, n)) || dead.some(({ eventId }) => eventId === place.event.id))
      continue;
    const key = `${place.stream} ${place.event.key}`;
    if (place.position < (last.get(key) ?? 0))
      breaches.push({
        rule: 'order',
        text: `${group}: ${n} has its effect behind a later event of ${place.event.key}`,
      });
    last.set(key, Math.max(place.position, last.get(key) ?? 0));
  }
  return breaches;
}

/** @param {History} history @param {string} group @returns {Breach[]} */
function judgeEnds(history, group) {
  const ends = endsByEvents(history, group);
  return ends > MAX_ENDS ? [{ rule: 'crash-loop', text: `${group}: an event ends ${ends} processes` }] : [];
}

/** @param {History} history @param {string} group */
const endsByEvents = ({ faults }, group) =>
  faults.filter(
    ({ owner, kind }) => kind === 'crash-by-event' && owner?.startsWith(group === 'messages' ? 'a' : 'b'),
  ).length;

/** A member that does nothing keeps its turn no longer than its lease. @param {History} history @returns {Breach[]} */
function judgeTurns({ plan, appended, effects, faults, isWithin }) {
  if (!plan.isCalm || isWithin) return [];
  const stall = faults.find(({ kind }) => kind === 'stall');
  const waited = effects.flatMap(({ group, n, at }) => {
    const event = appended.find((one) => one.event.data.n === n);
    return group === 'messages' && event && stall ? [{ n, from: Math.max(event.at, stall.from), at }] : [];
  });
  return waited
    .filter(({ from, at }) => at - from > TAKES_OVER_MS)
    .map(({ n, from, at }) => ({ rule: 'takeover', text: `${n} waits for ${Math.round(at - from)} ms` }));
}

/**
 * Only what is alone in flight at three ends or more, which then are none of the event that ends processes.
 * @param {History} history @param {Dead} givenUp
 */
const maySetAside = (history, { reason, group }) =>
  reason.startsWith('set aside') &&
  history.faults.filter(({ kind }) => kind === 'end' || kind === 'outage' || kind === 'cut').length -
    endsByEvents(history, group) >=
    MAX_ALONE;

/** @param {import('./plan.mjs').Plan} plan @param {number} n */
function kindOf({ steps }, n) {
  for (const step of steps)
    if (step.kind === 'write') for (const event of step.writing.events) if (event.n === n) return event.kind;
  return 'fine';
}
