// @ts-check
// The release before, built in a folder of its own: what an upgrade begins with, and what it goes back to.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir } from '../real/daemon.mjs';
import { git, tagBefore } from './changes.mjs';

const STEP_MS = 900_000;
/** Without a release: the newest commit that is this much older. */
const DAY_S = 86_400;
const PREFIX = 'release-before-';

/** @param {string} root @returns {{ commit: string, name: string, isRelease: boolean }} `name`: its tag, or the commit where there is no release yet */
export function releaseBefore(root) {
  const tag = tagBefore(root);
  if (tag !== undefined)
    return { commit: git(root, 'rev-parse', `${tag}^{commit}`).trim(), name: tag, isRelease: true };
  const day = Number(git(root, 'log', '-1', '--format=%ct')) - DAY_S;
  const [first = ''] = git(root, 'rev-list', '--max-parents=0', 'HEAD').split('\n');
  const commit = git(root, 'rev-list', '-1', `--before=${day}`, 'HEAD').trim() || first;
  return { commit, name: commit.slice(0, 8), isRelease: false };
}

/**
 * Built once per commit; builds of other commits are removed.
 * @param {string} root @param {string} commit
 * @returns {string} its folder. @throws Error when it does not build
 */
export function buildOf(root, commit) {
  const folder = join(cacheDir, `${PREFIX}${commit}`);
  const built = join(folder, '.built');
  if (existsSync(built)) return folder;
  mkdirSync(cacheDir, { recursive: true });
  for (const name of readdirSync(cacheDir).filter((each) => each.startsWith(PREFIX)))
    rmSync(join(cacheDir, name), { recursive: true });
  mkdirSync(folder);
  run('sh', ['-c', `git archive ${commit} | tar -x -C "$1"`, 'sh', folder], root);
  takePackages(root, folder);
  run(process.execPath, ['-e', "import('./tools/prepare.mjs').then(({ prepare }) => prepare())"], folder);
  writeFileSync(built, '');
  return folder;
}

/** Those of this checkout where the lock files are equal: links of workspaces are relative, and lead to its own. */
function takePackages(root, folder) {
  const lock = (/** @type {string} */ of) => readFileSync(join(of, 'package-lock.json'), 'utf8');
  if (lock(root) === lock(folder))
    run('cp', ['-al', join(root, 'node_modules'), join(folder, 'node_modules')], root);
}

/** @param {string} command @param {string[]} args @param {string} cwd */
function run(command, args, cwd) {
  const done = spawnSync(command, args, { cwd, encoding: 'utf8', timeout: STEP_MS });
  if (done.status !== 0)
    throw new Error(`${command} ${args.join(' ')}: ${done.error?.message ?? `${done.stdout}${done.stderr}`}`);
}
