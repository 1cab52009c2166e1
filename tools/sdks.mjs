#!/usr/bin/env node
// @ts-check
// Writes the generated parts of the SDKs from the API document: `npm run generate` runs it when the document has changed.
//   node tools/sdks.mjs             writes sdks/*/…generated
//   node tools/sdks.mjs --check     writes them elsewhere, and fails when what is committed differs (tier full)
// The generators are packages of npm and PyPI that only this needs: they are installed in sdks/node and .cache, not at the root.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { goOnPath, goProgram } from './helm-check/go.mjs';
import { install } from './real/debian-program.mjs';
import { forGo, goName } from './sdks/go-document.mjs';

const ROOT = join(import.meta.dirname, '..');
const DOCUMENT = 'docs/openapi.json';
const CONSOLE_DOCUMENT = 'services/gateway/console-openapi.json';
const VENV = join(ROOT, '.cache', 'sdk-python');
/** of the SDK, and of the SDKs of other services that the dialects are tested with */
const PYTHON_PACKAGES = [
  'sdks/python/generator/requirements.txt',
  'services/all-in-one/test/dialect-sdks/python/requirements.txt',
].map((path) => join(ROOT, path));

/**
 * @typedef {object} Sdk
 * @property {string} output folder of what is generated, from the root
 * @property {string[]} [names] of the generated files, where the folder has others too
 * @property {string[]} inputs what decides it, from the root
 * @property {() => string | undefined} missing why it cannot be generated here
 * @property {(document: Record<string, any>, folder: string) => void} write
 */

/** @type {Record<'node' | 'python' | 'go' | 'console', Sdk>} */
const SDKS = {
  // no SDK, and made in the same way: the types of the operations of the API, and of those of the console alone
  console: {
    output: 'services/console/src/api/generated',
    inputs: [DOCUMENT, CONSOLE_DOCUMENT, 'services/console/generator/package-lock.json'],
    missing: () => undefined,
    write: writeConsole,
  },
  node: {
    output: 'sdks/node/src/generated',
    inputs: [DOCUMENT, 'sdks/node/package-lock.json', 'sdks/node/openapi-ts.config.mjs'],
    missing: () => undefined,
    write: writeNode,
  },
  python: {
    output: 'sdks/python/src/postmesh/_generated',
    inputs: [DOCUMENT, 'sdks/python/generator'],
    missing: () => (findPython() === undefined ? 'Python 3.11 or newer is not on this machine' : undefined),
    write: writePython,
  },
  go: {
    // a package of Go is one folder
    output: 'sdks/go',
    names: ['operations.gen.go', 'services.gen.go'],
    inputs: [DOCUMENT, 'tools/sdks/go-document.mjs', 'sdks/go/generator'],
    missing: () => (goOnPath() === undefined ? 'Go 1.26 or newer is not on this machine' : undefined),
    write: writeGo,
  },
};

const NAMES = /** @type {(keyof typeof SDKS)[]} */ (Object.keys(SDKS));

/** In the folder: from what it was made. A look at it needs no generator. */
const STAMP = 'generated-from.txt';

/**
 * Whether it was made from these very files.
 * @param {string} root @param {Sdk} sdk
 */
function isCurrent(root, sdk) {
  const stamp = join(root, sdk.output, STAMP);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === stampOf(root, sdk);
}

/** @param {string} root @param {Sdk} sdk */
function stampOf(root, { inputs }) {
  const hash = createHash('sha256');
  for (const path of inputs.flatMap((input) => filesOf(join(root, input)))) hash.update(readFileSync(path));
  return `SHA-256 of ${inputs.join(', ')}: ${hash.digest('hex')}\n`;
}

/** @param {string} path @returns {string[]} a file, or the files of a folder in a fixed order */
function filesOf(path) {
  if (!existsSync(path)) return [];
  try {
    return readdirSync(path)
      .filter((name) => name !== '__pycache__')
      .toSorted()
      .flatMap((name) => filesOf(join(path, name)));
  } catch {
    return [path];
  }
}

/**
 * @param {keyof typeof SDKS} name @param {string} [folder] instead of the root, below which it is written
 * @throws Error when its generator cannot run here
 */
export function writeSdk(name, folder = ROOT) {
  const sdk = SDKS[name];
  const output = join(folder, sdk.output);
  for (const path of sdk.names?.map((one) => join(output, one)) ?? [output])
    rmSync(path, { recursive: true, force: true });
  sdk.write(readJson(join(ROOT, DOCUMENT)), output);
  writeFileSync(join(output, STAMP), stampOf(ROOT, sdk));
}

