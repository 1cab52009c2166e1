// @ts-check
// Allowed imports (architecture §6): between projects by their Nx tags, for some packages by folder. Circles of files and
// reads of the environment are oxlint's (.oxlintrc.json). Nx's own rule and dependency-cruiser read TypeScript with its
// JavaScript API, which TypeScript 7 does not have (docs/decisions/0105).
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { listProjects } from './sync-projects.mjs';

/**
 * Which layers a project of a layer may import; `testing` from tests only.
 * @type {Record<string, string[]>}
 */
const MAY_DEPEND_ON = {
  'layer:lib': ['layer:lib'],
  'layer:testing': ['layer:lib', 'layer:testing'],
  'layer:contract': ['layer:lib', 'layer:contract'],
  'layer:service': ['layer:lib', 'layer:contract'],
  // runs in a browser: it knows the API document alone
  'layer:web': [],
  'layer:composition': ['layer:lib', 'layer:contract', 'layer:service'],
};
const FORBIDDEN_FOLDERS = new Set(['utils', 'util', 'common', 'shared', 'helpers', 'helper', 'misc']);

/**
 * Packages that only some folders may import, so that replacing one stays a matter of one folder.
 * @type {Record<string, string[]>}
 */
const ONLY_IN = {
  '@aws-sdk/client-s3': ['libs/blob-store'],
  '@opentelemetry/sdk-trace': ['libs/observability'],
  '@opentelemetry/exporter-trace-otlp-http': ['libs/observability'],
  kafkajs: ['libs/events/src/kafka', 'libs/events/conformance'],
  '@nestjs/bullmq': ['libs/work'],
  bullmq: ['libs/work', 'services/all-in-one/test'],
  nodemailer: [
    // as a client of our listeners
    'services/gateway/src/smtp',
    'services/local-internet',
    'services/all-in-one/test',
  ],
  'smtp-server': ['services/gateway', 'services/local-internet', 'services/delivery-worker'],
};

/** Parts of a package that its documentation does not show: they change without notice. */
const PRIVATE_PART = /\/(?:internal|lib|driver|dist|src|build)(?:[/.]|$)/;
/** Packages with one public entry each: their `exports` let more through. */
const ONE_ENTRY = /^(?:@nestjs\/[^/]+|fastify|typeorm)\//;
/**
 * Deep imports that stay: where, and why.
 * @type {Record<string, { in: string[], why: string }>}
 */
const MAY_GO_DEEP = {
  'ajv/dist/2020.js': {
    in: ['services/gateway/src/openapi'],
    why: 'its documentation names it for JSON Schema 2020-12',
  },
  'uplot/dist/uPlot.min.css': {
    in: ['services/console/src/charts'],
    why: 'its documentation names it; its package has no exports',
  },
  'smtp-server/lib/smtp-connection.js': {
    in: ['services/gateway/src/smtp', 'services/local-internet/src/sink'],
    why: 'named in its exports; the protocol of one connection on a socket of ours is exported nowhere else',
  },
};

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s[^;]*?from\s+'([^']+)'|import\(\s*'([^']+)'\s*\)|(?:^|\n)\s*import\s+'([^']+)'/g;

/**
 * @param {string} root folder with `libs` and `services`
 * @returns {string[]} one line per breach
 */
export function findBreaches(root) {
  const projects = listProjects(root);
  const layers = new Map(projects.map(({ name, manifest }) => [name, layerOf(manifest)]));
  return projects.flatMap((project) => [
    ...projectBreaches(project, layers),
    ...listSources(join(root, project.dir)).flatMap((file) => {
      const path = relative(root, file).split(sep).join('/');
      const text = readFileSync(file, 'utf8');
      return [...folderBreaches(path), ...importBreaches(path, text, project.dir)];
    }),
  ]);
}

/** @param {Record<string, any>} manifest @returns {string} the project's tag that names its layer */
const layerOf = (manifest) =>
  /** @type {string[]} */ (manifest.nx?.tags ?? []).find((tag) => tag.startsWith('layer:')) ?? 'none';

