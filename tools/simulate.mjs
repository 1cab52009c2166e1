#!/usr/bin/env node
// @ts-check
// npm run simulate: deliveries, and more, under a scheduler that decides every order, crash and lost answer (docs/reliability.md).
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { prepare } from './prepare.mjs';
import { runLives } from './simulate/lives.mjs';
import { runMutations } from './simulate/run-mutations.mjs';
import { renderFailure, renderTotals } from './simulate/report.mjs';
import { SUBJECTS } from './simulate/subjects.mjs';

const HELP = `npm run simulate -- [options]
  --of <subject>   ${Object.keys(SUBJECTS).join(', ')} or all, which share the time; default: deliveries
  --seed <n>       which lives; default: one by chance, which is printed
  --lives <n>      how many at most; default 500
  --seconds <n>    how long at most; of all mutations: 900
  --life <n>       only this one, with every statement in its trace
  --processes <n>  side by side; default: as many as the machine has processors
  --mutations      puts known faults back, one after the other, and says which are found: of all subjects, or with --of of one
  --mutation <name>  lives with one of these faults`;

const ALL = 'all';
const options = optionsOrExit();
await prepare();
const until = options.seconds && performance.now() + options.seconds * 1_000;
// no exit: a long trace is still being written
process.exitCode = (await run()) ? 0 : 1;

/** @returns {Promise<boolean>} whether all is well */
async function run() {
  const { of, seed, seconds, processes } = options;
  if (options.mutations)
    return runMutations({ of: options.only, seed, seconds: seconds ?? 900, processes }, (line) =>
      console.log(line),
    );
  const subjects = of === ALL ? Object.keys(SUBJECTS) : [of];
  let isWell = true;
  for (const [nth, subject] of subjects.entries()) {
    const share = until && (until - performance.now()) / 1_000 / (subjects.length - nth);
    isWell = (await runOne(subject, share)) && isWell;
  }
  return isWell;
}

/** @param {string} of @param {number | undefined} seconds @returns {Promise<boolean>} */
async function runOne(of, seconds) {
  const { seed, processes, mutation, life } = options;
  const isOne = life !== undefined;
  const totals = await runLives({
    ...{ of, seed, seconds, mutation },
    from: life ?? 0,
    lives: isOne ? 1 : options.lives,
    processes: isOne ? 1 : processes,
    isTraced: isOne,
  });
  if (totals.failure) console.log(renderFailure(of, seed, totals.failure));
  console.log(renderTotals(of, seed, totals));
  return totals.lives > 0 && (totals.failure?.breaches.length ?? 0) === 0;
}

function optionsOrExit() {
  /** @type {{ type: 'string' }} */
  const text = { type: 'string' };
  /** @type {{ type: 'boolean' }} */
  const flag = { type: 'boolean' };
  try {
    const parsed = parseArgs({
      options: {
        of: text,
        seed: text,
        lives: text,
        seconds: text,
        life: text,
        processes: text,
        mutation: text,
        mutations: flag,
        help: flag,
      },
    });
    const values = /** @type {Record<string, any>} */ (parsed.values);
    if (values.help) {
      console.log(HELP);
      process.exit(0);
    }
    const whole = (/** @type {string | undefined} */ text) =>
      text === undefined ? undefined : wholeNumber(text);
    const of = String(values.of ?? 'deliveries');
    if (!(of in SUBJECTS) && of !== ALL) throw new Error(`${of} is not simulated`);
    return {
      of,
      only: of === ALL ? undefined : values.of,
      seed: whole(values.seed) ?? Math.floor(Math.random() * 2 ** 31),
      lives: whole(values.lives) ?? 500,
      seconds: whole(values.seconds),
      life: whole(values.life),
      processes: Math.max(1, whole(values.processes) ?? availableParallelism()),
      mutation: values.mutation,
      mutations: values.mutations === true,
    };
  } catch (error) {
    console.error(`${error.message}\n${HELP}`);
    process.exit(2);
  }
}

/** @param {string} text */
function wholeNumber(text) {
  if (!/^\d{1,10}$/.test(text)) throw new Error(`${text} is not a whole number`);
  return Number(text);
}
