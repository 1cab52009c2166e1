// @ts-check
// The type of a command, and the requests and errors that several commands share.

/**
 * @typedef {{ value?: string, help: string, needed?: boolean, multiple?: boolean }} Option one `--name value`; without a
 *   value it is there or not
 * @typedef {Record<string, any>} Options values of the options that were given, by name
 * @typedef {{ path: string, contentType: string }} SentFile
 * @typedef {{ lines: AsyncIterable<string>, contentType: string }} SentLines made while they are sent
 * @typedef {{ method?: string, path: string, body?: unknown, file?: SentFile, lines?: SentLines, idempotencyKey?: string }} OperatorRequest
 *   `file` or `lines` are sent instead of `body`
 *
 * @typedef {{ done: number, total?: number, unit: string }} Progress `total` is left out while it is not known
 * @typedef {(progress: Progress) => void | Promise<void>} ShowProgress
 *
 * @typedef {object} CommandContext input of a command with its own `run`
 * @property {Record<string, string | undefined>} env
 * @property {(request: OperatorRequest) => Promise<any>} ask the operator interface
 * @property {ShowProgress} progress called meanwhile
 *
 * One command of the command line, defined in one place.
 * @typedef {object} Command
 * @property {string} help one line
 * @property {string} [usage] the words behind its name
 * @property {string} [about] more than the line
 * @property {string[]} [examples]
 * @property {number} [least] least number of words
 * @property {number} [most] largest number of words
 * @property {Record<string, Option>} [options] by name
 * @property {(words: string[], options: Options) => OperatorRequest} [request]
 * @property {(words: string[], options: Options, context: CommandContext) => Promise<any>} [run] instead of a request: what
 *   more than one request, or none, is needed for; its result is shown as a response is
 * @property {(response: any) => any} [present] the response as it is shown
 * @property {string[] | 'all'} [fields] which fields of the response are shown, one a line; `...` = the others
 * @property {Record<string, string[]>} [tables] field → columns; `.` = the response itself
 * @property {(response: any) => string} [text] the response as a person reads it, where neither fields nor tables fit
 * @property {boolean} [whole] cells are not cut
 * @property {(response: any) => boolean} [isBad] exit code 1
 * @property {(response: any, words: string[], options: Options) => any} [received] keeps what came; the rest sees what it returns
 * @property {(response: any, options: Options, words: string[]) => OperatorRequest | undefined} [next] asked a second later, until there is none
 * @property {(response: any) => Progress} [progress] how far it is meanwhile
 * @property {number} [nextMs] how much later; 1000 when left out
 *
 * @typedef {Record<string, Command>} Commands by name
 */

/** An error that the user can fix. */
export class OperatorTrouble extends Error {
  /** of the response that says it; undefined: there was none @type {number | undefined} */
  status;

  /** a word that may be a typing error, and what it may have been @type {{ word: string, known: string[] } | undefined} */
  typo;
}

/** @param {string} text @returns {any} @throws OperatorTrouble */
export function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new OperatorTrouble(`invalid JSON (${error.message}): ${text.slice(0, 200)}`);
  }
}

/**
 * @param {Record<string, string | undefined>} values
 * @returns {string} `?a=1&b=2` of what is given; empty when nothing is
 */
export function queryOf(values) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, value);
  return query.size === 0 ? '' : `?${query}`;
}

/** @param {string | undefined} id of the account @param {string} [rest] @returns {string} the path of a resource of it */
export const accountPath = (id, rest = '') =>
  `/operator/accounts/accounts/${encodeURIComponent(id ?? '')}${rest}`;

/** The options of every list that has pages. @type {Record<string, Option>} */
export const PAGE_OPTIONS = {
  limit: { value: '<1-100>', help: 'how many at most (100)' },
  after: { value: '<cursor>', help: 'the next page: the cursor that the page before ends with' },
};

