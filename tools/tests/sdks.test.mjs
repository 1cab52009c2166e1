// The SDKs' own tests, which need no installation. Those of Python need its packages, which the tier full has.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '../..');
// by name, since they are in a TypeScript project of their own
for (const name of ['client', 'nodemailer', 'webhooks'])
  await import(`../../sdks/node/test/${name}.test.mjs`);

const python = process.env.SDK_PYTHON ?? join(root, '.cache/sdk-python/bin/python');
const skip = existsSync(python) ? false : 'node tools/sdks.mjs has not installed its packages here';

it('the SDK of Python', { skip }, () => {
  const run = spawnSync(python, ['-m', 'unittest', 'discover', '-s', 'tests'], {
    cwd: join(root, 'sdks/python'),
    env: { ...process.env, PYTHONPATH: 'src', PYTHONDONTWRITEBYTECODE: '1' },
    encoding: 'utf8',
  });
  if (run.status !== 0) throw new Error(run.stderr);
});

it('the SDKs have the version of the server', () => {
  const text = (path) => readFileSync(join(root, path), 'utf8');
  const { version } = JSON.parse(text('package.json'));
  assert.equal(JSON.parse(text('sdks/node/package.json')).version, version);
  assert.ok(text('sdks/node/src/version.ts').includes(`VERSION = '${version}'`));
  assert.ok(text('sdks/python/src/postmesh/_version.py').includes(`__version__ = "${version}"`));
  assert.ok(text('sdks/go/client.go').includes(`Version = "${version}"`));
  assert.match(text('sdks/CHANGELOG.md'), new RegExp(`^## ${version}$`, 'm'));
});

it('the SDKs are published after the image, without a token', () => {
  const { jobs } = parse(readFileSync(join(root, '.github/workflows/release.yml'), 'utf8'));
  for (const name of ['sdk-node', 'sdk-python']) {
    assert.equal(jobs[name].needs, 'image');
    assert.equal(jobs[name].permissions['id-token'], 'write');
    assert.doesNotMatch(JSON.stringify(jobs[name]), /secrets\.|TOKEN/);
  }
});
