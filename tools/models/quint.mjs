// @ts-check
// Quint, and a model that it has read. Its packages are those of models/package-lock.json, as `npm start` needs none of them.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { outsidePath, root } from '../prepare.mjs';

const MODELS = join(root, 'models');
const STAMP = join(MODELS, 'node_modules', '.postmesh-installed');
const STEP_MS = 300_000;

/** @param {string} text @returns {string} */
const hashOf = (text) => createHash('sha256').update(text).digest('hex');

/** @returns {NodeJS.Require} that finds the modules of Quint */
export function bringQuint() {
  const wanted = hashOf(readFileSync(join(MODELS, 'package-lock.json'), 'utf8'));
  if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== wanted) {
    const args = [
      'ci',
      '--ignore-scripts',
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ];
    run('npm', args, { ...process.env, PATH: outsidePath() });
    writeFileSync(STAMP, wanted);
  }
  return createRequire(join(MODELS, 'package.json'));
}

/** @param {string} command @param {string[]} args @param {NodeJS.ProcessEnv} [env] */
function run(command, args, env = process.env) {
  const done = spawnSync(command, args, { cwd: MODELS, env, encoding: 'utf8', timeout: STEP_MS });
  if (done.status !== 0) throw new Error(`${command} ${args.join(' ')}: ${done.stderr}${done.stdout}`);
}

/** The text of a model with a module `checked` in which its constants have values. @param {string} name @param {Record<string, boolean | number>} constants */
function textOf(name, constants) {
  const values = Object.entries(constants).map(([constant, value]) => `${constant} = ${value}`);
  const text = readFileSync(join(MODELS, `${name}.qnt`), 'utf8');
  return `${text}\nmodule checked { import ${name}(${values.join(', ')}).* }\n`;
}

/** @param {string} name @param {Record<string, boolean | number>} constants @param {string} folder @returns {string} a file */
function write(name, constants, folder) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.qnt`);
  writeFileSync(file, textOf(name, constants));
  return file;
}

/**
 * @typedef {object} Read a model whose expressions can be evaluated
 * @property {(text: string) => any} expression
 * @property {readonly string[]} calls the actions of `step`, each with the values of its parameters
 */

/**
 * @param {NodeJS.Require} quint @param {string} name @param {Record<string, boolean | number>} constants @param {string} folder
 * @returns {Promise<Read & { table: any }>}
 */
export async function readModel(quint, name, constants, folder) {
  const part = (/** @type {string} */ file) => quint(`@informalsystems/quint/dist/src/${file}`);
  const { load, parse, typecheck } = part('cliCommands');
  const { toExpr } = part('cliHelpers');
  const input = write(name, constants, folder);
  const right = (/** @type {any} */ result) => {
    if (result.isRight()) return result.value;
    throw new Error(`${name}: ${JSON.stringify(result.value.stage?.errors ?? result.value, plainText)}`);
  };
  const loaded = right(await load({ input, main: 'checked' }));
  const read = right(await typecheck(right(await parse(loaded))));
  const expression = (/** @type {string} */ text) => right(toExpr(read, text));
  const { declarations } = read.modules.find((/** @type {any} */ one) => one.name === name);
  const step = declarations.find((/** @type {any} */ one) => one.name === 'step').expr;
  return { table: read.resolver.table, expression, calls: callsOf(step) };
}

/** @param {string} _key @param {unknown} value */
const plainText = (_key, value) => (typeof value === 'bigint' ? String(value) : value);

/** The choices of `nondet` are sets of names; only their values are needed here. @type {Record<string, number[]>} */
const SETS = { WORKERS: [1, 2, 3], BODIES: [1, 2] };

/** @param {any} expression of `step`: some choices, then `any` of the actions @returns {string[]} */
function callsOf(expression) {
  /** @type {{ name: string, values: number[] }[]} */
  const choices = [];
  let rest = expression;
  for (; rest.kind === 'let'; rest = rest.expr) {
    const [set] = rest.opdef.expr.args;
    const values = SETS[set.name];
    if (values === undefined) throw new Error(`a choice of ${set.name}`);
    choices.push({ name: rest.opdef.name, values });
  }
  if (rest.opcode !== 'actionAny') throw new Error('a step is any of its actions');
  return rest.args.flatMap((/** @type {any} */ action) => {
    if (action.kind === 'name') return [action.name];
    const names = action.args.map((/** @type {any} */ one) => one.name);
    return every(
      names.map((/** @type {string} */ name) => choices.find((one) => one.name === name)?.values ?? []),
    ).map((values) => `${action.opcode}(${values.join(', ')})`);
  });
}

/** @param {number[][]} sets @returns {number[][]} their product */
const every = ([first, ...rest]) =>
  first === undefined ? [[]] : first.flatMap((value) => every(rest).map((values) => [value, ...values]));

/**
 * Traces of chance, by Quint's own simulator, in files of the Informal Trace Format.
 * @param {string} name @param {Record<string, boolean | number>} constants
 * @param {{ folder: string, seed: number, traces: number, steps: number }} how
 * @returns {string[]} their files
 */
export function tracesOf(name, constants, { folder, seed, traces, steps }) {
  const input = write(name, constants, folder);
  const cli = join(MODELS, 'node_modules/@informalsystems/quint/dist/src/cli.js');
  run(process.execPath, [
    ...[cli, 'run', input, '--main', 'checked', '--backend', 'typescript', '--mbt', '--verbosity', '0'],
    ...['--invariant', 'safe', '--seed', String(seed), '--max-steps', String(steps)],
    ...[
      '--max-samples',
      String(traces),
      '--n-traces',
      String(traces),
      '--out-itf',
      join(folder, `${name}-{seq}.itf.json`),
    ],
  ]);
  return Array.from({ length: traces }, (_, nth) => join(folder, `${name}-${nth}.itf.json`));
}
