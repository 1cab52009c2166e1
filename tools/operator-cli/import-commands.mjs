// @ts-check
// What comes along from another service: suppressions, contacts, templates, webhooks and DNS records.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { importText } from './import-texts.mjs';
import { given, OperatorTrouble } from './requests.mjs';

const TIMEOUT_MS = 60_000;
const MAX_TRIES = 8;
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 30_000;

/** @typedef {import('./requests.mjs').Options} Options */
/** @typedef {import('./requests.mjs').CommandContext} CommandContext */
/** @typedef {import('@postmesh/importers').ApiTarget} ApiTarget */
/** @typedef {import('@postmesh/importers').OperatorTarget} OperatorTarget */
/** @typedef {{ lib: typeof import('@postmesh/importers'), source: import('@postmesh/importers').Source, file: string, options: Options, api: ApiTarget, operator: OperatorTarget | undefined, progress: import('./requests.mjs').ShowProgress }} Job */

/** The kinds of imports, each with its function of the library. @type {Record<string, (job: Job) => Promise<any>>} */
const KINDS = {
  suppressions: async ({ lib, source, file, options, api, operator, progress }) => {
    if (!operator) {
      throw new OperatorTrouble(
        'suppressions with their dates, and protected complaints, are imported by the operator interface alone: set POSTMESH_OPERATOR_URL and POSTMESH_OPERATOR_TOKEN, or import the file in the console',
      );
    }
    const { as, domain, charset } = options;
    const job = { source, file: { path: file, charset }, as, domain, api, operator, progress };
    const survey = await lib.surveySuppressions(job, !options.apply);
    return options.apply ? lib.applySuppressions(job, survey) : survey;
  },
  contacts: async ({ lib, source, file, options, api, operator, progress }) => {
    const { as, list, charset, confirmed = false } = options;
    const withoutAttributes = options['without-attributes'] ?? false;
    const job = {
      source,
      file: { path: file, charset },
      ...{ as, list, confirmed, withoutAttributes, api, operator, progress },
    };
    const survey = await lib.surveyContacts(job, !options.apply);
    return options.apply ? lib.applyContacts(job, survey) : survey;
  },
  templates: ({ lib, source, file, options, api, progress }) =>
    lib.importTemplates({ source, file, api, progress }, options.apply ?? false),
  webhooks: ({ lib, source, file, options, api }) =>
    lib.importWebhooks({ source, file, api }, options.apply ?? false),
  domains: ({ lib, source, file, options, api }) =>
    lib.compareDomain(
      { source, file, api, dns: options.dns, domain: options.domain },
      options.apply ?? false,
    ),
};

/** @param {string[]} words @param {Options} options @param {CommandContext} context */
async function run([name = '', kind = '', path], options, { env, ask, progress }) {
  const lib = await library();
  if (!Object.hasOwn(lib.SOURCES, name)) {
    throw new OperatorTrouble(`import takes ${lib.SOURCE_NAMES.join(', ')}, not '${name}'`);
  }
  if (!Object.hasOwn(KINDS, kind)) {
    throw new OperatorTrouble(`import ${name} takes ${Object.keys(KINDS).join(', ')}, not '${kind}'`);
  }
  if (options.apply && options['dry-run'])
    throw new OperatorTrouble('--apply and --dry-run exclude each other');
  const file = given(path, 'name the file that the service exported');
  if (!existsSync(file)) throw new OperatorTrouble(`${file} cannot be read (ENOENT)`);
  const source = lib.SOURCES[name];
  const without = source.without[kind];
  if (without) throw new OperatorTrouble(without);
  const account = findAccount(env, options);
  const operator = isOperator(env) ? operatorOf(account.id, ask) : undefined;
  const job = { lib, source, file, options, api: apiOf(account, lib.RefusedRequest), operator, progress };
  try {
    return { source: source.title, file, applied: options.apply ?? false, ...(await KINDS[kind](job)) };
  } catch (error) {
    // an error of the file or of a request, which the user can fix
    if (typeof error.status === 'number' && !(error instanceof OperatorTrouble))
      throw new OperatorTrouble(error.message);
    throw error;
  }
}

/** Loaded by this command alone. */
const library = () =>
  import('@postmesh/importers').catch((error) => {
    throw new OperatorTrouble(
      `Postmesh is not built (${error.code ?? error.message}): run \`npm run build\``,
    );
  });

/** @typedef {{ url: string, key: string, id: string }} Account */

/** @param {CommandContext['env']} env @param {Options} options @returns {Account} @throws OperatorTrouble */
function findAccount(env, options) {
  const stored = credentials(env);
  const url = env.POSTMESH_BASE_URL ?? stored.base_url;
  const key = env.POSTMESH_API_KEY ?? stored.api_key;
  const id = options.account ?? env.POSTMESH_ACCOUNT_ID ?? stored.account_id;
  if (!url || !key || !id) {
    throw new OperatorTrouble(
      'set POSTMESH_BASE_URL, POSTMESH_API_KEY and POSTMESH_ACCOUNT_ID: the key of the account that gets the import',
    );
  }
  return { url: url.replace(/\/$/, ''), key, id };
}

