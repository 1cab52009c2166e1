import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { etagOf } from '../documentation/documentation.js';
import type { Encoding } from './accept-encoding.rules.js';

/** One file in one encoding. */
interface Representation {
  readonly bytes: Buffer;
  readonly etag: string;
}

export interface ConsoleFile {
  readonly contentType: string;
  /** its name has a hash of its content */
  readonly immutable: boolean;
  readonly encodings: Readonly<Partial<Record<Encoding, Representation>>> & {
    readonly identity: Representation;
  };
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** services/console/dist, where its build has written it */
export const CONSOLE_DIST = fileURLToPath(new URL('../../../console/dist/', import.meta.url));

/**
 * The built console, read once: a megabyte.
 * @returns files by path below `/console/`; empty when nothing was built
 */
export function readConsoleFiles(dist: string): ReadonlyMap<string, ConsoleFile> {
  if (!existsSync(join(dist, 'index.html'))) return new Map();
  const files = readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && extname(entry.name) in TYPES)
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    files.map((file): [string, ConsoleFile] => {
      const path = relative(dist, file).split(sep).join('/');
      return [path, { ...readFile(file), immutable: path.startsWith('assets/') }];
    }),
  );
}

function readFile(file: string): Omit<ConsoleFile, 'immutable'> {
  const read = (path: string): Representation => {
    const bytes = readFileSync(path);
    return { bytes, etag: etagOf(bytes) };
  };
  return {
    contentType: TYPES[extname(file)] ?? 'application/octet-stream',
    encodings: {
      identity: read(file),
      ...(existsSync(`${file}.br`) ? { br: read(`${file}.br`) } : {}),
      ...(existsSync(`${file}.gz`) ? { gzip: read(`${file}.gz`) } : {}),
    },
  };
}
