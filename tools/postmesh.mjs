#!/usr/bin/env node
// @ts-check
// npx postmesh <command>, or ./postmesh <command>: the operator interface on the command line. Plain JavaScript; what only
// some commands need is loaded by them.
// The address: POSTMESH_OPERATOR_URL and POSTMESH_OPERATOR_TOKEN, else credentials.json in POSTMESH_DATA_DIR (./.data).
import { accessSync, constants, createReadStream, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { COMMANDS, GROUPS } from './operator-cli/commands.mjs';
import { progressOn } from './operator-cli/progress.mjs';
import { OperatorTrouble, parseJson } from './operator-cli/requests.mjs';
import { commandHelp, helpText, readArguments, shownResponse } from './operator-cli/terminal.mjs';

const TIMEOUT_MS = 30_000;
const FILE_TIMEOUT_MS = 300_000;
const NEXT_MS = 1_000;
// Timeout of a command without progress.
const MAX_UNCHANGED_MS = 120_000;

/** @typedef {import('./operator-cli/requests.mjs').OperatorRequest} OperatorRequest */

/**
 * @param {string[]} words command line behind the program's name
 * @param {Record<string, string | undefined>} env
 * @param {import('./operator-cli/requests.mjs').ShowProgress} [showProgress] gets the progress of a long command
 * @returns {Promise<{text: string, code: number}>} what to print and the exit code
 */
export async function runCommand(words, env, showProgress = () => undefined) {
  const [name = 'help', ...given] = words.filter((word) => word !== '--json');
  const asksForHelp = given.some((word) => HELP.includes(word));
  if (HELP.includes(name) || name === 'help') return { text: await helpOn(given[0]), code: 0 };
  const command = await find(name);
  if (asksForHelp) return { text: commandHelp(name, command), code: 0 };
  const { words: values, options } = await withHint(() => readArguments(name, command, given));
  const isTable = !words.includes('--json') && (command.tables ?? command.fields ?? command.text);
  const shown = (response) =>
    isTable ? shownResponse(response, command) : JSON.stringify(response, null, 2);
  const response = command.run
    ? await command.run(values, options, {
        env,
        ask: (request) => ask(findOperator(env), request),
        progress: showProgress,
      })
    : await askUntilLast(findOperator(env), {
        first: /** @type {NonNullable<typeof command.request>} */ (command.request)(values, options),
        next: (latest) => command.next?.(latest, options, values),
        nextMs: command.nextMs ?? NEXT_MS,
        received: (latest) => (command.received ? command.received(latest, values, options) : latest),
        progress: (latest) => command.progress && showProgress(command.progress(latest)),
      });
  return { text: shown(response), code: command.isBad?.(response) ? 1 : 0 };
}

/**
 * Sends one request, or further ones while the command has a next one.
 * @param {{ url: string, token: string }} operator
 * @param {object} asked
 * @param {OperatorRequest} asked.first
 * @param {(response: any) => any} asked.received
 * @param {(response: any) => OperatorRequest | undefined} asked.next
 * @param {number} asked.nextMs
 * @param {(response: any) => unknown} asked.progress
 */
async function askUntilLast(operator, { first, received, next, nextMs, progress }) {
  let response = received(await ask(operator, first));
  let changedAt = performance.now();
  for (;;) {
    const request = next(response);
    if (request === undefined || performance.now() - changedAt > MAX_UNCHANGED_MS) return response;
    await progress(response);
    await pause(nextMs);
    const later = received(await ask(operator, request));
    if (JSON.stringify(later) !== JSON.stringify(response)) changedAt = performance.now();
    response = later;
  }
}

const HELP = ['--help', '-h'];

/** @param {string | undefined} name of a command; undefined: all of them */
const helpOn = async (name) => (name === undefined ? helpText(GROUPS) : commandHelp(name, await find(name)));

/** @param {string} name @returns {Promise<import('./operator-cli/requests.mjs').Command>} */
async function find(name) {
  if (Object.hasOwn(COMMANDS, name)) return COMMANDS[name];
  const hint = await didYouMean(name, Object.keys(COMMANDS));
  throw new OperatorTrouble(`there is no command ${name}${hint}\n\n\`npx postmesh help\` lists all commands`);
}

/** @template T @param {() => T} read @returns {Promise<T>} @throws OperatorTrouble that names what may have been meant */
async function withHint(read) {
  try {
    return read();
  } catch (error) {
    if (error.typo) {
      const hint = await didYouMean(error.typo.word, error.typo.known);
      error.message = error.message.replace('\n', `${hint}\n`);
    }
    throw error;
  }
}

/** Loaded after a typing error only; nothing while Postmesh is not built. @param {string} word @param {string[]} known */
async function didYouMean(word, known) {
  const contracts = await import('@postmesh/contracts').catch(() => undefined);
  return contracts?.didYouMean(word, known) ?? '';
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
async function ask({ url, token }, { method = 'GET', path, body, file, lines }) {
  const stream = file ?? lines;
  const target = `${url.replace(/\/$/, '')}${path.startsWith('/') ? '' : '/'}${path}`;
  const response = await fetch(target, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': stream ? stream.contentType : 'application/json',
    },
    signal: AbortSignal.timeout(stream ? FILE_TIMEOUT_MS : TIMEOUT_MS),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(file ? streamOf(file.path) : {}),
    ...(lines ? { body: Readable.from(bytesOf(lines.lines)), duplex: /** @type {const} */ ('half') } : {}),
  }).catch((error) => {
    throw new OperatorTrouble(
      `no response from ${url} (${error.cause?.code ?? error.message}): is Postmesh running?`,
    );
  });
  const text = await response.text();
  if (!response.ok) {
    const trouble = new OperatorTrouble(`${method} ${path}: ${response.status} ${messageOf(text)}`);
    throw Object.assign(trouble, { status: response.status });
  }
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

async function* bytesOf(lines) {
  for await (const line of lines) yield Buffer.from(line);
}

function messageOf(text) {
  try {
    return JSON.parse(text).message ?? text;
  } catch {
    return text.slice(0, 500);
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href) {
  const progress = progressOn(process.stderr);
  try {
    const { text, code } = await runCommand(process.argv.slice(2), process.env, progress.show);
    progress.end();
    console.log(text);
    process.exitCode = code;
  } catch (error) {
    progress.end();
    if (!(error instanceof OperatorTrouble)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  }
}
