// The files of the repository that people write and read: the input of the lints of words and citations.
import { readdirSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const SKIPPED = new Set([
  ...['node_modules', 'dist', 'coverage', '.git', '.nx', '.data', '.cache', '.vitest'],
  // of the SDKs
  ...['generated', '_generated'],
]);
const GENERATED = new Set(['package-lock.json', 'docs/openapi.json', 'docs/settings.md']);
const READ = /\.(ts|tsx|mts|js|mjs|cjs|sql|md|json|ya?ml|sh|py|tpl|html)$|(^|\/)Dockerfile$/;

/**
 * @param {string} root
 * @param {string[]} [paths] folders or files, relative to root; everything when empty
 * @returns {string[]} paths relative to root, `/` between their parts, sorted
 */
export function textFiles(root, paths = []) {
  const from = paths.length > 0 ? paths : ['.'];
  const found = from.flatMap((path) => filesUnder(join(root, path)));
  return found
    .map((file) => relative(root, file).split(sep).join('/'))
    .filter((path) => READ.test(path) && !GENERATED.has(path))
    .sort();
}

function filesUnder(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    if (SKIPPED.has(entry.name) || entry.isSymbolicLink()) return [];
    return entry.isDirectory() ? filesUnder(join(path, entry.name)) : [join(path, entry.name)];
  });
}

/** @returns {number} the line, from 1, in which an offset of a text is */
export const lineAt = (text, offset) => text.slice(0, offset).split('\n').length;
