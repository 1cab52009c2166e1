#!/usr/bin/env node
// npm run lint: oxlint, boundaries, generated files, the API document, citations of the contract, and the vocabulary.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lintApiDocument } from './api-lint.mjs';
import { findBreaches } from './boundaries.mjs';
import { findBrokenCitations } from './citations.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const bin = (name) => join(root, 'node_modules', '.bin', name);
const script = (...args) => spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status === 0;

const steps = [
  ['oxlint', () => spawnSync(bin('oxlint'), ['--quiet'], { cwd: root, stdio: 'inherit' }).status === 0],
  ['project references', () => script('tools/sync-projects.mjs', '--check')],
  ['generated files', () => script('tools/generate.mjs', '--check')],
  [
    'API document',
    async () => {
      const problems = await lintApiDocument(root);
      problems.forEach((problem) => console.error(problem));
      return problems.length === 0;
    },
  ],
  [
    'boundaries',
    () => {
      const breaches = findBreaches(root);
      breaches.forEach((breach) => console.error(breach));
      return breaches.length === 0;
    },
  ],
  [
    'citations',
    () => {
      const broken = findBrokenCitations(root);
      broken.forEach((one) => console.error(one));
      return broken.length === 0;
    },
  ],
  ['vocabulary', () => script('tools/vocabulary.mjs')],
];

const failed = [];
for (const [name, run] of steps) {
  if (!(await run())) failed.push(name);
}
if (failed.length > 0) {
  console.error(`lint failed: ${failed.join(', ')}`);
  process.exit(1);
}
console.log('lint passed');
