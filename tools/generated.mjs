// The generated files of the repository: the references of settings, dialects, server replies, reports and events, of errors
// and the command line, the notices of licences, the JSON Schema of every event version, the API document and that of the
// events, the Grafana board, and the settings in the schema of the chart's values. Needs the contracts, libs/settings, libs/smtp-replies
// and the services built.
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { z } from 'zod';
import { asyncDocument } from './async-document.mjs';
import { loadContracts } from './contracts.mjs';
import { dashboard } from './dashboard.mjs';
import { incompatibilities } from './event-compatibility.mjs';
import { eventTopology, readTopology } from './event-topology.mjs';
import { valuesSchema } from './helm-check/values-schema.mjs';
import { GROUPS } from './operator-cli/commands.mjs';
import { notices } from './notices.mjs';
import { cliReference, errorsReference } from './reference-pages.mjs';

/** The JSON Schema of an event version is in the contract of its owner. */
const SCHEMA = /^services\/[\w-]+\/contract\/schemas\/[^/]+\.json$/;
/** Where releases before decision 113 have it. */
const FORMER_SCHEMAS = 'libs/contracts/schemas';
/** Changed only while no installation has events to read: it ends the promise of all earlier commits. */
const BASELINE = 'libs/contracts/events-baseline.txt';

/** The services that answer operations of the API or the console: each describes its own in `src/api-document.ts`. */
export const API_SERVICES = [
  'accounts',
  'domains',
  'gateway',
  'marketing',
  'messages',
  'webhooks',
  'webhook-dispatcher',
];
const API_DOCUMENT = 'services/gateway/openapi.json';
const CONSOLE_DOCUMENT = 'services/gateway/console-openapi.json';
export const DIALECTS_DOCUMENT = 'docs/dialects-openapi.json';
const VALUES_SCHEMA = 'deploy/helm/postmesh/values.schema.json';

/** @returns {Promise<Map<string, string>>} text by path below the repository's root */
export async function generateFiles() {
  const contracts = await loadContracts();
  const { CATALOGUE, serviceSetting, settingsReference } = await import('../libs/settings/dist/index.js');
  const { reportsReference } = await import('../services/messages/dist/reports/read/reports-reference.js');
  const { dialectsReference } = await import('../services/gateway/dist/dialects/dialects-reference.js');
  const { webhookDialectsReference } = await import('../libs/webhook-dialects/dist/index.js');
  const { dialectsDocument } = await import('../services/gateway/dist/dialects/dialects-document.js');
  const { repliesReference } = await import('../libs/smtp-replies/dist/index.js');
  const serviceUrls = contracts.INNER_SERVICES.map((name) => CATALOGUE[serviceSetting(name, 'Url')].env);
  const { REPLIES } = await import('../services/gateway/dist/smtp/replies.table.js');
  const api = await apiDocuments();
  const topology = readTopology(contracts, join(import.meta.dirname, '..'));
  const files = new Map([
    ['docs/settings.md', settingsReference()],
    ['docs/replies.md', repliesReference()],
    ['docs/reports.md', reportsReference()],
    ['docs/dialects.md', `${dialectsReference(pinnedVersions())}\n${webhookDialectsReference()}\n`],
    [DIALECTS_DOCUMENT, `${JSON.stringify(dialectsDocument(), null, 2)}\n`],
    ['docs/events.md', eventTopology(topology)],
    ['docs/asyncapi.json', asyncDocument(contracts, topology)],
    ['NOTICES.md', notices(join(import.meta.dirname, '..'))],
    ['docs/reference/cli.md', cliReference(GROUPS)],
    ['docs/reference/errors.md', errorsReference(Object.fromEntries(api)[API_DOCUMENT] ?? '', REPLIES)],
    ...api,
    ['deploy/helm/postmesh/files/dashboard.json', dashboard()],
    [VALUES_SCHEMA, chartSchema(Object.values(CATALOGUE), contracts.SERVICES, serviceUrls)],
  ]);
  for (const event of contracts.EVENTS) {
    files.set(
      `${contracts.FOLDERS.get(event)}/schemas/${event.pattern}.json`,
      `${JSON.stringify(schemaOf(event), null, 2)}\n`,
    );
  }
  return files;
}

/** @returns {Record<string, string>} versions of the SDKs in tests, by language and package: `Node resend` */
function pinnedVersions() {
  const read = (path) => readFileSync(join(import.meta.dirname, '..', path), 'utf8');
  const lines = (path, pattern) =>
    [...read(path).matchAll(pattern)].map(
      ([, name, version]) => /** @type {[string, string]} */ ([name, version]),
    );
  const programs = 'services/all-in-one/test/dialect-sdks';
  /** @type {Record<string, [string, string][]>} */
  const versions = {
    Node: Object.entries(JSON.parse(read('package.json')).devDependencies),
    Python: lines(`${programs}/python/requirements.txt`, /^([\w-]+)==(.+)$/gm),
    Go: lines(`${programs}/go/go.mod`, /^\t(\S+) v(\S+?)(?:\+incompatible)?$/gm),
  };
  return Object.fromEntries(
    Object.entries(versions).flatMap(([language, packages]) =>
      packages.map(([name, version]) => [`${language} ${name}`, version]),
    ),
  );
}

