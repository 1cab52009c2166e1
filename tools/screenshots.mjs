#!/usr/bin/env node
// @ts-check
// The pictures of docs/console.md and README: the way of a newcomer, taken in Chromium by the test that walks it.
//   node tools/screenshots.mjs     writes docs/images/*.png
import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, root } from './prepare.mjs';
import { findChromium } from './real/chromium.mjs';
import { findProgram } from './real/debian-program.mjs';

const MAX_BYTES = 80_000;

const pngquant = findProgram({ name: 'pngquant', debianPackage: 'pngquant' });
const { env } = await findChromium();
await prepare();
const folder = join(root, 'docs', 'images');
mkdirSync(folder, { recursive: true });
const walk = spawnSync(
  process.execPath,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', '.', 'test/contract/console-walk.spec.ts'],
  {
    cwd: join(root, 'services', 'all-in-one'),
    stdio: 'inherit',
    env: { ...process.env, ...env, POSTMESH_TEST_TIER: 'full', POSTMESH_SCREENSHOTS: folder },
  },
);
if (walk.status !== 0) process.exit(walk.status ?? 1);
const pictures = globSync(join(folder, '*.png'));
execFileSync(pngquant, ['--force', '--ext', '.png', '--strip', '--speed', '1', '64', '--', ...pictures]);
const large = pictures.filter((path) => statSync(path).size > MAX_BYTES);
if (large.length > 0) throw new Error(`larger than ${MAX_BYTES} bytes: ${large.join(', ')}`);
console.log(`${pictures.length} pictures in docs/images`);
