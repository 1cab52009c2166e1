#!/usr/bin/env node
// @ts-check
// Derives each project's manifest from what its sources import: `dependencies` from the code that runs,
// `devDependencies` from its tests, and from both the TypeScript projects: tsconfig.json builds what runs,
// tsconfig.spec.json checks the tests. `--check` fails when a file differs from what would be written.
import { existsSync, globSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Test code inside `src`: checked and run, but part of neither the build nor the image. */
const TEST_CODE = /\.(spec|fixture)\.ts$|(^|\/)(testing|conformance|test|bench)\//;
const IMPORT = /(?:\bfrom\s+|\bimport\(\s*|\bimport\s+|\bresolve\(\s*)'(@postmesh\/[a-z-]+)/g;

/** @typedef {{ dir: string, name: string, manifest: Record<string, any>, runs: Set<string>, tests: Set<string> }} Project */

/** @param {string} root @returns {Project[]} every workspace project with the projects that it imports, by name */
export function listProjects(root) {
  const manifests = ['libs/*', 'services/*', 'services/*/contract'].map((folder) => `${folder}/package.json`);
  return globSync(manifests, { cwd: root })
    .map((path) => dirname(path).split(sep).join('/'))
    .sort()
    .map((dir) => readProject(root, dir));
}

/** @param {string} root @param {string} dir @returns {Project} */
function readProject(root, dir) {
  const manifest = JSON.parse(readFileSync(join(root, dir, 'package.json'), 'utf8'));
  /** @type {Project} */
  const project = { dir, name: manifest.name, manifest, runs: new Set(), tests: new Set() };
  for (const file of listSources(join(root, dir))) {
    const imports = TEST_CODE.test(file) ? project.tests : project.runs;
    for (const [, name] of readFileSync(join(root, dir, file), 'utf8').matchAll(IMPORT)) {
      if (name && name !== manifest.name) imports.add(name);
    }
  }
  for (const name of project.runs) project.tests.delete(name);
  return project;
}

/** @param {Project} project */
const isWeb = ({ manifest }) => manifest.nx?.tags?.includes('layer:web') === true;

/** @param {string} folder @returns {string[]} TypeScript and JavaScript sources, relative to the folder */
function listSources(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.split(sep).join('/'))
    .filter(
      (path) => /\.m?tsx?$|\.mjs$/.test(path) && !/^(dist|node_modules|\.vitest|contract)\//.test(path),
    );
}

/** @param {Project[]} projects @returns {{ path: string, value: object }[]} wanted content of each derived file */
function derivedFiles(projects) {
  const dirOf = new Map(projects.map(({ name, dir }) => [name, dir]));
  const files = projects.flatMap((project) => {
    const top = project.dir.replace(/[^/]+/g, '..');
    /** @param {Iterable<string>} names */
    const references = (names) =>
      [...names].sort().map((name) => ({ path: relative(project.dir, dirOf.get(name) ?? name) }));
    const manifest = { path: `${project.dir}/package.json`, value: withDependencies(project) };
    // Vite builds it, and its settings are its own
    if (isWeb(project)) return [manifest];
    return [
      manifest,
      {
        path: `${project.dir}/tsconfig.json`,
        value: {
          extends: `${top}/tsconfig.base.json`,
          compilerOptions: { rootDir: 'src', outDir: 'dist', tsBuildInfoFile: 'dist/.tsbuildinfo' },
          include: ['src/**/*.ts'],
          exclude: ['src/**/*.spec.ts', 'src/**/*.fixture.ts', 'src/**/testing/**'],
          references: references(project.runs),
        },
      },
      {
        path: `${project.dir}/tsconfig.spec.json`,
        value: {
          extends: `${top}/tsconfig.spec.base.json`,
          include: ['src/**/*.ts', 'conformance/**/*.ts', 'test/**/*.ts'],
          references: [{ path: './tsconfig.json' }, ...references([...project.runs, ...project.tests])],
        },
      },
    ];
  });
  /** @param {string} name @param {Project[]} those */
  const solution = (name, those) => ({
    files: [],
    references: those.map(({ dir }) => ({ path: name === '' ? dir : `${dir}/${name}` })),
  });
  const compiled = projects.filter((project) => !isWeb(project));
  return [
    ...files,
    { path: 'tsconfig.json', value: solution('', compiled) },
    { path: 'tsconfig.spec.json', value: solution('tsconfig.spec.json', compiled) },
  ];
}

/** @param {Project} project */
function withDependencies({ manifest, runs, tests }) {
  const { dependencies: _old, devDependencies: _oldDev, nx, ...rest } = manifest;
  /** @param {Set<string>} names */
  const any = (names) => Object.fromEntries([...names].sort().map((name) => [name, '*']));
  return {
    ...rest,
    ...(runs.size > 0 ? { dependencies: any(runs) } : {}),
    ...(tests.size > 0 ? { devDependencies: any(tests) } : {}),
    nx,
  };
}

/** @param {string} root @param {{ check: boolean }} options @returns {string[]} files that were out of date */
function syncProjects(root, { check }) {
  const stale = [];
  for (const { path, value } of derivedFiles(listProjects(root))) {
    const file = join(root, path);
    const text = `${JSON.stringify(value, null, 2)}\n`;
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
    stale.push(path);
    if (!check) writeFileSync(file, text);
  }
  return stale;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const check = process.argv.includes('--check');
  const stale = syncProjects(join(fileURLToPath(import.meta.url), '..', '..'), { check });
  if (check && stale.length > 0) {
    console.error(`out of date: ${stale.join(', ')}; run node tools/sync-projects.mjs, then npm install`);
    process.exit(1);
  }
}