/** @returns {{ name: keyof typeof SDKS, missing: string | undefined }[]} those that were made from other files than these */
export const staleSdks = () =>
  NAMES.filter((name) => !isCurrent(ROOT, SDKS[name])).map((name) => ({
    name,
    missing: SDKS[name].missing(),
  }));

/** @param {Record<string, any>} document @param {string} folder */
function writeNode(document, folder) {
  const sdk = join(ROOT, 'sdks/node');
  const { devDependencies } = readJson(join(sdk, 'package.json'));
  const installed = join(sdk, 'node_modules/@hey-api/openapi-ts/package.json');
  if (!existsSync(installed) || readJson(installed).version !== devDependencies['@hey-api/openapi-ts'])
    run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], sdk);
  const args = ['node_modules/@hey-api/openapi-ts/bin/run.js', '-f', 'openapi-ts.config.mjs', '-s'];
  run(process.execPath, args, sdk, { SDK_OUTPUT: folder });
  const keyed = operationsOf(document)
    .filter(({ operation }) => takesKey(operation))
    .map(({ method, path }) => `  '${method.toUpperCase()} ${path}',\n`);
  const text = [
    '// Generated from docs/openapi.json: do not edit.\n\n',
    '/** The operations that run once per idempotency key. */\n',
    `export const KEYED: ReadonlySet<string> = new Set([\n${keyed.join('')}]);\n`,
  ];
  writeFileSync(join(folder, 'keyed.gen.ts'), text.join(''));
}

/** @param {Record<string, any>} _document @param {string} folder */
function writeConsole(_document, folder) {
  const generator = join(ROOT, 'services/console/generator');
  if (!existsSync(join(generator, 'node_modules/openapi-typescript')))
    run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], generator);
  mkdirSync(folder, { recursive: true });
  const cli = 'node_modules/openapi-typescript/bin/cli.js';
  for (const [name, of] of [
    ['contract.ts', DOCUMENT],
    ['console.ts', CONSOLE_DOCUMENT],
  ])
    run(process.execPath, [cli, join(ROOT, of), '-o', join(folder, name)], generator);
}

/** @param {Record<string, any>} document @param {string} folder */
function writePython(document, folder) {
  // a status or reason that a newer server adds has to stay readable: values of responses are strings
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    if (!name.endsWith('Body')) dropEnums(schema);
  }
  const generator = join(ROOT, 'sdks/python/generator');
  const python = preparePython();
  const work = mkdtempSync(join(tmpdir(), 'postmesh-sdk-'));
  writeFileSync(join(work, 'openapi.json'), JSON.stringify(document));
  run(
    join(VENV, 'bin/openapi-python-client'),
    [
      ...['generate', '--path', 'openapi.json', '--meta', 'none', '--output-path', folder],
      ...['--config', join(generator, 'config.yaml'), '--custom-template-path', join(generator, 'templates')],
      '--fail-on-warning',
    ],
    work,
    { PATH: `${join(python, '..')}:${process.env.PATH}` },
  );
  rmSync(work, { recursive: true });
  // its client and error: postmesh._client and postmesh._errors are ours
  for (const name of ['.ruff_cache', 'client.py', 'errors.py'])
    rmSync(join(folder, name), { recursive: true, force: true });
}

