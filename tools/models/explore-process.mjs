// @ts-check
// A process that explores one model, and reports to the one that started it.
import { explore } from './explore.mjs';
import { MODELS } from './models.table.mjs';
import { bringQuint, readModel } from './quint.mjs';

/** @typedef {{ name: string, constants: Record<string, boolean | number>, folder: string }} Order */
/**
 * @typedef {Omit<import('./explore.mjs').Explored, 'actions'> & { all: string[], never: string[] }} Report
 *   `all` actions of the model; `never`: those that were possible nowhere */

// more than a check of minutes can have: the sizes of the table are too large
const MOST_STATES = 400_000;

const { name, constants, folder } = /** @type {Order} */ (JSON.parse(process.argv[2] ?? '{}'));
const { holds, nameOf } = /** @type {import('./models.table.mjs').Model} */ (MODELS[name]);
const quint = bringQuint();
const model = await readModel(quint, name, constants, folder);
const { actions, ...explored } = explore(quint, model, { nameOf, rules: holds, mostStates: MOST_STATES });
const all = [...new Set(model.calls.map((call) => String(call.split('(')[0])))];
process.send?.({ ...explored, all, never: all.filter((action) => !actions.has(action)) });
process.disconnect?.();
