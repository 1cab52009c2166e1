#!/usr/bin/env node
// @ts-check
// npx postmesh <command>: the operator interface on the command line. Plain JavaScript without dependencies.
// POSTMESH_OPERATOR_URL and POSTMESH_OPERATOR_TOKEN, else credentials.json in POSTMESH_DATA_DIR (./.data), say whom to ask.
import { accessSync, constants, createReadStream, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { COMMANDS, GROUPS } from './operator-cli/commands.mjs';
import { OperatorTrouble, parseJson } from './operator-cli/requests.mjs';
import { commandHelp, helpText, readArguments, shownResponse } from './operator-cli/terminal.mjs';

const TIMEOUT_MS = 30_000;
const FILE_TIMEOUT_MS = 300_000;
const NEXT_MS = 1_000;
// What shows no progress for two minutes is not waited for any longer.
const MAX_UNCHANGED = 120;

/** @typedef {import('./operator-cli/requests.mjs').OperatorRequest} OperatorRequest */

/**
 * @param {string[]} words command line behind the program's name
 * @param {Record<string, string | undefined>} env
 * @param {(text: string) => void} [showProgress] gets what a command that goes on says meanwhile
 * @returns {Promise<{text: string, code: number}>} what to print and the exit code
 */
export async function runCommand(words, env, showProgress = () => undefined) {
  const [name = 'help', ...given] = words.filter((word) => word !== '--json');
  const asksForHelp = given.some((word) => HELP.includes(word));
  if (HELP.includes(name) || name === 'help') return { text: helpOn(given[0]), code: 0 };
  const command = find(name);
  if (asksForHelp) return { text: commandHelp(name, command), code: 0 };
  const { words: values, options } = readArguments(name, command, given);
  const isTable = !words.includes('--json') && (command.tables ?? command.fields ?? command.text);
  const shown = (response) =>
    isTable ? shownResponse(response, command) : JSON.stringify(response, null, 2);
  const response = command.run
    ? await command.run(values, options, {
        env,
        ask: (request) => ask(findOperator(env), request),
        say: showProgress,
      })
    : await askUntilLast(findOperator(env), {
        first: /** @type {NonNullable<typeof command.request>} */ (command.request)(values, options),
        next: (latest) => command.next?.(latest, options),
        nextMs: command.nextMs ?? NEXT_MS,
        received: (latest) => (command.received ? command.received(latest, values, options) : latest),
        progress: (latest) => showProgress(shown(latest)),
      });
  return { text: shown(response), code: command.isBad?.(response) ? 1 : 0 };
}

/**
 * Asks once, or again and again while there is something to ask next.
 * @param {{ url: string, token: string }} operator
 * @param {object} asked
 * @param {OperatorRequest} asked.first
 * @param {(response: any) => any} asked.received
 * @param {(response: any) => OperatorRequest | undefined} asked.next
 * @param {number} asked.nextMs
 * @param {(response: any) => void} asked.progress
 */
async function askUntilLast(operator, { first, received, next, nextMs, progress }) {
  let response = received(await ask(operator, first));
  let unchanged = 0;
  for (;;) {
    const request = next(response);
    if (request === undefined || unchanged >= MAX_UNCHANGED) return response;
    if (unchanged === 0) progress(response);
    await pause(nextMs);
    const later = received(await ask(operator, request));
    unchanged = JSON.stringify(later) === JSON.stringify(response) ? unchanged + 1 : 0;
    response = later;
  }
}

const HELP = ['--help', '-h'];

/** @param {string | undefined} name of a command; undefined: all of them */
const helpOn = (name) => (name === undefined ? helpText(GROUPS) : commandHelp(name, find(name)));

/** @param {string} name @returns {import('./operator-cli/requests.mjs').Command} */
function find(name) {
  if (Object.hasOwn(COMMANDS, name)) return COMMANDS[name];
  throw new OperatorTrouble(`there is no command ${name}\n\n${helpText(GROUPS)}`);
}

/** @param {Record<string, string | undefined>} env @returns {{ url: string, token: string }} @throws OperatorTrouble */
function findOperator(env) {
  const { POSTMESH_OPERATOR_URL: url, POSTMESH_OPERATOR_TOKEN: token } = env;
  if (url && token) return { url, token };
  const file = join(env.POSTMESH_DATA_DIR || './.data', 'credentials.json');
  try {
    const { operator_url, operator_token } = JSON.parse(readFileSync(file, 'utf8'));
    return { url: url || operator_url, token: token || operator_token };
  } catch (error) {
    const why = error.code === 'ENOENT' ? 'does not exist' : `cannot be read (${error.message})`;
    throw new OperatorTrouble(
      `${file} ${why}: start Postmesh first, or set POSTMESH_OPERATOR_URL and POSTMESH_OPERATOR_TOKEN`,
    );
  }
}

/**
 * @param {{ url: string, token: string }} operator
 * @param {OperatorRequest} request
 */
async function ask({ url, token }, { method = 'GET', path, body, file }) {
  const target = `${url.replace(/\/$/, '')}${path.startsWith('/') ? '' : '/'}${path}`;
  const response = await fetch(target, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': file ? file.contentType : 'application/json',
    },
    signal: AbortSignal.timeout(file ? FILE_TIMEOUT_MS : TIMEOUT_MS),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(file ? streamOf(file.path) : {}),
  }).catch((error) => {
    throw new OperatorTrouble(
      `no response from ${url} (${error.cause?.code ?? error.message}): is Postmesh running?`,
    );
  });
  const text = await response.text();
  if (!response.ok) throw new OperatorTrouble(`${method} ${path}: ${response.status} ${messageOf(text)}`);
  return parseJson(text);
}

/** @param {string} path @returns {{ body: any, duplex: 'half' }} @throws OperatorTrouble */
function streamOf(path) {
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw new OperatorTrouble(`${path} cannot be read (${error.code})`);
  }
  return { body: createReadStream(path), duplex: 'half' };
}

function messageOf(text) {
  try {
    return JSON.parse(text).message ?? text;
  } catch {
    return text.slice(0, 500);
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href) {
  try {
    const { text, code } = await runCommand(process.argv.slice(2), process.env, (shown) =>
      console.error(`${shown}\n`),
    );
    console.log(text);
    process.exitCode = code;
  } catch (error) {
    if (!(error instanceof OperatorTrouble)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  }
}
