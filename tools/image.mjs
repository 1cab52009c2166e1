#!/usr/bin/env node
// @ts-check
// Checks of the image without an engine: runs the steps of deploy/Dockerfile in folders, one per stage, on a build
// context filtered by .dockerignore, then starts the result with the packages of the image, checks its health by its
// own probe, and compares the built files with the build of this checkout.
//   node tools/image.mjs [--full] [--twice]     --full installs packages instead of using those of this checkout
//   node tools/image.mjs --service gateway      the image of one service: its content, not a run
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { startChild, stopChild, waitUntil } from './processes.mjs';
import { contextFilter, parseDockerfile } from './image/dockerfile.mjs';
import { root } from './prepare.mjs';

/** @typedef {import('./image/dockerfile.mjs').Stage} Stage */

const STEP_MS = 300_000;
const READY_MS = 180_000;
/** Packages, including Node (144), and the built files of all services: more than this is a mistake. */
const MOST_MIB = 340;
const NOBODY = 65_534;
/** Time of files in layers, so that two builds are equal; an engine takes it from SOURCE_DATE_EPOCH. */
const EPOCH = 0;

const { values: options } = parseArgs({
  options: { full: { type: 'boolean' }, twice: { type: 'boolean' }, service: { type: 'string' } },
});
const stages = parseDockerfile(
  readFileSync(join(root, 'deploy', 'Dockerfile'), 'utf8'),
  options.service === undefined ? {} : { SERVICE: options.service },
);
const work = mkdtempSync(join(tmpdir(), 'postmesh-image-'));
chmodSync(work, 0o755);
try {
  const layer = await buildIn('first');
  tellSizes(layer);
  compareWithCheckout(layer);
  checkBillOfMaterials(layer);
  const digest = await digestOf(layer);
  console.log(`image: application layer sha256:${digest}`);
  if (options.twice) await refuseOther(digest);
  if (options.service === undefined) await startAndProbe(layer);
  else await loadService(layer, options.service);
  console.log('image passed');
} finally {
  rmSync(work, { recursive: true, force: true, maxRetries: 3 });
}

/** @param {string} name of a folder @returns {Promise<string>} the folder that is /app in the image */
async function buildIn(name) {
  const folder = join(work, name);
  const context = makeContext(folder);
  for (const [nth, stage] of stages.entries()) {
    const isLast = nth === stages.length - 1;
    await buildStage(stage, {
      folder,
      context,
      own: join(folder, isLast ? 'image' : String(stage.name)),
      isLast,
    });
  }
  return join(folder, 'image', 'app');
}

/** @param {string} folder @returns {string} the files that an engine would be sent */
function makeContext(folder) {
  const target = join(folder, 'context');
  const listed = run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], root);
  const isPart = contextFilter(readFileSync(join(root, '.dockerignore'), 'utf8'));
  for (const path of listed.split('\0').filter((each) => each !== '' && isPart(each))) {
    if (existsSync(join(root, path))) cpSync(join(root, path), join(target, path));
  }
  return target;
}

/** @param {Stage} stage @param {{ folder: string, context: string, own: string, isLast: boolean }} about */
async function buildStage(stage, { folder, context, own, isLast }) {
  let cwd = own;
  const inside = (/** @type {string} */ path) => (path.startsWith('/') ? join(own, path) : join(cwd, path));
  for (const step of stage.steps) {
    if (step.name === 'WORKDIR') {
      cwd = inside(step.path);
      mkdirSync(cwd, { recursive: true });
    } else if (step.name === 'COPY') {
      const from = step.from === null ? context : join(folder, step.from);
      // folders that no step of this stage changes need not be copied
      const put = isLast && step.from !== null ? (a, b) => hardLink(`${a}/.`, b) : copy;
      for (const source of step.sources) put(join(from, source), inside(step.target));
    } else if (isLast) {
      console.log(`image: not run here, as it changes the base: ${step.command}`);
    } else {
      runStep(step.command, cwd, { stage: stage.name ?? '', env: stage.env });
    }
  }
}

/** A folder's contents, or a file by its name. @param {string} source @param {string} target */
function copy(source, target) {
  const isFile = basename(source) !== '' && readdirOf(source) === undefined;
  cpSync(source, isFile ? join(target, basename(source)) : target, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (each) => basename(each) !== 'node_modules' || dirname(each) !== source || !isFile,
  });
}

/** @param {string} path */
function readdirOf(path) {
  try {
    return readdirSync(path);
  } catch {
    return undefined;
  }
}

