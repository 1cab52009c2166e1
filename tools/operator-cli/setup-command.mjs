// @ts-check
// npx postmesh setup: the settings of one machine in production, asked for or given, and what is missing for the first mail.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { OperatorTrouble } from './requests.mjs';

const BUILT = new URL('../../services/all-in-one/dist/setup-checks.js', import.meta.url).href;
const FILE = 'postmesh.env';

/**
 * @typedef {Record<string, string>} Answers by setting
 * @typedef {object} Question
 * @property {string} option
 * @property {string} setting
 * @property {string} value
 * @property {string} help
 * @property {(answers: Answers) => string} [standard] taken for an empty answer; without it an answer is needed
 */

/** The settings that differ between installations, in the order in which they are asked for. @type {Question[]} */
const QUESTIONS = [
  {
    option: 'zone',
    setting: 'POSTMESH_SERVICE_ZONE',
    value: 'mail.example.com',
    help: 'a DNS zone that you run: bounce addresses, DKIM keys and the hosts of links are in it',
  },
  {
    option: 'addresses',
    setting: 'POSTMESH_SENDING_ADDRESSES',
    value: '192.0.2.10',
    help: 'public addresses of this machine, from which mail leaves, with commas between them',
    standard: () => ownAddresses().join(','),
  },
  {
    option: 'ehlo',
    setting: 'POSTMESH_EHLO_NAME',
    value: 'mta.mail.example.com',
    help: 'the name to which the PTR records of these addresses lead, and back',
    standard: (answers) => `mta.${answers['POSTMESH_SERVICE_ZONE']}`,
  },
  {
    option: 'base-url',
    setting: 'POSTMESH_BASE_URL',
    value: 'https://api.example.com',
    help: 'the public address of the API and the console',
    standard: (answers) => `https://api.${answers['POSTMESH_SERVICE_ZONE']}`,
  },
  {
    option: 'dns-servers',
    setting: 'POSTMESH_DNS_SERVERS',
    value: '127.0.0.1,192.0.2.53',
    help: 'two resolvers that share no cache; none: the resolver of the system',
    standard: () => '',
  },
  {
    option: 'database',
    setting: 'DATABASE_URL',
    value: 'postgresql://…',
    help: 'a PostgreSQL of your own; none: one of Postmesh in its data directory',
    standard: () => '',
  },
  {
    option: 'smtp-cert',
    setting: 'POSTMESH_SMTP_TLS_CERT_FILE',
    value: 'FILE',
    help: 'the certificate of the SMTP ports (PEM); none: a self-signed one, which clients refuse',
    standard: () => '',
  },
  {
    option: 'smtp-key',
    setting: 'POSTMESH_SMTP_TLS_KEY_FILE',
    value: 'FILE',
    help: 'its private key',
    standard: () => '',
  },
  {
    option: 'proxies',
    setting: 'POSTMESH_TRUSTED_PROXIES',
    value: '127.0.0.1/32',
    help: 'the networks of the proxy that ends TLS',
    standard: () => '127.0.0.1/32,::1/128',
  },
];

/** The same in every installation of one machine. @type {Answers} */
const FIXED = { POSTMESH_LOCAL_INTERNET: 'off' };
/** Made once: with other values stored secrets are lost. */
const SECRETS = ['POSTMESH_SECRET_KEYS', 'POSTMESH_OPERATOR_TOKEN'];

/** @type {import('./requests.mjs').Commands} */
export const SETUP_COMMANDS = {
  setup: {
    help: 'the settings of one machine in production: asks for them, writes the file, and says what is missing',
    about: [
      'Asks on a terminal for what neither an option nor --answers gives; elsewhere the rest has its default. Secrets are made',
      'and are in the file alone, which only its owner can read. Nothing is written while a setting is wrong. Then the checks',
      'of doctor run: DNS, PTR, port 25, files. Exit code 1 when one fails; the file is there all the same.',
    ].join('\n'),
    options: {
      ...Object.fromEntries(QUESTIONS.map(({ option, value, help }) => [option, { value, help }])),
      answers: { value: 'FILE', help: 'lines of SETTING=value, of any setting' },
      out: { value: 'FILE', help: `the file that is written (${FILE})` },
      update: { help: 'the file exists: keep its secrets and its other settings' },
      'no-checks': { help: 'only write the file' },
    },
    examples: ['setup --answers /nowhere/answers.env'],
    most: 0,
    run: async (_, options) => setUp(options, process.stdin.isTTY ? onTerminal() : undefined),
    fields: ['file', 'next'],
    tables: { checks: ['ok', 'check', 'detail'] },
    whole: true,
    isBad: ({ checks }) => checks.some(({ ok }) => !ok),
  },
};

