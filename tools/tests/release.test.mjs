import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { parse } from 'yaml';
import { changesSince, git, readSection, sectionOf, tagBefore, withSection } from '../release/changes.mjs';
import { packageChart } from '../release/chart.mjs';
import { releaseNotes } from '../release/notes.mjs';
import { setVersion, versionFaults, versionOf } from '../release/versions.mjs';

const root = join(import.meta.dirname, '../..');
const folders = [];
const makeFolder = () => {
  folders.push(mkdtempSync(join(tmpdir(), 'postmesh-release-')));
  return folders.at(-1);
};
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

describe('the version of a release', () => {
  it('is the same in every place', () => assert.deepEqual(versionFaults(root), []));

  it('is set in every place, and each place that has another one is named', () => {
    const copy = makeFolder();
    const places = [
      ...['package.json', 'package-lock.json', 'sdks/node/package.json', 'sdks/node/package-lock.json'],
      ...['sdks/node/src/version.ts', 'sdks/python/src/postmesh/_version.py', 'sdks/go/client.go'],
      'deploy/helm/postmesh/Chart.yaml',
    ];
    for (const path of places) {
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      cpSync(join(root, path), join(copy, path));
    }
    setVersion(copy, '1.4.0-rc.2');
    assert.equal(versionOf(copy), '1.4.0-rc.2');
    assert.deepEqual(versionFaults(copy, 'v1.4.0-rc.2'), []);
    assert.deepEqual(versionFaults(copy, 'v1.4.0'), ['the tag v1.4.0 is not v1.4.0-rc.2']);
    const manifest = join(copy, 'package.json');
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('1.4.0-rc.2', '1.4'));
    const faults = versionFaults(copy);
    assert.ok(faults.includes('1.4 is no semantic version'));
    for (const path of places.slice(1))
      assert.ok(faults.some((fault) => fault.startsWith(`${path} has 1.4.0-rc.2`)));
    assert.throws(() => setVersion(copy, '1.4'), /1\.4 is no semantic version/);
  });
});