/** @param {string} command @param {string} cwd @param {{ stage: string, env: Record<string, string> }} about */
function runStep(command, cwd, { stage, env }) {
  const began = Date.now();
  const isInstall = /^npm ci\b/.test(command) && !options.full;
  if (isInstall) linkPackages(cwd, { omitDevelopment: command.includes('--omit=dev') });
  else run('/bin/sh', ['-c', command], cwd, { ...process.env, ...env, SOURCE_DATE_EPOCH: String(EPOCH) });
  const how = isInstall ? 'packages of this checkout for: ' : '';
  console.log(
    `image: ${stage}: ${how}${command.slice(0, 90)} (${((Date.now() - began) / 1_000).toFixed(1)} s)`,
  );
}

/** The packages of `npm ci`, by the same lock file, without copying them. @param {string} cwd @param {{ omitDevelopment: boolean }} how */
function linkPackages(cwd, { omitDevelopment }) {
  const target = join(cwd, 'node_modules');
  /** @type {{ packages: Record<string, { dev?: boolean }> }} */
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const isNeeded = (/** @type {string} */ path) => !omitDevelopment || packages[path]?.dev !== true;
  const direct = Object.keys(packages).filter((path) => /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path));
  for (const path of direct.filter((each) => isNeeded(each) && existsSync(join(root, each)))) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    const isOurs = lstatSync(join(root, path)).isSymbolicLink();
    // a workspace is the one of this stage; development packages need only names, since none is removed later
    if (isOurs) symlinkSync(readlinkSync(join(root, path)), join(cwd, path));
    else if (omitDevelopment) hardLink(join(root, path), join(cwd, path));
    else symlinkSync(join(root, path), join(cwd, path));
  }
  for (const [path, { dev }] of Object.entries(packages))
    if (dev && omitDevelopment) rmSync(join(cwd, path), { recursive: true, force: true });
  const commands = join(target, '.bin');
  run('cp', ['-a', join(root, 'node_modules', '.bin'), commands], cwd);
  for (const name of readdirSync(commands))
    if (!existsSync(join(commands, name))) rmSync(join(commands, name));
}

/**
 * Hard-links the files of a folder: later steps remove them, and never write through them.
 * @param {string} from ends with `/.` where `to` is there @param {string} to
 */
function hardLink(from, to) {
  if (spawnSync('cp', ['-al', from, to], { timeout: STEP_MS }).status === 0) return;
  // another file system
  run('cp', ['-a', '--no-target-directory', from, to], work);
}

/** @param {string} command @param {string[]} args @param {string} cwd @param {NodeJS.ProcessEnv} [env] @returns {string} its output */
function run(command, args, cwd, env = process.env) {
  const done = spawnSync(command, args, { cwd, env, encoding: 'utf8', timeout: STEP_MS, maxBuffer: 1 << 28 });
  if (done.status === 0) return done.stdout;
  throw new Error(
    `${command} ${args.join(' ').slice(0, 200)}: ${done.status ?? done.signal}\n${done.stderr}`,
  );
}

/** @param {string} layer */
function tellSizes(layer) {
  const sizes = run('du', ['-sm', '--apparent-size', 'node_modules', 'services', 'libs', '.'], layer);
  console.log(`image: MiB ${sizes.trim().replaceAll(/\s*\n/g, ', ').replaceAll('\t', ' ')}`);
  const total = Number(/(\d+)\s+\.\s*$/.exec(sizes)?.[1]);
  if (!(total <= MOST_MIB)) throw new Error(`the application takes ${total} MiB, more than ${MOST_MIB}`);
}