/**
 * @param {import('./sync-projects.mjs').Project} project
 * @param {Map<string, string>} layers by the name of a project
 */
function projectBreaches({ dir, name, runs, tests }, layers) {
  const layer = layers.get(name) ?? 'none';
  const allowed = MAY_DEPEND_ON[layer];
  if (!allowed)
    return [`${dir}/package.json: needs one of the tags ${Object.keys(MAY_DEPEND_ON).join(', ')}`];
  /** @param {string} target @param {string[]} may */
  const breach = (target, may) => {
    const found = layers.get(target);
    if (found === undefined) return [`${dir}: imports ${target}, which is no project`];
    return may.includes(found) ? [] : [`${dir} (${layer}) may not import ${target} (${found})`];
  };
  return [
    ...[...runs].flatMap((target) => breach(target, allowed)),
    ...[...tests].flatMap((target) => breach(target, [...allowed, 'layer:testing'])),
  ];
}

/** @param {string} path @param {string} text @param {string} dir of the project */
function importBreaches(path, text, dir) {
  const breaches = [];
  for (const match of text.matchAll(IMPORT)) {
    const specifier = match[1] ?? match[2] ?? match[3] ?? '';
    const name = packageOf(specifier);
    if (name === undefined) {
      if (leavesProject(path, specifier, dir)) breaches.push(`${path}: '${specifier}' leaves the project`);
      continue;
    }
    if (goesTooDeep(path, specifier)) {
      breaches.push(`${path}: '${specifier}' is no public entry of ${name}`);
    }
    const folders = ONLY_IN[name];
    if (folders && !folders.some((folder) => path.startsWith(`${folder}/`))) {
      breaches.push(`${path}: only ${folders.join(', ')} may import ${name}`);
    }
  }
  return breaches;
}

/** @param {string} path @param {string} specifier */
function goesTooDeep(path, specifier) {
  if (!PRIVATE_PART.test(specifier) && !ONE_ENTRY.test(specifier)) return false;
  return !MAY_GO_DEEP[specifier]?.in.some((place) => path === place || path.startsWith(`${place}/`));
}

/** @param {string} path */
function folderBreaches(path) {
  const folder = path
    .split('/')
    .slice(0, -1)
    .find((part) => FORBIDDEN_FOLDERS.has(part));
  return folder === undefined ? [] : [`${path}: a folder called ${folder} says nothing of what is in it`];
}

/** @param {string} specifier @returns the package of a bare specifier; undefined for relative ones and for Node's own */
function packageOf(specifier) {
  if (specifier.startsWith('.') || specifier.startsWith('node:')) return undefined;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** @param {string} path @param {string} specifier @param {string} dir */
function leavesProject(path, specifier, dir) {
  if (!specifier.startsWith('.')) return false;
  const target = join(path, '..', specifier).split(sep).join('/');
  // suites that start real parts, run the ledger, read alerts and board, or execute snippets of the documentation use the same
  // scripts as people and CI
  if (
    /\/(conformance|test)\//.test(path) &&
    /^tools\/(?:(?:real|ledger)\/|(?:observability|snippets)\.mjs$)/.test(target)
  )
    return false;
  // a project's test settings add to those of all
  if (path.endsWith('/vitest.config.ts') && target === 'vitest.config.js') return false;
  return !target.startsWith(`${dir}/`);
}

/** @param {string} dir @returns {string[]} */
function listSources(dir) {
  return readdirSync(dir).flatMap((entry) => {
    if (entry === 'node_modules' || entry === 'dist') return [];
    const path = join(dir, entry);
    // a project of its own
    if (existsSync(join(path, 'package.json'))) return [];
    if (statSync(path).isDirectory()) return listSources(path);
    return /\.(ts|tsx|mts)$/.test(entry) && !entry.endsWith('.d.ts') ? [path] : [];
  });
}
