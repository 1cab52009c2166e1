import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { contextFilter, parseDockerfile } from '../image/dockerfile.mjs';

const root = join(import.meta.dirname, '../..');
const read = (...path) => readFileSync(join(root, ...path), 'utf8');

describe('deploy/Dockerfile, parsed by image.mjs', () => {
  const stages = /** @type {any[]} */ (parseDockerfile(read('deploy/Dockerfile')));
  const image = stages.at(-1);

  it('begins each stage with one base, which is named by its digest', () => {
    assert.equal(new Set(stages.map(({ base }) => base)).size, 1);
    assert.match(image.base, /^node:24-slim@sha256:[0-9a-f]{64}$/);
  });

  it('takes production packages from one stage and the built files from another', () => {
    const copies = image.steps.filter(({ name }) => name === 'COPY');
    assert.deepEqual(
      copies.map(({ from }) => from),
      ['packages', 'built', null, null, null],
    );
    const installs = stages
      .find(({ name }) => name === 'packages')
      .steps.filter(({ name }) => name === 'RUN');
    assert.match(installs[0].command, /^npm ci --omit=dev /);
    assert.equal(image.user, 'node');
  });

  it('builds the service that its argument names, and starts it', () => {
    /** @type {[Record<string, string>, string][]} */
    const cases = [
      [{}, 'all-in-one'],
      [{ SERVICE: 'gateway' }, 'gateway'],
    ];
    for (const [given, service] of cases) {
      const all = /** @type {any[]} */ (parseDockerfile(read('deploy/Dockerfile'), given));
      const built = all.find(({ name }) => name === 'built');
      assert.equal(built.env.SERVICE, service);
      assert.ok(built.steps.some(({ command }) => command?.startsWith('npx tsc -b "services/${SERVICE}"')));
      assert.equal(all.at(-1).env.SERVICE, service);
    }
  });

  it('stays in its working directory before the last stage, so that folders can replace it', () => {
    const commands = stages
      .slice(0, -1)
      .flatMap(({ steps }) => steps.flatMap(({ command }) => command ?? []));
    assert.ok(commands.length >= 4);
    for (const command of commands) assert.doesNotMatch(command, /(^|\s)\/\w/, command);
  });

  for (const [what, text] of [
    ['an unknown step', 'FROM a\nADD b c'],
    ['a step before its base', 'RUN true'],
    ['a COPY without a target', 'FROM a\nCOPY b'],
  ]) {
    it(`is refused with ${what}`, () =>
      assert.throws(() => parseDockerfile(text), /not understood|before FROM/));
  }
});

describe('.dockerignore', () => {
  const isPart = contextFilter(read('.dockerignore'));
  const parts = [
    'package.json',
    'libs/work/src/index.ts',
    'tools/postmesh.mjs',
    'tools/operator-cli/commands.mjs',
    'docs/operations.md',
    'sdks/node/README.md',
  ];
  const others = [
    '.git/HEAD',
    'bench/bench.mjs',
    'sdks/node/package.json',
    'tools/lint.mjs',
    'libs/work/dist/index.js',
    'a/b.log',
  ];
  for (const path of parts) it(`leaves ${path} in`, () => assert.equal(isPart(path), true));
  for (const path of others) it(`leaves ${path} out`, () => assert.equal(isPart(path), false));
  it('has no secrets in the context', () => assert.equal(isPart('.data/secrets.json'), false));
});

describe('workflows', () => {
  const folder = join(root, '.github', 'workflows');
  for (const file of readdirSync(folder)) {
    const text = readFileSync(join(folder, file), 'utf8');
    const { jobs, permissions } = parse(text);

    it(`${file} names every action by its commit`, () => {
      const uses = [...text.matchAll(/uses: (\S+)(.*)/g)];
      assert.ok(uses.length > 0);
      for (const [line, action] of uses) assert.match(line, /@[0-9a-f]{40} # v\d+\.\d+\.\d+$/, action);
    });

    it(`${file} gives no job more rights than it names`, () => {
      assert.deepEqual(permissions, {});
      for (const job of Object.values(jobs)) assert.notEqual(job.permissions, undefined);
    });
  }

  it('the release builds the image of this Dockerfile, signs it by its digest and attests what is in it', () => {
    const { steps } = parse(read('.github/workflows/release.yml')).jobs.image;
    const build = steps.find(({ id }) => id === 'build');
    assert.equal(build.with.file, 'deploy/Dockerfile');
    assert.match(build.with.outputs, /rewrite-timestamp=true/);
    assert.ok(steps.some(({ run }) => run?.includes('--target bill') && run.includes('> sbom.cdx.json')));
    assert.ok(steps.some(({ run }) => run?.includes('cosign sign --yes "$IMAGE@$DIGEST"')));
    const attested = steps.filter(({ uses }) => /attest/.test(uses ?? ''));
    assert.equal(attested.length, 2);
    for (const step of attested) assert.match(step.with['subject-digest'], /steps\.build\.outputs\.digest/);
  });
});