const credentialsFile = (env) => join(env.POSTMESH_DATA_DIR || './.data', 'credentials.json');

function credentials(env) {
  try {
    return JSON.parse(readFileSync(credentialsFile(env), 'utf8'));
  } catch {
    return {};
  }
}

const isOperator = (env) =>
  Boolean((env.POSTMESH_OPERATOR_URL && env.POSTMESH_OPERATOR_TOKEN) || credentials(env).operator_token);

/** @param {string} accountId @param {CommandContext['ask']} ask @returns {OperatorTarget} */
const operatorOf = (accountId, ask) => ({
  accountId,
  ask,
  upload: (path, lines) =>
    ask({ method: 'POST', path, lines: { lines, contentType: 'application/x-ndjson' } }),
});

/**
 * A request with an idempotency key is repeated after any loss; others are reads, or are repeated after 429 alone.
 * @param {Account} account @param {typeof import('@postmesh/importers').RefusedRequest} RefusedRequest @returns {ApiTarget}
 */
function apiOf({ url, key, id }, RefusedRequest) {
  return {
    async call(method, path, body, idempotencyKey) {
      const mayRepeat = method === 'GET' || idempotencyKey !== undefined;
      for (let tries = 1, wait = FIRST_WAIT_MS; ; tries += 1, wait = Math.min(MAX_WAIT_MS, wait * 2)) {
        const response = await fetch(`${url}/v2/accounts/${encodeURIComponent(id)}${path}`, {
          method,
          headers: {
            authorization: `Bearer ${key}`,
            'content-type': 'application/json',
            ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
          },
          signal: AbortSignal.timeout(TIMEOUT_MS),
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }).catch((error) => {
          if (mayRepeat && tries < MAX_TRIES) return undefined;
          throw new OperatorTrouble(`no response from ${url} (${error.cause?.code ?? error.message})`);
        });
        if (response?.ok) return response.json();
        const isLater = response?.status === 429 || (mayRepeat && (!response || response.status >= 500));
        const isBusy = response?.status === 409 && response.headers.has('retry-after');
        if (response && (!(isLater || isBusy) || tries >= MAX_TRIES)) {
          const answer = /** @type {{ message?: string } | undefined} */ (
            await response.json().catch(() => undefined)
          );
          throw new RefusedRequest(
            response.status,
            `${method} ${path}: ${response.status} ${answer?.message ?? ''}`,
          );
        }
        const asked = Number(response?.headers.get('retry-after') ?? 0) * 1_000;
        await response?.body?.cancel();
        await pause(Math.max(asked, wait / 2 + (Math.random() * wait) / 2));
      }
    },
  };
}

/** @type {import('./requests.mjs').Commands} */
export const IMPORT_COMMANDS = {
  import: {
    usage: '<service> <suppressions|contacts|templates|webhooks|domains> <file>',
    help: 'bring along what another service exports; a dry run without --apply',
    about: [
      'Services: sendgrid, mailgun, postmark, resend, ses, brevo, mailchimp, listmonk, postal. docs/moving-here.md says how to',
      'get the file from each. CSV, JSON as the API of the service responds, or NDJSON; HTML for a template.',
      'The account: POSTMESH_BASE_URL, POSTMESH_API_KEY and POSTMESH_ACCOUNT_ID, else credentials.json in POSTMESH_DATA_DIR.',
      'Suppressions, and attributes of contacts, need the operator interface in addition.',
      'A repeated import changes nothing. A killed one continues, by <file>.import.',
    ].join('\n'),
    options: {
      apply: { help: 'do it; without it nothing is written' },
      'dry-run': { help: 'show what would be done, the default' },
      as: { value: '<form>', help: 'which list the file is, where its columns do not say so' },
      account: { value: '<account id>', help: 'the account of the API key' },
      domain: {
        value: '<domain>',
        help: 'suppressions: of this sending domain only (all); domains: where the file does not name it',
      },
      list: {
        value: '<name>',
        help: 'contacts: those who may be written to join this list; it is created if missing',
      },
      confirmed: { help: 'contacts: a file that does not say so has confirmed contacts only' },
      'without-attributes': { help: 'contacts: address, names and consent only' },
      charset: { value: '<encoding>', help: 'of a CSV file (utf-8)' },
      dns: { value: '<host:port>', help: "domains: ask this DNS server (the machine's)" },
    },
    examples: [
      'import sendgrid suppressions spam_reports.csv --as spam_reports',
      'import mailchimp contacts subscribed.csv --list Newsletter --apply',
      'import postmark templates welcome.json',
    ],
    least: 2,
    most: 3,
    run,
    text: importText,
    isBad: ({ refused }) => refused > 0,
  },
};