/** @typedef {{ ask: (text: string) => Promise<string>, close: () => void }} Terminal */

/**
 * @param {import('./requests.mjs').Options} options
 * @param {Terminal} [terminal] left out: nothing is asked for
 * @throws OperatorTrouble
 */
export async function setUp(options, terminal) {
  const file = options['out'] ?? FILE;
  const exists = existsSync(file);
  if (exists && !options['update'])
    throw new OperatorTrouble(`${file} exists: --update keeps its secrets, --out names another file`);
  const { requireSettings, checkSettings } = await built();
  const given = { ...(exists ? readAnswers(file) : {}), ...readAnswers(options['answers']) };
  const answers = await collected(given, options, terminal).finally(() => terminal?.close());
  const settings = { ...answers, ...FIXED, ...secretsOf(answers) };
  try {
    requireSettings(settings);
  } catch (error) {
    throw new OperatorTrouble(`nothing is written: ${error.message}`);
  }
  write(file, settings);
  const { checks } = options['no-checks'] ? { checks: [] } : await checkSettings(settings);
  const isComplete = checks.every(({ ok }) => ok);
  const next = isComplete
    ? 'start Postmesh with this file'
    : 'correct what failed, then run it again with --update';
  return { file, next, checks };
}

/** @returns {Promise<any>} the built checks @throws OperatorTrouble */
async function built() {
  return import(BUILT).catch((error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new OperatorTrouble(
      'Postmesh is not built: run it in the image all-in-one, or after `npm run build`',
    );
  });
}

/** @param {Answers} given @param {import('./requests.mjs').Options} options @param {Terminal | undefined} terminal */
async function collected(given, options, terminal) {
  const answers = { ...given };
  for (const { option, setting, help, value, standard } of QUESTIONS) {
    const known = options[option] ?? answers[setting];
    const usual = standard?.(answers);
    const hint = usual === undefined ? `such as ${value}` : usual === '' ? 'none' : usual;
    const text = known ?? ((await terminal?.ask(`${help}\n${setting} (${hint}): `))?.trim() || usual);
    if (text === undefined) throw new OperatorTrouble(`--${option} is needed: ${help}, such as ${value}`);
    answers[setting] = plain(setting, text);
  }
  return Object.fromEntries(Object.entries(answers).filter(([, text]) => text !== ''));
}

/** systemd and container engines read a value differently unless it is plain. @param {string} setting @param {string} text */
function plain(setting, text) {
  if (!/^[^\s"'`\\$#]*$/.test(text))
    throw new OperatorTrouble(
      `${setting} has spaces, quotes, $, # or \\: in a URL, write them as %20 and so on`,
    );
  return text;
}

/** @param {Answers} answers @returns {Answers} */
const secretsOf = (answers) =>
  Object.fromEntries(SECRETS.map((name) => [name, answers[name] ?? randomBytes(32).toString('hex')]));

/** @param {string | undefined} file @returns {Answers} @throws OperatorTrouble */
function readAnswers(file) {
  if (file === undefined) return {};
  const lines = readLines(file).filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, text] = /^([A-Z][A-Z0-9_]*)=(.*)$/.exec(line.trim()) ?? [];
      if (name === undefined || text === undefined)
        throw new OperatorTrouble(`${file}: every line is SETTING=value, or begins with #`);
      return [name, plain(name, text)];
    }),
  );
}

/** @param {string} file @returns {string[]} */
function readLines(file) {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch (error) {
    throw new OperatorTrouble(`${file} cannot be read (${error.code})`);
  }
}

/** As a whole or not at all. @param {string} file @param {Answers} settings */
function write(file, settings) {
  const text = [
    '# Made by npx postmesh setup. Keep a copy elsewhere: what is encrypted with the secret keys is lost without them.',
    ...Object.entries(settings).map(([name, value]) => `${name}=${value}`),
    '',
  ].join('\n');
  const part = `${file}.${process.pid}.part`;
  try {
    writeFileSync(part, text, { mode: 0o600, flag: 'wx' });
    renameSync(part, file);
  } catch (error) {
    throw new OperatorTrouble(`${file} cannot be written (${error.code})`);
  }
}

/** @returns {string[]} addresses of this machine that may be public */
function ownAddresses() {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const isPrivate =
    /^(?:10\.|172\.(?:1[6-9]|2\d|3[01])\.|192\.168\.|169\.254\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)/;
  return all
    .filter(({ family, internal, address }) => family === 'IPv4' && !internal && !isPrivate.test(address))
    .map(({ address }) => address);
}

/** @returns {Terminal} questions go to stderr: stdout has the result */
function onTerminal() {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return { ask: (text) => lines.question(text), close: () => lines.close() };
}
