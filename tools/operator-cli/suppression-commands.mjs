// @ts-check
// Import of customers' suppression lists.
import {
  FILE_OPTIONS,
  given,
  IMPORT_FIELDS,
  IMPORT_MS,
  importProgress,
  OperatorTrouble,
  sentFile,
} from './requests.mjs';

const importsPath = (account) =>
  `/operator/messages/accounts/${encodeURIComponent(account ?? '')}/suppression-imports`;

/** @type {Record<string, (word: string | undefined, options: import('./requests.mjs').Options) => import('./requests.mjs').OperatorRequest>} */
const REQUESTS = {
  import: (file, { account, ...options }) => ({
    method: 'POST',
    path: importsPath(given(account, 'name the account with --account')),
    file: sentFile(given(file, 'name a file'), options),
  }),
  'import-status': (id) => ({
    path: `/operator/messages/suppression-imports/${encodeURIComponent(given(id, 'name the import'))}`,
  }),
  'import-cancel': (id) => ({
    method: 'DELETE',
    path: `/operator/messages/suppression-imports/${encodeURIComponent(given(id, 'name the import'))}`,
  }),
  imports: (_, { account }) => ({ path: importsPath(given(account, 'name the account with --account')) }),
};

/** @type {import('./requests.mjs').Commands} */
export const SUPPRESSION_COMMANDS = {
  suppressions: {
    usage: 'import <file> | import-status <import id> | import-cancel <import id> | imports',
    help: 'import suppressions of an account from a file, and show how far it is until it is done',
    about: [
      'A CSV file begins with a line that names its columns; NDJSON has an object a line. Fields: email, domain (empty or *:',
      'all domains of the account), reason, expires_at (empty: permanent), created_at. The reasons FBL Complaint Report,',
      'FBL Abuse Report and Unsubscribed make a protected one. A line that is already there extends it.',
      'Up to 1,000,000 lines and 200 MB a file. Webhooks are not called for what is imported. Once the file is stored the',
      'import continues without this command: import-status shows it.',
    ].join('\n'),
    options: {
      account: { value: '<account id>', help: 'whose list it is (import, imports)' },
      ...FILE_OPTIONS,
    },
    examples: [
      'suppressions import unsubscribed.csv --account <account id>',
      'suppressions import-status 0198f2a4-7d3e-7b6a-9f1c-2e4d5a6b7c8d',
      'suppressions imports --account <account id>',
    ],
    least: 1,
    most: 2,
    request: ([action = '', word], options) => {
      if (!Object.hasOwn(REQUESTS, action)) {
        throw new OperatorTrouble(`suppressions takes ${Object.keys(REQUESTS).join(', ')}, not '${action}'`);
      }
      return REQUESTS[action](word, options);
    },
    next: ({ id, state }, _, [action]) =>
      action === 'import' && (state === 'waiting' || state === 'uploading')
        ? REQUESTS['import-status'](id, {})
        : undefined,
    nextMs: IMPORT_MS,
    progress: importProgress,
    fields: IMPORT_FIELDS,
    tables: {
      data: ['id', 'state', 'lines', 'lines_done', 'created', 'extended', 'errors', 'created_at', 'operator'],
      first_errors: ['line', 'reason', 'text'],
    },
    isBad: ({ state, problem }) => state === 'failed' && !problem?.startsWith('canceled by '),
  },
};