describe('the changes of a release', () => {
  const repository = makeFolder();
  const commit = (subject, { body = '', path = 'a.txt' } = {}) => {
    mkdirSync(dirname(join(repository, path)), { recursive: true });
    writeFileSync(join(repository, path), subject);
    git(repository, 'add', '.');
    const author = ['-c', 'user.name=Ann', '-c', 'user.email=ann@mail.test', '-c', 'commit.gpgsign=false'];
    git(repository, ...author, 'commit', '--quiet', '-m', subject, ...(body === '' ? [] : ['-m', body]));
  };
  git(repository, 'init', '--quiet');
  commit('messages: sends are accepted');
  git(repository, 'tag', 'v0.1.0');
  commit('messages: a draft');
  git(repository, 'tag', 'v0.2.0-rc.1');
  commit('delivery-worker: routes are rows', {
    path: 'services/delivery-worker/src/database/migrations/create-routes.ts',
    body: 'More room.\n\nUpgrade: Start the workers after the gateways.',
  });
  commit('tests: a name');
  commit('Settle a question');

  it('are read from the last release on, candidates left out', () => {
    assert.equal(tagBefore(repository), 'v0.1.0');
    assert.equal(tagBefore(repository, 'v0.1.0'), undefined);
    git(repository, 'tag', 'v0.2.0');
    assert.equal(tagBefore(repository), 'v0.1.0', 'the tag of a release is not the one before it');
    git(repository, 'tag', '--delete', 'v0.2.0');
    const { commits, added } = changesSince(repository, 'v0.1.0');
    assert.deepEqual(
      commits.map(({ subject }) => subject),
      ['Settle a question', 'tests: a name', 'delivery-worker: routes are rows', 'messages: a draft'],
    );
    assert.deepEqual(added, ['services/delivery-worker/src/database/migrations/create-routes.ts']);
  });

  it('are a section by area, with the migrations and what an upgrade needs', () => {
    const text = sectionOf('0.2.0', '2026-11-28', changesSince(repository, 'v0.1.0'));
    assert.match(text, /^## 0\.2\.0\n\n2026-11-28\./);
    assert.match(text, /### Upgrade\n\n- Start the workers after the gateways\.\n/);
    assert.match(text, /Migrations, which run at the start:\n\n- delivery-worker: create-routes\n/);
    assert.match(text, /### delivery-worker\n\n- routes are rows \([0-9a-f]+\)\n/);
    assert.match(text, /### other\n\n- Settle a question \(/);
    assert.match(text, /1 more commits change documents, tests and tools\.$/);
    assert.doesNotMatch(text, /a name/);
  });

  it('have no upgrade in the first release, and say where none needs a step', () => {
    assert.match(sectionOf('0.1.0', '2026-11-28', changesSince(repository, undefined)), /The first release/);
    const text = sectionOf('0.2.0', '2026-11-28', { since: 'v0.1.0', commits: [], added: [] });
    assert.match(text, /Nothing to do before or after it\.\n\nNo migrations\.$/);
  });

  it('replace the section of their version in the changelog, above the others', () => {
    const first = withSection('# Changes\n\nWords.\n', '0.1.0', '## 0.1.0\n\none');
    const both = withSection(first, '0.2.0', '## 0.2.0\n\ntwo\n\n### area\n\n- x');
    assert.equal(both, '# Changes\n\nWords.\n\n## 0.2.0\n\ntwo\n\n### area\n\n- x\n\n## 0.1.0\n\none\n');
    assert.equal(withSection(both, '0.2.0', '## 0.2.0\n\ntwo\n\n### area\n\n- x'), both);
    assert.equal(readSection(both, '0.2.0'), 'two\n\n### area\n\n- x');
    assert.equal(readSection(both, '0.3.0'), undefined);
  });
});

describe('the notes of a release', () => {
  const row = { accepted: 5, delivered: 5, lost: 0, duplicates: 1, uncertain: 1, webhooksMissing: 0 };
  const account = {
    rows: [{ kind: 'send', ...row }],
    total: { kind: 'total', ...row },
    kills: [{ what: 'postgres' }],
    longestOutageMs: 2_340,
    isKept: true,
  };

  it('end with the crash ledger', () => {
    const notes = releaseNotes('### Upgrade\n\nNothing.', { embedded: account });
    assert.match(notes, /^### Upgrade\n\nNothing\.\n\n### Crash ledger of this release\n/);
    assert.match(notes, /embedded, 1 kills, longest outage of acceptance 2\.3 s:\n\n\| load/);
    assert.match(notes, /\| total +\| +5 \| +5 \| +0 \|/);
  });

  it('are refused without a run, or after a broken promise', () => {
    assert.throws(() => releaseNotes('', {}), /the ledger has no run/);
    assert.throws(
      () => releaseNotes('', { distributed: { ...account, isKept: false } }),
      /a promise was broken/,
    );
  });
});

describe('the steps of a release, one after the other on a clone', () => {
  const clone = join(makeFolder(), 'postmesh');
  git(root, 'clone', '--quiet', '--shared', root, clone);
  cpSync(join(root, 'tools'), join(clone, 'tools'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
  const out = join(clone, 'out');
  const step = (...args) =>
    spawnSync(process.execPath, ['tools/release.mjs', ...args, '--out', out], {
      cwd: clone,
      encoding: 'utf8',
    });
  const row = { accepted: 1, delivered: 1, lost: 0, duplicates: 0, uncertain: 0, webhooksMissing: 0 };
  const account = { rows: [], total: { kind: 'total', ...row }, kills: [], longestOutageMs: 0, isKept: true };

  it('set, changelog and check agree on the version, and no other tag passes', () => {
    assert.match(step('check', '--tag', 'v7.8.9').stderr, /the tag v7\.8\.9 is not/);
    for (const args of [['set', '7.8.9'], ['changelog'], ['check', '--tag', 'v7.8.9']])
      assert.equal(step(...args).stderr, '', args.join(' '));
  });

  it('notes are written from the changelog and a ledger, and not without a ledger', () => {
    assert.equal(step('notes').status, 1);
    mkdirSync(out);
    writeFileSync(join(out, 'ledger.json'), JSON.stringify({ embedded: account }));
    const written = step('notes').stdout.trim();
    assert.match(readFileSync(written, 'utf8'), /Crash ledger of this release/);
  });

  it('chart packs that version', () => assert.match(step('chart').stdout, /postmesh-7\.8\.9\.tgz\n$/));

  it('are named when another one is asked for', () =>
    assert.match(step('nothing').stderr, /the steps are set, changelog, check, .*not 'nothing'/));
});

describe('the package of the chart', () => {
  const hash = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');
  const file = packageChart(root, makeFolder());

  it('has the files of the chart, and nothing else', () => {
    const { stdout } = spawnSync('tar', ['-tzf', file], { encoding: 'utf8' });
    const packed = stdout.split('\n').filter((path) => path !== '' && !path.endsWith('/'));
    const files = git(root, 'ls-files', '--cached', '--others', '--exclude-standard', 'deploy/helm/postmesh')
      .split('\n')
      .filter((path) => path !== '');
    assert.deepEqual(packed.toSorted(), files.map((path) => path.slice('deploy/helm/'.length)).toSorted());
  });

  it('has the same bytes each time', () => assert.equal(hash(packageChart(root, makeFolder())), hash(file)));
});

describe('the workflow of a release', () => {
  const { jobs } = parse(readFileSync(join(root, '.github/workflows/release.yml'), 'utf8'));
  const runsOf = (name) => jobs[name].steps.flatMap(({ run }) => run ?? []);
  const steps = Object.keys(jobs).flatMap((name) =>
    runsOf(name).flatMap((run) => /node tools\/release\.mjs (\w+)/.exec(run)?.[1] ?? []),
  );

  it('runs the steps that CI runs, and begins with the check of the tag', () => {
    assert.deepEqual([...new Set(steps)], ['check', 'ledger', 'notes', 'chart', 'sdks']);
    assert.match(runsOf('check')[0], /release\.mjs check --tag "\$GITHUB_REF_NAME"/);
  });

  it('takes every program of sudo from PATH, where the Node of the workflow is', () => {
    const ofSudo = Object.keys(jobs)
      .flatMap(runsOf)
      .filter((run) => run.startsWith('sudo'));
    assert.ok(ofSudo.length > 2);
    for (const run of ofSudo) assert.match(run, /^sudo --preserve-env=PATH env /);
  });

  it('has the history that .ci/run compares with', () =>
    assert.equal(jobs.check.steps[0].with['fetch-depth'], 0));

  it('publishes the notes last, and nothing before the ledger', () => {
    assert.deepEqual([jobs.notes.needs, jobs.image.needs, jobs.chart.needs], ['check', 'notes', 'image']);
    assert.deepEqual(jobs.publish.needs, ['chart', 'sdk-node', 'sdk-python', 'sdk-go']);
    assert.ok(runsOf('notes').some((run) => run.includes('--draft ')));
  });

  it('signs the chart by its digest, and attests where it comes from', () => {
    assert.ok(runsOf('chart').some((run) => run.includes('cosign sign --yes "$CHARTS/postmesh@$DIGEST"')));
    const [attested] = jobs.chart.steps.filter(({ uses }) => /attest/.test(uses ?? ''));
    assert.match(attested.with['subject-digest'], /steps\.push\.outputs\.digest/);
  });
});
