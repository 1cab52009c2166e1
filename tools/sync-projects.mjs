#!/usr/bin/env node
// Keeps every project's tsconfig.json in step with its package.json: the dependencies declared
// there are the one place that says who builds on whom; `--check` fails when they differ.
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..');
const check = process.argv.includes('--check');

/** @returns {{dir: string, name: string, dependencies: string[]}[]} every workspace project */
export function listProjects() {
  return ['libs', 'services'].flatMap((group) =>
    readdirSync(join(root, group))
      .filter((name) => existsSync(join(root, group, name, 'package.json')))
      .map((name) => {
        const dir = join(group, name);
        const manifest = JSON.parse(readFileSync(join(root, dir, 'package.json'), 'utf8'));
        return { dir, name: manifest.name, dependencies: Object.keys(manifest.dependencies ?? {}) };
      }),
  );
}

const projects = listProjects();
const dirOf = new Map(projects.map((project) => [project.name, project.dir]));
const stale = [];

function put(path, value) {
  const text = JSON.stringify(value, null, 2) + '\n';
  const now = existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '';
  if (JSON.stringify(now ? JSON.parse(now) : null) === JSON.stringify(value)) return;
  stale.push(path);
  if (!check) writeFileSync(join(root, path), text);
}

for (const project of projects) {
  const references = project.dependencies
    .filter((name) => dirOf.has(name))
    .map((name) => ({ path: relative(project.dir, dirOf.get(name)) }));
  put(join(project.dir, 'tsconfig.json'), {
    extends: '../../tsconfig.base.json',
    compilerOptions: { rootDir: 'src', outDir: 'dist', tsBuildInfoFile: 'dist/.tsbuildinfo' },
    include: ['src/**/*.ts'],
    references,
  });
}
put('tsconfig.json', { files: [], references: projects.map(({ dir }) => ({ path: dir })) });

if (check && stale.length > 0) {
  console.error(`out of date: ${stale.join(', ')}; run node tools/sync-projects.mjs`);
  process.exit(1);
}
