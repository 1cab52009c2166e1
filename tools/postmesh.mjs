#!/usr/bin/env node
// npx postmesh <command>: the operator interface on the command line. Plain JavaScript without dependencies.
// POSTMESH_OPERATOR_URL and POSTMESH_OPERATOR_TOKEN, else credentials.json in POSTMESH_DATA_DIR (./.data), say whom to ask.
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { COMMANDS } from './operator-cli/commands.mjs';
import { tablesOf } from './operator-cli/tables.mjs';
import { OperatorTrouble, parseJson } from './operator-cli/trouble.mjs';

const TIMEOUT_MS = 30_000;

/**
 * @param {string[]} words command line behind the program's name
 * @param {Record<string, string | undefined>} env
 * @returns {Promise<{text: string, code: number}>} what to print and the exit code
 */
export async function runCommand(words, env) {
  const json = words.includes('--json');
  const [name = 'help', ...given] = words.filter((word) => word !== '--json');
  if (['help', '--help', '-h'].includes(name)) return { text: helpText(), code: 0 };
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) throw new OperatorTrouble(`there is no command ${name}\n\n${helpText()}`);
  if (given.length < (command.least ?? 0)) {
    throw new OperatorTrouble(`usage: npx postmesh ${name} ${command.usage}`);
  }
  const answer = await ask(findOperator(env), command.request(given));
  const text = json || !command.tables ? JSON.stringify(answer, null, 2) : tablesOf(answer, command.tables);
  return { text, code: command.isBad?.(answer) ? 1 : 0 };
}

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

async function ask({ url, token }, { method = 'GET', path, body }) {
  const target = `${url.replace(/\/$/, '')}${path.startsWith('/') ? '' : '/'}${path}`;
  const response = await fetch(target, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((error) => {
    throw new OperatorTrouble(
      `no answer from ${url} (${error.cause?.code ?? error.message}): is Postmesh running?`,
    );
  });
  const text = await response.text();
  if (!response.ok) throw new OperatorTrouble(`${method} ${path}: ${response.status} ${messageOf(text)}`);
  return parseJson(text);
}

function messageOf(text) {
  try {
    return JSON.parse(text).message ?? text;
  } catch {
    return text.slice(0, 500);
  }
}

function helpText() {
  const lines = Object.entries(COMMANDS).map(([name, { usage = '', help }]) => [
    `${name} ${usage}`.trim(),
    help,
  ]);
  const width = Math.max(...lines.map(([left]) => left.length));
  return [
    'npx postmesh <command> [--json]',
    '',
    ...lines.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`),
  ].join('\n');
}

if (process.argv[1] && import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href) {
  try {
    const { text, code } = await runCommand(process.argv.slice(2), process.env);
    console.log(text);
    process.exitCode = code;
  } catch (error) {
    if (!(error instanceof OperatorTrouble)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  }
}