/** @param {Record<string, any>} document @param {string} folder */
function writeGo(document, folder) {
  const families = document.tags.map((/** @type {{ name: string }} */ { name }) => goName(name));
  const generator = join(ROOT, 'sdks/go/generator');
  const work = mkdtempSync(join(tmpdir(), 'postmesh-sdk-'));
  const plain = join(work, 'openapi.json');
  writeFileSync(plain, JSON.stringify(forGo(document, takesKey)));
  mkdirSync(folder, { recursive: true });
  const go = goProgram();
  const args = [
    'tool',
    'oapi-codegen',
    '-config',
    'oapi-codegen.yaml',
    '-o',
    join(folder, 'operations.gen.go'),
  ];
  run(go, [...args, plain], generator, { GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly' });
  rmSync(work, { recursive: true });
  const field = (/** @type {string} */ family) =>
    family === 'Ping' ? '\tPingService\n' : `\t${family} ${family}Service\n`;
  const made = families.map(
    (/** @type {string} */ family) =>
      `\t\t${family === 'Ping' ? 'PingService' : family}: ${family}Service{client},\n`,
  );
  const types = families.map(
    (/** @type {string} */ family) =>
      `// ${family}Service is a family of operations.\ntype ${family}Service struct{ client *Client }\n`,
  );
  const services = join(folder, 'services.gen.go');
  writeFileSync(
    services,
    [
      '// Code generated from docs/openapi.json; DO NOT EDIT.\n\npackage postmesh\n',
      `// Services are the operations of the API, by family.\ntype Services struct {\n${families.map(field).join('')}}`,
      `func servicesOf(client *Client) Services {\n\treturn Services{\n${made.join('')}\t}\n}\n`,
      types.join('\n'),
    ].join('\n'),
  );
  run(go, ['fmt', services], generator, { GOTOOLCHAIN: 'local' });
}

const readJson = (/** @type {string} */ path) => JSON.parse(readFileSync(path, 'utf8'));

/** @param {any} schema */
function dropEnums(schema) {
  if (typeof schema !== 'object' || schema === null) return;
  if (Array.isArray(schema.enum)) delete schema.enum;
  Object.values(schema).forEach(dropEnums);
}

/** @param {Record<string, any>} document */
const operationsOf = ({ paths }) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

/** @param {Record<string, any>} operation */
const takesKey = ({ parameters = [] }) =>
  parameters.some(({ $ref }) => $ref === '#/components/parameters/Idempotency-Key');

/** A virtual environment with the packages of requirements.txt. @returns {string} its Python */
function preparePython() {
  const python = join(VENV, 'bin/python');
  const stamp = join(VENV, 'requirements.txt');
  const wanted = PYTHON_PACKAGES.map((path) => readFileSync(path, 'utf8')).join('');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return python;
  const found = findPython();
  if (found === undefined) throw new Error('Python 3.11 or newer is not on this machine');
  rmSync(VENV, { recursive: true, force: true });
  mkdirSync(VENV, { recursive: true });
  run(found, ['-m', 'venv', VENV]);
  const files = PYTHON_PACKAGES.flatMap((path) => ['-r', path]);
  run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...files]);
  writeFileSync(stamp, wanted);
  return python;
}

/** As a part of tests: the packages of the SDK and of the frameworks that it serves. */
export async function startPython() {
  // Debian has it in a package of its own
  if (spawnSync('python3', ['-c', 'import ensurepip']).status !== 0) install('python3-venv', 'python3-venv');
  return { env: { SDK_PYTHON: preparePython() }, stop: async () => undefined };
}

/** @returns {string | undefined} */
function findPython() {
  const isNewEnough = 'import sys; sys.exit(sys.version_info < (3, 11))';
  return ['python3', 'python3.13', 'python3.12', 'python3.11'].find(
    (name) => spawnSync(name, ['-c', isNewEnough]).status === 0,
  );
}

/** @param {string} command @param {string[]} args @param {string} [cwd] @param {NodeJS.ProcessEnv} [env] */
function run(command, args, cwd = ROOT, env = {}) {
  execFileSync(command, args, {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...env },
  });
}

/** @returns {string[]} files of the SDKs that are not as the generators write them */
function differences() {
  const folder = mkdtempSync(join(tmpdir(), 'postmesh-sdks-'));
  NAMES.forEach((name) => writeSdk(name, folder));
  const names = (/** @type {string} */ base) =>
    Object.values(SDKS)
      .flatMap(
        ({ output, names }) => names?.map((one) => join(base, output, one)) ?? filesOf(join(base, output)),
      )
      .map((path) => relative(base, path));
  const text = (/** @type {string} */ base, /** @type {string} */ path) =>
    existsSync(join(base, path)) ? readFileSync(join(base, path), 'utf8') : undefined;
  const all = new Set([...names(ROOT), ...names(folder)].filter((path) => !path.endsWith('.pyc')));
  const differing = [...all].filter((path) => text(ROOT, path) !== text(folder, path));
  rmSync(folder, { recursive: true });
  return differing;
}

if (import.meta.main) {
  if (process.argv.includes('--check')) {
    const differing = differences();
    differing.forEach((path) => console.error(`${path} is not what is generated: run node tools/sdks.mjs`));
    if (differing.length > 0) process.exit(1);
    console.log('the SDKs are what the generators write');
  } else {
    NAMES.forEach((name) => writeSdk(name));
  }
}