/** Another build of the same sources, in another folder and later: every file must be equal. @param {string} layer */
function compareWithCheckout(layer) {
  const built = readdirSync(layer, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(layer.length + 1))
    .filter((path) => /^(libs|services)\/[^/]+\/(contract\/)?dist\//.test(path));
  const differing = built.filter(
    (path) =>
      !existsSync(join(root, path)) ||
      !readFileSync(join(root, path)).equals(readFileSync(join(layer, path))),
  );
  if (built.length === 0 || differing.length > 0) {
    const which = differing.slice(0, 5).join(', ');
    throw new Error(`${differing.length} of ${built.length} files differ from npx tsc -b here: ${which}`);
  }
  console.log(`image: ${built.length} built files are those of this checkout`);
}

/** Every package of the image must be listed. @param {string} layer */
function checkBillOfMaterials(layer) {
  /** @type {{ components: { 'bom-ref': string }[] }} */
  const { components } = JSON.parse(
    readFileSync(join(layer, '..', '..', 'bill', 'app', 'sbom.cdx.json'), 'utf8'),
  );
  const listed = new Set(components.map((component) => component['bom-ref']));
  const packages = readdirSync(layer, { recursive: true, encoding: 'utf8' })
    .filter((path) => /(^|\/)node_modules\/(@[^/]+\/)?[^/@.][^/]*\/package\.json$/.test(path))
    .map((path) => JSON.parse(readFileSync(join(layer, path), 'utf8')));
  const missing = packages.filter(
    ({ name, version }) => !listed.has(`${name}@${version}`) && version !== undefined,
  );
  const unlisted = missing.filter(({ name }) => !name.startsWith('@postmesh/'));
  if (packages.length === 0 || unlisted.length > 0) {
    throw new Error(
      `not in the bill of materials: ${unlisted.map(({ name, version }) => `${name}@${version}`).join(', ')}`,
    );
  }
  console.log(`image: ${packages.length} packages, all in the bill of materials of ${components.length}`);
}

/** Digest of a tar of all files, in one order, with one time and one owner. @param {string} folder @returns {Promise<string>} */
async function digestOf(folder) {
  const args = [
    '--sort=name',
    `--mtime=@${EPOCH}`,
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '-cf',
    '-',
    '.',
  ];
  const tar = spawn('tar', args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  const hash = createHash('sha256');
  const ended = new Promise((resolve) => tar.once('close', resolve));
  for await (const piece of tar.stdout) hash.update(piece);
  if ((await ended) !== 0) throw new Error('tar failed');
  return hash.digest('hex');
}

/** @param {string} digest */
async function refuseOther(digest) {
  const again = await digestOf(await buildIn('second'));
  if (again !== digest) throw new Error(`a second build gives sha256:${again}`);
  console.log('image: a second build gives the same');
}

/** Checks that every imported file is in the image, and no other service. @param {string} layer @param {string} service */
async function loadService(layer, service) {
  const others = readdirSync(join(layer, 'services')).filter(
    (name) =>
      name !== service &&
      // its files are served by the gateway
      !(name === 'console' && service === 'gateway') &&
      existsSync(join(layer, 'services', name, 'dist')),
  );
  if (others.length > 0) throw new Error(`the image of ${service} has code of ${others.join(', ')}`);
  const index = join(layer, 'services', service, 'dist', 'index.js');
  run(process.execPath, ['--input-type=module', '-e', `await import(${JSON.stringify(index)})`], layer);
  console.log(`image: ${service} and its libraries load, with production packages alone`);
}

/** Runs its entry point as a user without rights. @param {string} layer */
async function startAndProbe(layer) {
  const image = /** @type {Stage} */ (stages.at(-1));
  const dataDir = join(work, 'data');
  mkdirSync(dataDir, { mode: 0o777 });
  chmodSync(dataDir, 0o777);
  const ports = ['HTTP_PORT', 'OPERATOR_PORT', 'MAILBOX_PORT', 'SUBMISSION_PORTS', 'MX_PORT'];
  const [command = '', ...args] = image.entrypoint;
  const child = startChild(command, args, {
    cwd: layer,
    env: {
      ...image.env,
      PATH: `${image.env.PATH?.replaceAll('/app/', `${layer}/`)}`,
      HOME: dataDir,
      POSTMESH_DATA_DIR: dataDir,
      POSTMESH_HTTP_HOST: '127.0.0.1',
      POSTMESH_SMTP_HOST: '127.0.0.1',
      POSTMESH_LOG_LEVEL: 'warn',
      ...Object.fromEntries(ports.map((name) => [`POSTMESH_${name}`, '0'])),
    },
    ...(process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}),
  });
  let said = '';
  child.stdout?.on('data', (chunk) => (said += chunk));
  const isReady = waitUntil(() => said.includes('postmesh ready'), { limitMs: READY_MS });
  const ready = await Promise.race([isReady, child.ended.then(() => false)]);
  try {
    if (ready !== true) throw new Error(`the image does not start: ${child.output()}`);
    const { operator_url: url } = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'));
    const at = url.replace('localhost', '127.0.0.1');
    run(process.execPath, ['deploy/probe.mjs', `${at}/health/ready`], layer);
    const env = { PATH: process.env.PATH, POSTMESH_DATA_DIR: dataDir };
    for (const words of [['lag'], ['backup', join(work, 'backup'), '--keys', join(work, 'keys.json')]])
      run(process.execPath, ['tools/postmesh.mjs', ...words], layer, env);
    console.log('image: starts with production packages alone, its probe and its command line work');
  } finally {
    await stopChild(child, { graceMs: 20_000 });
  }
}
