// Who may import what (architecture §6). Imports are read from the sources, permissions stand in the tables below.
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const COMPOSER = 'services/all-in-one';
const FORBIDDEN_FOLDERS = new Set(['utils', 'util', 'common', 'shared', 'helpers', 'helper', 'misc']);

/** Packages that only some folders may import, so that replacing one stays a matter of one folder. */
const ONLY_IN = {
  kafkajs: ['libs/event-bus/src/kafka', 'libs/event-bus/conformance'],
  bullmq: ['libs/jobs'],
  nodemailer: ['libs/mail-format', 'services/delivery-worker'],
  'smtp-server': ['services/gateway', 'services/local-internet', 'services/delivery-worker'],
};

/** The environment is read in one place; tests are handed their real parts by it. */
const MAY_READ_ENVIRONMENT = /^libs\/(settings|testing)\/|\.spec\.ts$|\/conformance\/|\/test\/|\/testing\//;

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s[^;]*?from\s+'([^']+)'|import\(\s*'([^']+)'\s*\)|(?:^|\n)\s*import\s+'([^']+)'/g;

/**
 * @param {string} root folder with `libs` and `services`
 * @returns {string[]} one line per breach
 */
export function findBreaches(root) {
  const projects = listProjects(root);
  const byName = new Map(projects.map((project) => [project.name, project]));
  return projects.flatMap((project) =>
    listSources(join(root, project.dir)).flatMap((file) => {
      const path = relative(root, file).split(sep).join('/');
      const text = readFileSync(file, 'utf8');
      return [
        ...folderBreaches(path),
        ...environmentBreaches(path, text),
        ...importBreaches({ path, text, project, byName }),
      ];
    }),
  );
}

function importBreaches({ path, text, project, byName }) {
  const breaches = [];
  for (const match of text.matchAll(IMPORT)) {
    const specifier = match[1] ?? match[2] ?? match[3];
    const name = packageOf(specifier);
    if (name === undefined) {
      if (leavesProject(path, specifier, project.dir))
        breaches.push(`${path}: '${specifier}' leaves the project`);
      continue;
    }
    const target = byName.get(name);
    if (target && target !== project) breaches.push(...projectBreaches(path, project, target));
    const folders = ONLY_IN[name];
    if (folders && !folders.some((folder) => path.startsWith(`${folder}/`))) {
      breaches.push(`${path}: only ${folders.join(', ')} may import ${name}`);
    }
  }
  return breaches;
}

function projectBreaches(path, project, target) {
  const breaches = [];
  if (target.dir.startsWith('services/') && project.dir !== COMPOSER) {
    breaches.push(`${path}: only ${COMPOSER} may import the service ${target.name}`);
  }
  if (!project.declared.has(target.name))
    breaches.push(`${path}: ${target.name} is not declared in ${project.dir}/package.json`);
  return breaches;
}

function folderBreaches(path) {
  const folder = path
    .split('/')
    .slice(0, -1)
    .find((part) => FORBIDDEN_FOLDERS.has(part));
  return folder === undefined ? [] : [`${path}: a folder called ${folder} says nothing of what is in it`];
}

function environmentBreaches(path, text) {
  return /process\.env\b/.test(text) && !MAY_READ_ENVIRONMENT.test(path)
    ? [`${path}: process.env is read in libs/settings only`]
    : [];
}

/** @returns the package of a bare specifier; undefined for relative ones and for Node's own */
function packageOf(specifier) {
  if (specifier.startsWith('.') || specifier.startsWith('node:')) return undefined;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function leavesProject(path, specifier, dir) {
  if (!specifier.startsWith('.')) return false;
  const target = join(path, '..', specifier).split(sep).join('/');
  // suites that start real parts themselves use the same scripts as people and CI
  if (/\/(conformance|test)\//.test(path) && target.startsWith('tools/real/')) return false;
  // a project's test settings add to those of all
  if (path.endsWith('/vitest.config.ts') && target === 'vitest.config.js') return false;
  return !target.startsWith(`${dir}/`);
}

function listProjects(root) {
  return ['libs', 'services'].flatMap((group) =>
    readdirSync(join(root, group)).flatMap((entry) => {
      try {
        const manifest = JSON.parse(readFileSync(join(root, group, entry, 'package.json'), 'utf8'));
        const declared = new Set(Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }));
        return [{ dir: `${group}/${entry}`, name: manifest.name, declared }];
      } catch {
        return [];
      }
    }),
  );
}

function listSources(dir) {
  return readdirSync(dir).flatMap((entry) => {
    if (entry === 'node_modules' || entry === 'dist') return [];
    const path = join(dir, entry);
    if (statSync(path).isDirectory()) return listSources(path);
    return /\.(ts|mts)$/.test(entry) && !entry.endsWith('.d.ts') ? [path] : [];
  });
}