/** Its lists of settings and services are made here; the rest of it is written by hand. */
function chartSchema(catalogue, services, serviceUrls) {
  const text = readFileSync(join(import.meta.dirname, '..', VALUES_SCHEMA), 'utf8');
  return valuesSchema(text, catalogue, { services, serviceUrls: new Set(serviceUrls) });
}

/** The API of keys, and what the console has in addition. */
async function apiDocuments() {
  const { CONSOLE_OPERATIONS, OPERATIONS } = await import('../libs/contracts/dist/index.js');
  const { buildApiDocument } = await import('../services/gateway/dist/openapi/build-api-document.js');
  const { OF_KEYS, OF_MEMBERS } = await import('../services/gateway/dist/openapi/audience.js');
  const described = await Promise.all(
    API_SERVICES.map((service) => import(`../services/${service}/dist/api-document.js`)),
  );
  const calls = Object.assign({}, ...described.map((module) => module.WEBHOOK_DOCUMENTS));
  const api = described.map((module) => module.API_DOCUMENT);
  const ofConsole = described.map((module) => module.CONSOLE_DOCUMENT ?? {});
  const documents = {
    [API_DOCUMENT]: buildApiDocument(OPERATIONS, api, calls, OF_KEYS),
    [CONSOLE_DOCUMENT]: buildApiDocument(CONSOLE_OPERATIONS, ofConsole, {}, OF_MEMBERS),
  };
  return Object.entries(documents).map(
    ([path, document]) => /** @type {const} */ ([path, `${JSON.stringify(document, null, 2)}\n`]),
  );
}

/** `input`: a reader has to accept it, with unknown fields. */
function schemaOf(event) {
  const { $schema, ...schema } = z.toJSONSchema(event.schema, { io: 'input' });
  return {
    $schema,
    title: event.pattern,
    description: `Field \`data\` of ${event.pattern} on the stream ${event.stream}.`,
    ...schema,
    examples: event.examples,
  };
}

/**
 * @param {ReadonlyMap<string, string>} files as they have to be
 * @param {string} root
 * @returns {string[]} one line per file that differs, with the first line that does
 */
export function staleFiles(files, root) {
  const wanted = [...files].flatMap(([path, text]) => {
    const now = existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined;
    if (now === undefined) return [`${path} is missing`];
    return now === text ? [] : [`${path} is out of date: ${firstDifference(now, text)}`];
  });
  return [...wanted, ...leftOver(files, root).map((path) => `${path} is made from nothing any more`)];
}

/** Schemas of versions that no longer exist. */
export function leftOver(files, root) {
  return globSync('services/*/contract/schemas/*.json', { cwd: root })
    .map((path) => path.split(sep).join('/'))
    .filter((path) => !files.has(path));
}

function firstDifference(now, text) {
  const [is, should] = [now.split('\n'), text.split('\n')];
  const line = should.findIndex((each, index) => each !== is[index]);
  const at = line === -1 ? should.length : line;
  return `line ${at + 1} is ${quote(is[at])}, should be ${quote(should[at])}`;
}

const quote = (line) => (line === undefined ? 'absent' : `'${line.trim().slice(0, 100)}'`);

/**
 * Published event versions must stay readable: compares with the last commit, the one before it (where CI runs on the
 * last one itself) and the last release. Commits with another baseline are from a time without installations, and
 * promise nothing.
 * @returns {string[]} one line per change that needs a new version
 */
export function brokenEvents(files, root) {
  const schemas = [...files].filter(([path]) => SCHEMA.test(path));
  const baseline = existsSync(join(root, BASELINE)) ? readFileSync(join(root, BASELINE), 'utf8') : undefined;
  const comparable = knownCommits(root).filter(
    (commit) => git(root, ['show', `${commit}:${BASELINE}`]) === baseline,
  );
  return comparable.flatMap((commit) =>
    schemas.flatMap(([path, text]) => {
      const before =
        git(root, ['show', `${commit}:${path}`]) ??
        git(root, ['show', `${commit}:${FORMER_SCHEMAS}/${basename(path)}`]);
      if (before === undefined) return [];
      const { title } = JSON.parse(text);
      return incompatibilities(JSON.parse(before), JSON.parse(text)).map(
        (change) => `${title}: ${change} (since ${commit.slice(0, 10)}); make it a new version`,
      );
    }),
  );
}

function knownCommits(root) {
  const release = git(root, ['describe', '--tags', '--abbrev=0'])?.trim();
  const names = ['HEAD', 'HEAD^', ...(release ? [release] : [])];
  const commits = names.map((name) =>
    git(root, ['rev-parse', '--verify', '--quiet', `${name}^{commit}`])?.trim(),
  );
  return [...new Set(commits.flatMap((commit) => commit || []))];
}

/** @returns {string|undefined} undefined when git does not know it, or is not there */
function git(root, args) {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return undefined;
  }
}
