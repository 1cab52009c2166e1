// @ts-check
// A second build: a copy of the built files, in a folder of its own below the repository, where it finds the installed
// packages but none of this build's files.
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir } from '../real/daemon.mjs';
import { listProjects } from '../sync-projects.mjs';

const ROOT = join(import.meta.dirname, '..', '..');
/** Files of a project that a process reads: those of the image (deploy/Dockerfile), and its own packages. */
export const PARTS = ['package.json', 'dist', 'node_modules', 'openapi.json', 'console-openapi.json'];

/** @returns {{ root: string, remove: () => void }} */
export function makeSecondBuild() {
  const root = join(cacheDir, `second-build-${process.pid}`);
  const scope = join(root, 'node_modules', '@postmesh');
  mkdirSync(scope, { recursive: true });
  for (const { dir, name } of listProjects(ROOT)) {
    for (const part of PARTS) copy(join(ROOT, dir, part), join(root, dir, part));
    symlinkSync(join(root, dir), join(root, 'node_modules', name));
  }
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** @param {string} from @param {string} to */
function copy(from, to) {
  if (existsSync(from)) cpSync(from, to, { recursive: true, filter: (path) => !/\.(map|d\.ts)$/.test(path) });
}
