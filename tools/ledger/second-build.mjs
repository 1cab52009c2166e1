// @ts-check
// A second build: a copy of the built files, in a folder of its own below the repository, where it finds the installed
// packages but none of this build's files.
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir } from '../real/daemon.mjs';

const ROOT = join(import.meta.dirname, '..', '..');
/** Files of a project that a process reads. */
const PARTS = ['package.json', 'dist', 'node_modules', 'openapi.json'];

/** @returns {{ root: string, remove: () => void }} */
export function makeSecondBuild() {
  const root = join(cacheDir, `second-build-${process.pid}`);
  const scope = join(root, 'node_modules', '@postmesh');
  mkdirSync(scope, { recursive: true });
  for (const kind of ['libs', 'services']) {
    for (const name of readdirSync(join(ROOT, kind))) {
      for (const part of PARTS) copy(join(ROOT, kind, name, part), join(root, kind, name, part));
      symlinkSync(join(root, kind, name), join(scope, name));
    }
  }
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** @param {string} from @param {string} to */
function copy(from, to) {
  if (existsSync(from)) cpSync(from, to, { recursive: true, filter: (path) => !/\.(map|d\.ts)$/.test(path) });
}
