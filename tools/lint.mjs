#!/usr/bin/env node
// @ts-check
// npm run lint: oxlint, the types of tests and tools, unused code and dependencies, derived manifests, generated files, the
// documents of the API and of the events, boundaries, citations of the contract, the vocabulary, and the grammar of comments
// and docs.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { API_DOCUMENT, CONSOLE_DOCUMENT, EVENT_DOCUMENT, lintDocument } from './api-lint.mjs';
import { findBreaches } from './boundaries.mjs';
import { findBrokenCitations } from './citations.mjs';
import { BOUNDS, aboveBounds, countForms } from './grammar.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** @param {string} command @param {string[]} args @returns {boolean} whether it ended well */
const run = (command, ...args) => spawnSync(command, args, { cwd: root, stdio: 'inherit' }).status === 0;
/** @param {string[]} args @returns {boolean} */
const script = (...args) => run(process.execPath, ...args);
/** @param {string} name @param {string[]} args @returns {boolean} */
const bin = (name, ...args) => run(join(root, 'node_modules', '.bin', name), ...args);

/** @param {string[]} problems @returns {boolean} whether there are none */
function tell(problems) {
  problems.forEach((problem) => console.error(problem));
  return problems.length === 0;
}

/** @type {Record<string, () => boolean | Promise<boolean>>} */
const STEPS = {
  oxlint: () => bin('oxlint', '--quiet'),
  'types of the tests': () => bin('tsc', '-b', 'tsconfig.spec.json'),
  'types of the console': () => bin('tsc', '-p', 'services/console'),
  'types of the SDK for Node.js and its examples': () => bin('tsc', '-p', 'sdks/examples'),
  'types of the tools': () => bin('tsc', '-p', 'tsconfig.tools.json'),
  'unused files, exports and dependencies': () => bin('knip', '--no-progress', '--reporter', 'compact'),
  'manifests and TypeScript projects': () => script('tools/sync-projects.mjs', '--check'),
  'generated files': () => script('tools/generate.mjs', '--check'),
  'API document': async () => tell(await lintDocument(root, API_DOCUMENT)),
  'document of the console': async () => tell(await lintDocument(root, CONSOLE_DOCUMENT)),
  'document of the events': async () => tell(await lintDocument(root, EVENT_DOCUMENT)),
  boundaries: () => tell(findBreaches(root)),
  citations: () => tell(findBrokenCitations(root)),
  vocabulary: () => script('tools/vocabulary.mjs'),
  grammar: () => tell(aboveBounds(countForms(root), BOUNDS)),
};

/** @type {string[]} */
const failed = [];
for (const [name, passes] of Object.entries(STEPS)) if (!(await passes())) failed.push(name);
if (failed.length > 0) {
  console.error(`lint failed: ${failed.join(', ')}`);
  process.exit(1);
}
console.log('lint passed');
