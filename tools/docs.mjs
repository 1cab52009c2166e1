// Checks the statements of the documents against the repository: paths, links, settings, commands, metrics; and the size of
// those that a newcomer reads first.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { metricFaults } from './observability.mjs';

/** Not settings of the services: read by the command line client and other clients, or by CI. */
const OTHER_VARIABLES = new Set([
  'POSTMESH_OPERATOR_URL',
  'POSTMESH_DNS_HOST_TOKEN',
  'POSTMESH_API_KEY',
  'POSTMESH_PROVIDER_REFRESH_TOKEN',
  'POSTMESH_PROVIDER_SECRET',
  'POSTMESH_RELAY_PASSWORD',
  'POSTMESH_ACCOUNT_ID',
  'POSTMESH_CI_BASE',
  'POSTMESH_TEST_TIER',
]);
const CODE = /`([^`\n]+)`/g;
const PATH = /^(?:services|libs|tools|bench|docs|deploy|\.ci)\/[\w@./-]+$/;
const FILE = /^[\w@./-]+\.(?:[cm]?[jt]s|sql)$/;
/** Files and folders that docs/flow.md may name, so that it stays a path and does not become an index. */
export const MOST_FILES = 70;
/** Terms of our own that docs/glossary.md may define. */
export const MOST_TERMS = 60;

/**
 * @param {string} root
 * @returns {string[]} the documents, as paths below the root
 */
export function listDocuments(root) {
  const inFolder = (folder) =>
    readdirSync(join(root, folder)).flatMap((entry) => {
      const path = join(folder, entry);
      if (statSync(join(root, path)).isDirectory()) return inFolder(path);
      return entry.endsWith('.md') ? [path] : [];
    });
  return ['README.md', 'CONTRIBUTING.md', ...inFolder('docs')];
}

/**
 * @param {string} text of the document
 * @param {object} about
 * @param {string} about.root
 * @param {string} about.path of the document below the root
 * @param {ReadonlySet<string>} about.settings environment variables
 * @param {ReadonlySet<string>} about.scripts of package.json
 * @param {ReadonlySet<string>} about.commands of npx postmesh
 * @param {ReadonlyMap<string, ReadonlySet<string>>} about.metrics with their labels
 * @returns {string[]} one line per statement that is not true
 */
export function untruths(text, { root, path, settings, scripts, commands, metrics }) {
  const codes = [...text.matchAll(CODE)].map(([, code]) => code);
  // a link in a code span is not a link
  const links = [...text.replace(/`[^`\n]*`/g, '``').matchAll(/\]\(([^)\s]+)\)/g)].map(
    ([, target]) => target,
  );
  const say = (what) => `${path}: ${what}`;
  const named = (pattern) => [...text.matchAll(pattern)].map(([, name]) => name);
  return [
    ...codes
      .filter((code) => PATH.test(code) && !existsSync(join(root, code)))
      .map((code) => say(`${code} does not exist`)),
    ...links
      .filter(
        (link) =>
          !/^(https?:|#)/.test(link) && !existsSync(join(root, dirname(path), link.replace(/#.*/, ''))),
      )
      .map((link) => say(`the link ${link} leads nowhere`)),
    ...named(/\b(POSTMESH_[A-Z0-9_]*[A-Z0-9])\b(?![*…<])/g)
      .filter((name) => !settings.has(name) && !OTHER_VARIABLES.has(name))
      .map((name) => say(`there is no setting ${name}`)),
    ...named(/npm run ([\w:-]+)/g)
      .filter((name) => !scripts.has(name))
      .map((name) => say(`there is no script ${name}`)),
    ...named(/npx postmesh ([\w-]+)/g)
      .filter((name) => !commands.has(name))
      .map((name) => say(`there is no command ${name}`)),
    ...metricFaults(text, metrics).map(say),
  ];
}

/**
 * @param {string} text of a document
 * @returns {string[]} the files and folders that it names, each once
 */
export function filesNamed(text) {
  const codes = [...text.matchAll(CODE)].map(([, code]) => code);
  return [...new Set(codes.filter((code) => PATH.test(code) || FILE.test(code)))];
}

/**
 * @param {string} text of the glossary
 * @returns {string[]} its terms; a row may have several, between commas
 */
export function termsDefined(text) {
  const [defined = ''] = text.split(/^## Retired words$/m);
  return [...defined.matchAll(/^\| *([^|]+?) *\|/gm)]
    .map(([, cell]) => cell)
    .filter((cell) => cell !== 'Term' && !/^-+$/.test(cell))
    .flatMap((cell) => cell.split(/, */));
}

/** @returns {string[]} every untruth of every document */
export function findUntruths(root, facts) {
  return listDocuments(root).flatMap((path) =>
    untruths(readFileSync(join(root, path), 'utf8'), { ...facts, root, path: relative('.', path) }),
  );
}
