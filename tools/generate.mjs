#!/usr/bin/env node
// npm run generate: writes the generated files. --check: fails when a committed one differs, or when a published event
// version has changed in more than optional fields.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { API_SERVICES, brokenEvents, generateFiles, leftOver, staleFiles } from './generated.mjs';
import { staleSdks, writeSdk } from './sdks.mjs';

const root = join(import.meta.dirname, '..');

build();
const files = await generateFiles();
const broken = brokenEvents(files, root);
broken.forEach((line) => console.error(line));
if (process.argv.includes('--check')) check();
else write();

/** Incremental: half a second when nothing has changed. */
function build() {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const projects = ['libs/settings', 'libs/smtp-replies', ...API_SERVICES.map((name) => `services/${name}`)];
  const built = spawnSync(process.execPath, [tsc, '-b', ...projects], { cwd: root, stdio: 'inherit' });
  if (built.status !== 0) process.exit(1);
}

function check() {
  const stale = staleFiles(files, root);
  for (const { name, missing } of staleSdks()) {
    if (missing === undefined) stale.push(`the SDK ${name} is not of this API document`);
    else console.error(`the SDK ${name} is not of this API document, and is left so: ${missing}`);
  }
  stale.forEach((line) => console.error(line));
  if (stale.length > 0) console.error('run npm run generate and commit what it writes');
  if (stale.length > 0 || broken.length > 0) process.exit(1);
  console.log(`${files.size} generated files are up to date`);
}

/** Written also when an event is broken: the diff shows the change. */
function write() {
  for (const path of leftOver(files, root)) rmSync(join(root, path));
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  console.log(`${files.size} files written`);
  for (const { name, missing } of staleSdks()) {
    if (missing === undefined) writeSdk(name);
    console.log(`the SDK ${name} is ${missing === undefined ? 'written' : `not written: ${missing}`}`);
  }
  if (broken.length > 0) process.exitCode = 1;
}
