// @ts-check
// The faults of a plan: what may happen to a process, its sessions and the database.

/** @typedef {'any' | 'commit' | 'claim'} On */
/**
 * @typedef {{ at: number } & (
 *   | { kind: 'crash', worker: string, skip: number, after: boolean, restartMs: number, on?: On }
 *   | { kind: 'cut', worker: string, skip: number, after: boolean, on: On }
 *   | { kind: 'outage', ms: number }
 *   | { kind: 'stall', worker: string, ms: number }
 *   | { kind: 'stop', worker: string, restartMs: number }
 *   | { kind: 'clock', worker: string, ms: number })} Fault `at`: ms from the beginning. `skip`: so many statements of the
 *   process come before it; `after`: the statement is executed, and its answer lost; `on`: the next one of this kind
 */

/** @param {import('./random.mjs').Random} random @param {number} at @param {string} worker @returns {Fault} */
export function faultOf(random, at, worker) {
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

/** A fault as a line for people. @param {Fault} step */
export function lineOfFault(step) {
  const at = `${(step.at / 1_000).toFixed(3).padStart(8)} s  `;
  switch (step.kind) {
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
