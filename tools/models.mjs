#!/usr/bin/env node
// @ts-check
// The models of models/, checked: every state of each, the same models with one rule left out, which must break, and traces of
// them replayed against the code (docs/reliability.md, decision 176).
//   node tools/models.mjs [--quick] [--seed 7]    quick: a smaller size, and no faults in the code
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepare } from './prepare.mjs';
import { inProcess } from './models/in-process.mjs';
import { MODELS } from './models/models.table.mjs';
import { bringQuint, tracesOf } from './models/quint.mjs';

const { values: options } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, seed: { type: 'string', default: '7' } },
});
const size = options.quick ? 'quick' : 'whole';

await prepare();
bringQuint();
const folder = mkdtempSync(join(tmpdir(), 'postmesh-models-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
let passed = 0;
let failed = 0;
await Promise.all(Object.keys(MODELS).map(check));
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** @param {string} name */
async function check(name) {
  const { rules, sizes, never } = MODELS[name];
  const { constants } = sizes[size];
  const all = Object.fromEntries(rules.map((rule) => [rule, true]));
  const sizeText = Object.entries(constants)
    .map(([what, count]) => `${what.toLowerCase()} ${count}`)
    .join(', ');
  /** @type {string[]} */
  let actions = [];
  await say(`${name}, 3 workers, ${sizeText}`, async () => {
    const found = await explored(name, 'sound', { ...all, ...constants });
    actions = found.all.filter((action) => !never.includes(action));
    const missing = found.never.filter((action) => !never.includes(action));
    if (found.failure)
      return [false, `${found.failure.broken} does not hold: ${found.failure.trace.join(' ')}`];
    if (!found.isWhole) return [false, `more than ${found.states} states`];
    if (missing.length > 0) return [false, `never possible: ${missing}`];
    return [true, `all ${found.states} states, ${found.steps} steps, holds`];
  });
  for (const rule of rules) {
    await say(`${name} without ${rule}`, async () => {
      const { failure } = await explored(name, rule, { ...all, ...sizes.quick.constants, [rule]: false });
      if (!failure) return [false, 'is not found to be broken'];
      return [true, `${failure.broken} breaks: ${failure.trace.slice(1).join(' ')}`];
    });
  }
  await replay(name, all, actions);
}

/** @param {string} name @param {string} variant @param {Record<string, boolean | number>} constants @returns {Promise<import('./models/explore-process.mjs').Report>} */
function explored(name, variant, constants) {
  return inProcess('./explore-process.mjs', { name, constants, folder: join(folder, variant) });
}

/** @param {string} name @param {Record<string, boolean>} all @param {readonly string[]} wanted actions that some trace must have */
async function replay(name, all, wanted) {
  const { sizes, traced, mutations } = MODELS[name];
  const { traces, steps } = sizes[size];
  const how = { folder: join(folder, 'traces'), seed: Number(options.seed), traces, steps };
  const files = tracesOf(name, { ...all, ...traced }, how);
  /** @param {string} [mutation] @returns {Promise<import('./models/replay/process.mjs').Replayed>} */
  const against = (mutation) => inProcess('./replay/process.mjs', { model: name, files, mutation });
  await say(`${name}, ${traces} traces against the code`, async () => {
    const { steps: taken, actions, difference } = await against();
    if (difference) return [false, `${difference.steps.join(' ')}: ${difference.text}`];
    const missing = wanted.filter((action) => !actions.includes(action));
    if (!options.quick && missing.length > 0) return [false, `no trace has ${missing}`];
    return [true, `${taken} steps, no difference`];
  });
  for (const mutation of options.quick ? [] : mutations) {
    await say(`${name}, ${mutation} in the code`, async () => {
      const { difference } = await against(mutation);
      return difference ? [true, `differs: ${difference.steps.slice(1).join(' ')}`] : [false, 'is not found'];
    });
  }
}

/** @param {string} what @param {() => Promise<[boolean, string]>} work */
async function say(what, work) {
  const began = performance.now();
  const [isWell, text] = await work().catch(
    (error) => /** @type {[boolean, string]} */ ([false, error.message]),
  );
  if (isWell) passed++;
  else failed++;
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  console.log(`${isWell ? '' : 'FAILED '}${what}: ${text} (${seconds} s)`);
}
