// @ts-check
// The verdict about a life of keys.
import { isLinearizable } from './linearizable.rules.mjs';

/** @typedef {import('./linearizable.rules.mjs').Op} Op */
/** @typedef {Pick<Awaited<ReturnType<import('./life.mjs').Life['history']>>, 'ops' | 'times' | 'uncaught' | 'faults'>} History */

// A release, or the end of a session, is known to the database within this.
const SLACK_MS = 3_000;

/** @param {History} history @returns {import('../subjects.mjs').Breach[]} */
export function judge({ ops, times, uncaught, faults }) {
  const keys = [...new Set(ops.map(({ key }) => key))];
  const clients = [...new Set(ops.map(({ name }) => clientOf(name)))];
  const last = (/** @type {string} */ client) => ops.filter(({ name }) => clientOf(name) === client).at(-1);
  return [
    ...uncaught.map((text) => ({ rule: 'runs', text })),
    ...keys
      .filter(
        (key) =>
          !isLinearizable(
            ops.filter((op) => op.key === key),
            times,
          ),
      )
      .map((key) => ({
        rule: 'one-at-a-time',
        text: `${key} has answers that no order of its requests explains`,
      })),
    ...ops
      .filter((op) => op.answer === 'made' && op.ends === 'made' && !op.hasEffect)
      .map(({ name }) => ({ rule: 'effect', text: `${name} was answered, and has no effect` })),
    ...clients
      .filter((client) => ['none', 'busy'].includes(last(client)?.answer ?? 'none'))
      .map((client) => ({ rule: 'answered', text: `${client} never gets an answer` })),
    ...heldByNone(ops, faults),
  ];
}

/**
 * A key is busy only while a run has it: it is free seconds after the end of its process, but for creates of API keys.
 * @param {Op[]} ops @param {History['faults']} faults
 */
function heldByNone(ops, faults) {
  return ops
    .filter((op) => op.answer === 'busy' && !op.isSecret)
    .filter((op) => {
      const isQuiet = faults.every(({ kind, from }) => kind === 'end' || from > op.to);
      const holders = ops.filter(
        (other) =>
          other !== op &&
          other.key === op.key &&
          other.from <= op.to &&
          (other.end ?? Infinity) >= op.from - SLACK_MS,
      );
      return isQuiet && holders.every(({ answer }) => answer === 'busy');
    })
    .map(({ name }) => ({ rule: 'freed', text: `${name} finds its key in progress, and no run has it` }));
}

const clientOf = (/** @type {string} */ name) => name.split('.')[0];
