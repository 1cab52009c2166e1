// @ts-check
// Input and output of the terminal: words and options of a command, its help, and its response as text.
import { parseArgs } from 'node:util';
import { OperatorTrouble } from './requests.mjs';

/** @typedef {import('./requests.mjs').Command} Command */
/** @typedef {import('./requests.mjs').Commands} Commands */

/**
 * Parses the words after a command by the definition of the command.
 * @param {string} name of the command
 * @param {Command} command
 * @param {string[]} given
 * @returns {{ words: string[], options: import('./requests.mjs').Options }}
 * @throws OperatorTrouble with the help of the command
 */
export function readArguments(name, command, given) {
  const { options = {}, least = 0, most = Number.POSITIVE_INFINITY } = command;
  const parsed = parse(name, command, given);
  const missing = Object.keys(options).filter(
    (option) => options[option].needed && parsed.values[option] === undefined,
  );
  if (missing.length > 0) throw trouble(name, command, `--${missing[0]} is needed`);
  const words = parsed.positionals;
  if (words.length < least) throw trouble(name, command, 'something is missing');
  if (words.length > most) throw trouble(name, command, `'${words[most]}' is too much`);
  return { words, options: parsed.values };
}

function parse(name, command, given) {
  /** @type {Record<string, { type: 'string' | 'boolean', multiple: boolean }>} */
  const options = {};
  for (const [option, { value, multiple = false }] of Object.entries(command.options ?? {}))
    options[option] = { type: value === undefined ? 'boolean' : 'string', multiple };
  try {
    return parseArgs({ args: given, options, allowPositionals: true, strict: true });
  } catch (error) {
    const [what] = error.message.split('. ');
    const [, option = ''] = /^Unknown option '--([^']+)'/.exec(what) ?? [];
    const typo = { word: `--${option}`, known: Object.keys(options).map((known) => `--${known}`) };
    throw Object.assign(trouble(name, command, what), option === '' ? {} : { typo });
  }
}

const trouble = (name, command, what) => new OperatorTrouble(`${what}\n\n${commandHelp(name, command)}`);

/** @param {Record<string, Commands>} groups title → commands @returns {string} all commands, one line each */
export function helpText(groups) {
  const commands = Object.values(groups).flatMap((group) => Object.entries(group));
  const width = Math.max(...commands.map(([name, { usage = '' }]) => `${name} ${usage}`.trim().length));
  const line = ([name, { usage = '', help }]) => `  ${`${name} ${usage}`.trim().padEnd(width)}  ${help}`;
  return [
    'npx postmesh <command> [--json]',
    '',
    ...Object.entries(groups).flatMap(([title, group]) => [title, ...Object.entries(group).map(line), '']),
    'npx postmesh <command> --help shows one command with its options.',
    '--json prints the response itself instead of a table.',
    '',
    'The address: POSTMESH_OPERATOR_URL with POSTMESH_OPERATOR_TOKEN, else that of the installation whose',
    'credentials.json is in POSTMESH_DATA_DIR (./.data). Actions are recorded in the audit under the name of the token.',
  ].join('\n');
}

/** @param {string} name @param {Command} command @returns {string} one command with its options */
export function commandHelp(name, { usage = '', help, about, options = {}, examples = [] }) {
  /** @type {Record<string, import('./requests.mjs').Option>} */
  const all = { ...options, json: { help: 'print the answer itself' } };
  const rows = Object.entries(all).map(([option, { value = '', help: text, needed, multiple }]) => [
    `--${option} ${value}`.trim(),
    `${text}${needed ? ' (needed)' : ''}${multiple ? ' (may be repeated)' : ''}`,
  ]);
  const width = Math.max(...rows.map(([left]) => left.length));
  const head = ['usage: npx postmesh', name, usage, Object.keys(options).length > 0 ? '[options]' : ''];
  return [
    head.filter((word) => word !== '').join(' '),
    '',
    help,
    ...(about ? [about] : []),
    '',
    ...rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`),
    ...(examples.length > 0 ? ['', ...examples.map((example) => `  npx postmesh ${example}`)] : []),
  ].join('\n');
}

const WIDEST = 120;

/** @param {any} given response of the operator interface @param {Command} command says what of it is shown @returns {string} */
export function shownResponse(given, command) {
  if (command.text) return command.text(given);
  const response = command.present ? command.present(given) : given;
  const width = command.whole ? Number.POSITIVE_INFINITY : WIDEST;
  const more = response?.pagination?.next_cursor;
  return [
    ...(command.fields ? [fieldLines(response, command.fields, command.tables)] : []),
    ...(command.tables ? [tablesOf(response, command.tables, width)] : []),
    ...(more === undefined ? [] : [`more entries: --after ${more}`]),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** One line per field, without fields that are not set. @param names `all`: every field */
function fieldLines(response, names, tables = {}) {
  const listed = names === 'all' ? flat(response) : listedFields(response, names, tables);
  const known = listed.filter(([, value]) => value !== undefined && value !== null);
  const width = Math.max(...known.map(([name]) => name.length));
  return known
    .map(([name, value]) => `${name.padEnd(width)}  ${cell(value, Number.POSITIVE_INFINITY)}`)
    .join('\n');
}

/** Among the names, `...` is every field that no other name and no table shows. */
function listedFields(response, names, tables) {
  const shown = ['object', ...names, ...Object.keys(tables)];
  return names.flatMap((name) => {
    if (name !== '...') return [[name, response[name]]];
    return Object.entries(response).filter(([other]) => !shown.includes(other));
  });
}

/** Fields within fields by their path. */
function flat(value, path = '') {
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? flat(inner, `${path}${name}.`)
      : [[`${path}${name}`, inner]],
  );
}

/** One table per list that is not empty; when all are, a line says so. */
function tablesOf(response, tables, width) {
  const shown = Object.entries(tables).map(([field, columns]) => [field, columns, rowsOf(response, field)]);
  return shown
    .filter(([, , rows], nth) => rows.length > 0 || (nth === 0 && shown.every((one) => one[2].length === 0)))
    .map(([field, columns, rows]) =>
      rows.length > 0
        ? table(columns, rows, width)
        : `no ${field === 'data' ? 'entries' : field.replaceAll('_', ' ')}`,
    )
    .join('\n\n');
}

function rowsOf(response, field) {
  if (field === '.') return [response];
  const value = response[field] ?? [];
  return Array.isArray(value) ? value : Object.entries(value).map(([name, row]) => ({ name, ...row }));
}

function table(columns, rows, width) {
  const cells = [columns, ...rows.map((row) => columns.map((column) => cell(row[column], width)))];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index].length)));
  return cells
    .map((line) =>
      line
        .map((text, index) => text.padEnd(widths[index]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cell(value, width) {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'NO';
  return printable(typeof value === 'object' ? JSON.stringify(value) : String(value)).slice(0, width);
}

/** Outside text (a remote server's answer, a record in DNS) must not steer the terminal. @param {string} text */
export const printable = (text) => text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