/** @param {string} text @param {string} name of the option @returns {number} @throws OperatorTrouble */
export function readNumber(text, name) {
  if (!/^\d{1,12}$/.test(text)) throw new OperatorTrouble(`--${name} must be a whole number, not '${text}'`);
  return Number(text);
}

/** @param {string} text @param {string} name of the option @returns {boolean} @throws OperatorTrouble */
export function readSwitch(text, name) {
  if (text === 'on') return true;
  if (text === 'off') return false;
  throw new OperatorTrouble(`--${name} must be on or off, not '${text}'`);
}

/**
 * @param {string} text `100/200` = per second and burst; `default` = the value of the settings
 * @param {string} name of the option
 * @returns {{ per_second: number, burst: number } | null}
 * @throws OperatorTrouble
 */
export function readRate(text, name) {
  if (text === 'default') return null;
  const [, perSecond, burst] = /^(\d{1,7})\/(\d{1,7})$/.exec(text) ?? [];
  if (perSecond === undefined) {
    throw new OperatorTrouble(`--${name} must be <per second>/<burst>, such as 100/200, or default`);
  }
  return { per_second: Number(perSecond), burst: Number(burst) };
}

/** @type {Record<string, number>} */
const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * A time in the form of the interface.
 * @param {string | undefined} text RFC 3339 as it is, a day in UTC, or `30m`, `24h`, `7d` ago
 * @param {number} [now]
 * @returns {string | undefined}
 */
export function readTime(text, now = Date.now()) {
  if (text === undefined) return undefined;
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return `${text}T00:00:00Z`;
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  return count === undefined ? text : new Date(now - Number(count) * UNITS[unit]).toISOString();
}

/**
 * The options that were given, read.
 * @param {Options} options
 * @param {Record<string, readonly [field: string, read?: (text: any, name: string) => unknown, ...rest: string[]]>} readers
 *   by the name of the option: the field's name and its reader
 * @returns {Record<string, unknown>}
 */
export function fieldsOf(options, readers) {
  const given = Object.entries(readers).filter(([option]) => options[option] !== undefined);
  return Object.fromEntries(
    given.map(([option, [field, read = (text) => text]]) => [field, read(options[option], option)]),
  );
}

/** @param {string | undefined} value @param {string} otherwise @returns {string} @throws OperatorTrouble */
export function given(value, otherwise) {
  if (value === undefined) throw new OperatorTrouble(otherwise);
  return value;
}

/** @type {Record<string, string>} */
const CONTENT_TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' };

/**
 * A file of lines that is imported.
 * @param {string} path @param {{ format?: string, encoding?: string }} options otherwise its name says the format, and
 *   the file its encoding
 * @returns {SentFile} @throws OperatorTrouble
 */
export function sentFile(path, { format = path.endsWith('.csv') ? 'csv' : 'ndjson', encoding }) {
  const contentType = CONTENT_TYPES[format];
  if (contentType === undefined) {
    throw new OperatorTrouble(`--format must be csv or ndjson, not '${format}'`);
  }
  return { path, contentType: encoding === undefined ? contentType : `${contentType}; charset=${encoding}` };
}

/** Options for the form of a file, for commands that import one. */
export const FILE_OPTIONS = {
  format: { value: '<csv|ndjson>', help: 'of the file; default: by its name' },
  encoding: {
    value: '<name>',
    help: 'of the file, such as windows-1252; default: UTF-8, or UTF-16 with a byte order mark',
  },
};

/** Interval of requests for the progress of an import. */
export const IMPORT_MS = 250;

/** Progress of an import. @param {any} response @returns {Progress} */
export const importProgress = ({ lines_done: done = 0, lines }) => ({ done, total: lines, unit: 'lines' });

/** The view of every import. */
export const IMPORT_FIELDS = [
  'id',
  'account_id',
  'operator',
  'format',
  'state',
  'problem',
  'lines',
  'lines_done',
  'created',
  'extended',
  'unchanged',
  'errors',
  'created_at',
  'worked_at',
  'finished_at',
];
