// @ts-check
// A process that runs lives one after the other, with or without a mutation, and reports to the one that started it.
import { installHooks } from './module-hooks.mjs';
import { MUTATIONS } from './mutations.mjs';
import { SUBJECTS } from './subjects.mjs';

/**
 * @typedef {object} Order
 * @property {string} of name of the subject
 * @property {number} seed
 * @property {number} from first life
 * @property {number} stride the next one is so many further
 * @property {number} lives how many at most
 * @property {number} seconds how long at most
 * @property {string} [mutation]
 * @property {boolean} [isShrunk] default: a life that fails is made as short as it can be
 * @property {boolean} [isTraced] every statement is in the trace
 */

const order = /** @type {Order} */ (JSON.parse(process.argv[2] ?? '{}'));
const report = (/** @type {object} */ what) => {
  if (process.connected) process.send?.(what);
};

installHooks(MUTATIONS.find(({ name }) => name === order.mutation));
// its database is stopped by the end of the run, which therefore comes soon
let isWanted = true;
const leave = () => (isWanted = false);
process.once('disconnect', leave).on('SIGINT', leave).on('SIGTERM', leave);
const { runLives } = await import('./run-lives.mjs');
const { SUBJECT } = await /** @type {(typeof SUBJECTS)[string]} */ (SUBJECTS[order.of]).load();
await runLives(SUBJECT, order, report, () => isWanted);
if (process.connected) process.disconnect?.();
