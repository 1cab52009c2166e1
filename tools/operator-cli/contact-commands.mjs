// @ts-check
// Import and export of contacts, and the attributes of contacts.
import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import {
  FILE_OPTIONS,
  given,
  IMPORT_FIELDS,
  IMPORT_MS,
  importProgress,
  OperatorTrouble,
  queryOf,
  sentFile,
} from './requests.mjs';

const accountPath = (account, rest) => `/operator/marketing/accounts/${encodeURIComponent(account)}/${rest}`;
const importPath = (id) => `/operator/marketing/contact-imports/${encodeURIComponent(id)}`;

const ACCOUNT = { account: { value: '<account id>', help: 'whose contacts they are', needed: true } };
const FIELDS = [...IMPORT_FIELDS, 'list_id'].flatMap((name) =>
  name === 'extended' ? ['updated', 'unchanged', 'listed'] : name === 'unchanged' ? [] : [name],
);

const IMPORT_VIEW = {
  fields: FIELDS,
  tables: {
    data: [
      'id',
      'state',
      'lines',
      'lines_done',
      'created',
      'updated',
      'listed',
      'errors',
      'created_at',
      'operator',
    ],
    first_errors: ['line', 'reason', 'text'],
  },
  nextMs: IMPORT_MS,
  progress: importProgress,
  isBad: ({ state, problem }) => state === 'failed' && !problem?.startsWith('canceled by '),
};

const follow = ({ id, state }) =>
  state === 'waiting' || state === 'uploading' ? { path: importPath(id) } : undefined;

/** State of an interrupted export. @typedef {{ account: string, format: string, keys: string[], next: string | null, bytes: number, contacts: number, total: number }} Begun */

const sidecar = (file) => `${file}.resume`;

/** @param {string} file @returns {Begun | undefined} */
function readBegun(file) {
  if (!existsSync(sidecar(file)) || !existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(sidecar(file), 'utf8'));
  } catch {
    throw new OperatorTrouble(`${sidecar(file)} cannot be read: remove it to start again`);
  }
}

/** @param {string} file @param {Record<string, any>} options @returns {import('./requests.mjs').OperatorRequest} */
function firstPage(file, { account, format = file.endsWith('.ndjson') ? 'ndjson' : 'csv' }) {
  const begun = readBegun(file);
  if (!begun) {
    if (existsSync(file)) throw new OperatorTrouble(`${file} exists already`);
    return pageRequest({ account, format });
  }
  if (begun.account !== account || begun.format !== format) {
    throw new OperatorTrouble(
      `${file} belongs to an export of another account or format: remove it and ${sidecar(file)}`,
    );
  }
  return pageRequest(begun);
}

/** @param {Record<string, any>} place @returns {import('./requests.mjs').OperatorRequest} */
const pageRequest = ({ account, format, keys, next }) => ({
  path: `${accountPath(account, 'contact-export')}${queryOf({
    format,
    after: next ?? undefined,
    keys: keys === undefined ? undefined : keys.join(',') || '-',
  })}`,
});

/**
 * Adds a page after the last complete one, then stores the progress: after a kill at any time, the next run cuts off a
 * partial page and continues.
 * @param {any} page @param {string} file @param {Record<string, any>} options
 */
