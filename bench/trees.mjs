// @ts-check
// Variants compared in one run: this tree, another commit of it, other versions of Node, fewer processors, another
// setting.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeFolder, removeFolder, runToEnd } from '../tools/processes.mjs';

const ROOT = join(import.meta.dirname, '..');
const LIMIT_MS = 900_000;

/**
 * @typedef {{ name: string, root: string, node: string, cores?: number, nodeArguments?: readonly string[],
 *   settings?: Readonly<Record<string, string>>, accepting?: number }} Variant what a system is started from; `cores`: on the
 *   first so many processors only; `accepting`: so many processes of this tree accept, and the main one does not
 */

/**
 * Builds the wanted variants, runs the work, and removes them again.
 * @template T
 * @param {{ compare: string | undefined, node: string[], cores: number[], settings: string[], accepting: number }} wanted `compare`: a commit, or the folder of a
 *   tree that is built; `node`: versions of npm's package `node`, or paths of programs;
 *   `settings`: of each system one, as NAME=VALUE
 * @param {(variants: Variant[]) => Promise<T>} work
 */
export async function withVariants({ compare, node, cores, settings, accepting }, work) {
  /** @type {Variant[]} */
  const variants = [{ name: 'this tree', root: ROOT, node: process.execPath }];
  /** @type {(() => void)[]} */
  const ends = [];
  try {
    if (compare !== undefined && existsSync(join(compare, 'package.json'))) {
      variants.push({ name: compare, root: resolve(compare), node: process.execPath });
    } else if (compare !== undefined) {
      const root = makeFolder('tree');
      ends.push(() => removeTree(root));
      await buildTree(compare, root);
      variants.push({ name: compare, root, node: process.execPath });
    }
    for (const version of node) {
      if (version.includes('/')) {
        variants.push({ name: version, root: ROOT, node: version });
        continue;
      }
      const folder = makeFolder('node');
      ends.push(() => removeFolder(folder));
      variants.push({ name: `Node ${version}`, root: ROOT, node: await installNode(version, folder) });
    }
    for (const count of cores) {
      variants.push({ name: `${count} processors`, root: ROOT, node: process.execPath, cores: count });
    }
    for (const text of settings) {
      const at = text.indexOf('=');
      const own = { [text.slice(0, at)]: text.slice(at + 1) };
      variants.push({ name: text, root: ROOT, node: process.execPath, settings: own });
    }
    if (accepting > 0) {
      variants.push({ name: `${accepting} accepting`, root: ROOT, node: process.execPath, accepting });
    }
    return await work(variants);
  } finally {
    for (const end of ends) end();
  }
}

/** With the packages of this tree where both want the same ones. @param {string} commit @param {string} root */
async function buildTree(commit, root) {
  await runToEnd('git', ['-C', ROOT, 'worktree', 'add', '--force', '--detach', root, commit]);
  const lock = 'package-lock.json';
  if (readFileSync(join(root, lock), 'utf8') === readFileSync(join(ROOT, lock), 'utf8')) {
    // links between the packages of a tree are relative ones, and stay so
    cpSync(join(ROOT, 'node_modules'), join(root, 'node_modules'), {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
  await runToEnd(process.execPath, ['--input-type=module', '--eval', PREPARE], {
    cwd: root,
    limitMs: LIMIT_MS,
  });
}

const PREPARE = `const { prepare } = await import(process.cwd() + '/tools/prepare.mjs'); await prepare();`;

function removeTree(root) {
  spawnSync('git', ['-C', ROOT, 'worktree', 'remove', '--force', root]);
  removeFolder(root);
}

/** @returns {Promise<string>} its program */
async function installNode(version, folder) {
  const args = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', `node@${version}`];
  await runToEnd('npm', args, { limitMs: LIMIT_MS });
  return join(folder, 'node_modules', 'node', 'bin', 'node');
}
