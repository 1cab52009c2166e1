import { existsSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isServed, readStaticFile, type StaticFile } from '../static-files/static-file.js';

export interface ConsoleFile extends StaticFile {
  /** its name has a hash of its content */
  readonly immutable: boolean;
}

/** services/console/dist, where its build has written it */
export const CONSOLE_DIST = fileURLToPath(new URL('../../../console/dist/', import.meta.url));
/** The reference of the API, of the same build: served at /docs, and not below /console. */
const REFERENCE = 'reference/';

/**
 * The built console, read once: a megabyte.
 * @returns files by path below `/console/`; empty when nothing was built
 */
export function readConsoleFiles(dist: string): ReadonlyMap<string, ConsoleFile> {
  if (!existsSync(join(dist, 'index.html'))) return new Map();
  const files = readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && isServed(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ file, path: relative(dist, file).split(sep).join('/') }))
    .filter(({ path }) => !path.startsWith(REFERENCE));
  return new Map(
    files.map(({ file, path }): [string, ConsoleFile] => [
      path,
      { ...readStaticFile(file), immutable: path.startsWith('assets/') },
    ]),
  );
}
