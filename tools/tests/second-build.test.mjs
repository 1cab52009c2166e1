// @ts-check
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { PARTS } from '../ledger/second-build.mjs';

const DOCKERFILE = join(import.meta.dirname, '..', '..', 'deploy', 'Dockerfile');

test('a second build has the files of a service that an image has', () => {
  const copied = [...readFileSync(DOCKERFILE, 'utf8').matchAll(/cp (?:-r )?--parents (.+) built/g)].flatMap(
    ([, files = '']) => files.split(' ').map((file) => basename(file)),
  );
  assert.deepEqual(
    copied.filter((file) => !PARTS.includes(file)),
    [],
  );
  assert.ok(copied.includes('openapi.json'), copied.join());
});
