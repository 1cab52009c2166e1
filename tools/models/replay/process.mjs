// @ts-check
// A process that replays traces against the code, with or without a mutation, and reports to the one that started it.
import { deepStrictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { installHooks } from '../../simulate/module-hooks.mjs';
import { MUTATIONS } from '../../simulate/mutations.mjs';

/**
 * @typedef {{ model: string, files: string[], mutation?: string }} Order
 * @typedef {{ traces: number, steps: number, actions: string[], difference: Difference | undefined }} Replayed
 * @typedef {{ file: string, steps: string[], text: string }} Difference `steps` up to the first one after which they differ
 */

const order = /** @type {Order} */ (JSON.parse(process.argv[2] ?? '{}'));
const mutation = MUTATIONS.find(({ name }) => name === order.mutation);
if (order.mutation !== undefined && mutation === undefined) throw new Error(`no fault ${order.mutation}`);
installHooks(mutation);
const { installVirtualTime } = await import('../../simulate/virtual-time.mjs');
const { openStore } = await import('../../simulate/store.mjs');
const { Ground } = await import('./actor.mjs');

const REPLAYS = {
  leases: async () =>
    import('./leases.mjs').then(({ DATABASES, LeasesReplay: Replay }) => ({ DATABASES, Replay })),
  idempotency: async () =>
    import('./idempotency.mjs').then(({ DATABASES, IdempotencyReplay: Replay }) => ({ DATABASES, Replay })),
};
/** @type {(() => Promise<any>) | undefined} */
const load = /** @type {Record<string, () => Promise<any>>} */ (REPLAYS)[order.model];
if (load === undefined) throw new Error(`no replay of ${order.model}`);
const { DATABASES, Replay } = await load();

installVirtualTime();
const ground = new Ground(await openStore(DATABASES));
try {
  for (const { schema } of DATABASES) await ground.open(schema);
  Replay.prepare?.(ground);
  process.send?.(await replayAll());
} finally {
  await ground.close();
}
process.disconnect?.();

/** @returns {Promise<Replayed>} */
async function replayAll() {
  /** @type {Replayed} */
  const replayed = { traces: 0, steps: 0, actions: [], difference: undefined };
  const actions = new Set();
  for (const file of order.files) {
    const { states } = JSON.parse(readFileSync(file, 'utf8'));
    const difference = await replay(states.map(plain), actions);
    replayed.traces++;
    replayed.steps += states.length - 1;
    if (difference === undefined) continue;
    replayed.difference = { file, ...difference };
    break;
  }
  return { ...replayed, actions: [...actions].sort() };
}

/** @param {any[]} states @param {Set<string>} actions @returns {Promise<Omit<Difference, 'file'> | undefined>} */
async function replay(states, actions) {
  await ground.clear();
  const replayed = new Replay(ground);
  /** @type {string[]} */
  const steps = [];
  try {
    await replayed.begin();
    for (const state of states) {
      const { action, picks } = state;
      steps.push(`${action}(${[picks.w, picks.body].filter((pick) => pick !== undefined).join(', ')})`);
      if (action !== 'init') await replayed.act(action, picks);
      actions.add(action);
      deepStrictEqual(await replayed.state(), replayed.expected(state.variables));
    }
    return undefined;
  } catch (error) {
    return { steps, text: error instanceof Error ? error.message : String(error) };
  } finally {
    await replayed.end?.();
  }
}

/** A state of a trace, in values of JavaScript. @param {any} state */
function plain(state) {
  const variables = Object.fromEntries(
    Object.entries(state)
      .filter(([name]) => name.includes('::') && !name.startsWith('mbt::'))
      .map(([name, value]) => [name.split('::').at(-1), valueOf(value)]),
  );
  const picks = Object.entries(state['mbt::nondetPicks']).filter(([, { tag }]) => tag === 'Some');
  return {
    action: state['mbt::actionTaken'],
    picks: Object.fromEntries(picks.map(([name, { value }]) => [name, valueOf(value)])),
    variables,
  };
}

/** @param {any} value of the Informal Trace Format @returns {any} */
function valueOf(value) {
  if (typeof value !== 'object') return value;
  if ('#bigint' in value) return Number(value['#bigint']);
  if ('#map' in value)
    return Object.fromEntries(value['#map'].map((/** @type {any[]} */ pair) => pair.map(valueOf)));
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, valueOf(one)]));
}
