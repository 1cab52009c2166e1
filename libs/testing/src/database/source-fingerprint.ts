import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..', '..');

let found: Promise<string> | undefined;

/**
 * Changes whenever a source file or an installed package changes. A schema that was migrated by other
 * sources is thus never used, while an unchanged one is not migrated again in the next run.
 */
export function sourceFingerprint(): Promise<string> {
  found ??= takeFingerprint();
  return found;
}

async function takeFingerprint(): Promise<string> {
  const sources = await Promise.all(['libs', 'services'].map((group) => describeGroup(join(root, group))));
  return [...sources, await describeFile(join(root, 'package-lock.json'))].join('\n');
}

async function describeGroup(group: string): Promise<string> {
  const projects = (await readdir(group)).sort();
  return (await Promise.all(projects.map((name) => describeFolder(join(group, name, 'src'))))).join('\n');
}

async function describeFolder(folder: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  const files = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.spec.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return (await Promise.all(files.map(describeFile))).join('\n');
}

/** A file that is renamed away while it is looked at counts as gone. */
async function describeFile(path: string): Promise<string> {
  const entry = await stat(path).catch(() => undefined);
  return entry === undefined ? '' : `${path} ${entry.mtimeMs} ${entry.size}`;
}