function keepPage(page, file, { account, format = file.endsWith('.ndjson') ? 'ndjson' : 'csv' }) {
  const before = readBegun(file) ?? { bytes: 0, contacts: 0, total: page.total ?? 0 };
  const bytes = Buffer.from(page.text);
  const handle = openSync(file, before.bytes === 0 ? 'w' : 'r+');
  try {
    ftruncateSync(handle, before.bytes);
    for (let done = 0; done < bytes.length;) {
      done += writeSync(handle, bytes, done, bytes.length - done, before.bytes + done);
    }
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  /** @type {Begun} */
  const begun = {
    account,
    format,
    keys: page.keys,
    next: page.next,
    bytes: before.bytes + bytes.length,
    contacts: before.contacts + page.contacts,
    total: before.total,
  };
  if (page.next === null) rmSync(sidecar(file), { force: true });
  else {
    writeFileSync(`${sidecar(file)}.new`, JSON.stringify(begun));
    renameSync(`${sidecar(file)}.new`, sidecar(file));
  }
  return { ...begun, file };
}

/** @type {import('./requests.mjs').Commands} */
export const CONTACT_COMMANDS = {
  'contacts-import': {
    usage: '<file>',
    help: 'import contacts of an account from a file, and show how far it is until it is done',
    about: [
      'A CSV file begins with a line that names its columns: email and, as needed, other fields that the API takes for a new',
      'contact (first_name, status, unsubscribed, ...), and attributes by their keys (attributes.<key> where a key is called',
      'as a field). NDJSON has an object a line, as the API shows contacts. An existing contact is updated with the fields of',
      'the line; an empty cell changes nothing, and no line reverts an unsubscribe. Up to 1,000,000 lines and 500 MB per file.',
      'Once the file is stored the import continues without this command: contacts-import-status shows it.',
    ].join('\n'),
    options: {
      ...ACCOUNT,
      list: { value: '<list id>', help: 'also add them to this list; existing memberships stay' },
      ...FILE_OPTIONS,
    },
    examples: [
      'contacts-import people.csv --account <account id> --list 0198f2a4-7d3e-7b6a-9f1c-2e4d5a6b7c8d',
    ],
    least: 1,
    most: 1,
    request: ([file = ''], { account, list, ...options }) => ({
      method: 'POST',
      path: `${accountPath(account, 'contact-imports')}${queryOf({ list_id: list })}`,
      file: sentFile(file, options),
    }),
    next: follow,
    ...IMPORT_VIEW,
  },
  'contacts-import-status': {
    usage: '<import id>',
    help: 'the progress of an import of contacts, and the lines with errors',
    options: { follow: { help: 'until it is done' } },
    least: 1,
    most: 1,
    request: ([id = '']) => ({ path: importPath(id) }),
    next: (latest, options) => (options.follow ? follow(latest) : undefined),
    ...IMPORT_VIEW,
  },
  'contacts-import-cancel': {
    usage: '<import id>',
    help: 'stop an import of contacts; what it did stays',
    least: 1,
    most: 1,
    request: ([id = '']) => ({ method: 'DELETE', path: importPath(id) }),
    ...IMPORT_VIEW,
  },
  'contacts-imports': {
    help: 'the imports of contacts of an account, newest first',
    options: ACCOUNT,
    most: 0,
    request: (_, { account }) => ({ path: accountPath(account, 'contact-imports') }),
    tables: { data: IMPORT_VIEW.tables.data },
  },
  'contacts-export': {
    usage: '<file>',
    help: 'write the contacts of an account into a file',
    about: [
      'CSV, or NDJSON as the API shows contacts; contacts-import takes either. The oldest come first, so those that are added',
      'meanwhile are included. A repeated command continues after the last page of a killed one, by <file>.resume.',
    ].join('\n'),
    options: {
      ...ACCOUNT,
      format: { value: '<csv|ndjson>', help: 'default: by the name of the file, else csv' },
    },
    least: 1,
    most: 1,
    request: ([file = ''], options) => firstPage(given(file || undefined, 'name a file'), options),
    received: (page, [file = ''], options) => keepPage(page, file, options),
    next: (begun) => (begun.next === null ? undefined : pageRequest(begun)),
    nextMs: 0,
    progress: ({ contacts, total }) => ({ done: contacts, total, unit: 'contacts' }),
    text: ({ contacts, total, next, file }) =>
      next === null ? `${contacts} contacts are in ${file}` : `${contacts} of ${total} contacts`,
  },
  contact: {
    usage: '<id or email>',
    help: 'one contact with its unsubscribe history',
    options: ACCOUNT,
    least: 1,
    most: 1,
    request: ([idOrEmail = ''], { account }) => ({
      path: accountPath(account, `contacts/${encodeURIComponent(idOrEmail)}`),
    }),
    fields: ['id', 'email', '...', 'attributes', 'created_at', 'updated_at'],
    tables: { unsubscribes: ['created_at', 'unsubscribed', 'source', 'campaign_id'] },
  },
  attributes: {
    usage: '[add <key> <type> | delete <key>]',
    help: 'the attributes that contacts of an account can have',
    about:
      'Types: string, number, boolean, date, timestamp; a type never changes. Contacts keep the values of a deleted one.',
    options: ACCOUNT,
    examples: ['attributes add plan string --account <account id>'],
    most: 3,
    request: ([action, key, type], { account }) => {
      if (action === undefined) return { path: accountPath(account, 'attributes') };
      if (action === 'add') {
        const body = { key: given(key, 'name the key'), type: given(type, 'name the type') };
        return { method: 'POST', path: accountPath(account, 'attributes'), body };
      }
      if (action === 'delete') {
        const path = accountPath(account, `attributes/${encodeURIComponent(given(key, 'name the key'))}`);
        return { method: 'DELETE', path };
      }
      throw new OperatorTrouble(`attributes takes add and delete, not '${action}'`);
    },
    present: (response) => (response.data ? response : { data: [], ...response }),
    fields: ['message', 'key', 'type', 'created_at'],
    tables: { data: ['key', 'type', 'created_at'] },
  },
};
