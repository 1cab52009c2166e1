#!/usr/bin/env node
// @ts-check
// The first tier of the tests, for the projects that a change may have broken (`nx affected`), and the tests of the
// tools. Pull requests run it:
//   node tools/affected.mjs origin/main        the change is the diff since this commit
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { listProjects } from './sync-projects.mjs';
import { ROOT } from './test-tiers.mjs';

const [base] = process.argv.slice(2);
if (base === undefined) throw new Error('usage: node tools/affected.mjs <commit>');

const bin = (/** @type {string} */ name) => join(ROOT, 'node_modules', '.bin', name);
const shown = spawnSync(
  bin('nx'),
  ['show', 'projects', '--affected', `--base=${base}`, '--head=HEAD', '--json'],
  {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, NX_DAEMON: 'false' },
  },
);
if (shown.status !== 0) throw new Error(`nx cannot compare with ${base}: ${shown.stderr}`);
/** @type {Set<string>} */
const names = new Set(JSON.parse(shown.stdout));
const folders = listProjects(ROOT)
  .filter(({ name }) => names.has(name))
  .map(({ dir }) => `${dir}/`);
console.log(`affected since ${base}: ${folders.join(' ') || 'no project'}`);

/** @param {string} command @param {string[]} args @returns {boolean} whether it ended well */
const run = (command, args) => spawnSync(command, args, { cwd: ROOT, stdio: 'inherit' }).status === 0;
const passed = [
  run(process.execPath, [
    '--test',
    '--test-reporter=dot',
    ...globSync('tools/tests/*.test.mjs', { cwd: ROOT }),
  ]),
  folders.length === 0 || run(bin('vitest'), ['run', '--passWithNoTests', ...folders]),
];
process.exit(passed.every(Boolean) ? 0 : 1);
