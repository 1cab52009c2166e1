// The own tests of the SDK for Node.js, which need no installation. Those of Python and Go run in the tier full
// (services/all-in-one/test/sdks.spec.ts).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '../..');
// by name, since they are in a TypeScript project of their own
for (const name of ['client', 'nodemailer', 'webhooks'])
  await import(`../../sdks/node/test/${name}.test.mjs`);

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
  for (const name of ['sdk-node', 'sdk-python', 'sdk-go']) assert.equal(jobs[name].needs, 'image');
  for (const name of ['sdk-node', 'sdk-python']) {
    assert.equal(jobs[name].permissions['id-token'], 'write');
    assert.doesNotMatch(JSON.stringify(jobs[name]), /secrets\.|TOKEN/);
  }
});
