// @ts-check
// The packages of the SDKs as their registries get them. The one of Go has no package: its release is a tag.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const STEP_MS = 300_000;
/** Builds a wheel and a source archive in an environment of its own. */
const BUILD = 'build==1.3.0';

/** @param {string} root @param {string} out @returns {string[]} paths of the packages of Node.js and Python */
export function packSdks(root, out) {
  const [ofNode, ofPython] = ['node', 'python'].map((name) => join(out, name));
  for (const folder of [ofNode, ofPython]) mkdirSync(folder, { recursive: true });
  const node = join(root, 'sdks/node');
  run('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'], node);
  run('npm', ['pack', '--pack-destination', ofNode, '--loglevel=error'], node);
  const venv = join(out, 'venv');
  run('python3', ['-m', 'venv', venv], root);
  const python = join(venv, 'bin', 'python');
  run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input', BUILD], root);
  run(python, ['-m', 'build', '--outdir', ofPython, join(root, 'sdks/python')], root);
  return [ofNode, ofPython].flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
}

/** @param {string} command @param {string[]} args @param {string} cwd */
function run(command, args, cwd) {
  const done = spawnSync(command, args, { cwd, encoding: 'utf8', timeout: STEP_MS });
  if (done.status !== 0)
    throw new Error(`${command} ${args.join(' ')}: ${done.error?.message ?? `${done.stdout}${done.stderr}`}`);
}
