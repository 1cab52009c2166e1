#!/usr/bin/env node
// @ts-check
// Steps of a release (CONTRIBUTING.md, A release). The workflow and CI run these very steps; .github/workflows/release.yml adds what
// needs an engine, a registry or a certificate.
//   node tools/release.mjs set 1.2.3             the version, in every place that has it
//   node tools/release.mjs changelog             the section of this version in CHANGELOG.md, from the commits since the last release
//   node tools/release.mjs check [--tag v1.2.3]  every place has the version, and CHANGELOG.md a section of it
//   node tools/release.mjs chart [--out DIR]     the package of the chart
//   node tools/release.mjs sdks [--out DIR]      the packages of the SDKs
//   node tools/release.mjs ledger [--out DIR]    the crash ledger of this commit, as ledger.json
//   node tools/release.mjs notes [--out DIR]     notes.md, from CHANGELOG.md and ledger.json
//   node tools/release.mjs upgrade               from the release before to this commit and back, under load
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildOf, releaseBefore } from './release/build-before.mjs';
import { changesSince, readSection, sectionOf, tagBefore, withSection } from './release/changes.mjs';
import { packageChart } from './release/chart.mjs';
import { releaseNotes } from './release/notes.mjs';
import { packSdks } from './release/sdks.mjs';
import { setVersion, versionFaults, versionOf } from './release/versions.mjs';

const root = join(import.meta.dirname, '..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { tag: { type: 'string' }, out: { type: 'string', default: join(root, '.cache/release') } },
});
const out = resolve(values.out);
const CHANGELOG = join(root, 'CHANGELOG.md');
/** Minutes in a release, where CI has seconds. */
const LEDGER = ['--minutes', '2', '--rate', '10'];
const UPGRADE = [
  '--rate',
  '8',
  '--burst',
  '10',
  '--campaign-recipients',
  '100',
  '--import-lines',
  '500',
  '--webhooks',
  '1',
];

/** @type {Record<string, () => void>} */
const STEPS = {
  set: () => setVersion(root, positionals[1] ?? ''),
  changelog() {
    const version = versionOf(root);
    const section = sectionOf(
      version,
      new Date().toISOString().slice(0, 10),
      changesSince(root, tagBefore(root)),
    );
    writeFileSync(CHANGELOG, withSection(readFileSync(CHANGELOG, 'utf8'), version, section));
  },
  check() {
    const faults = versionFaults(root, values.tag);
    if (values.tag !== undefined && section() === undefined)
      faults.push(`CHANGELOG.md has no section ${versionOf(root)}`);
    if (faults.length > 0) throw new Error(faults.join('\n'));
    console.log(`version ${versionOf(root)}`);
  },
  chart: () => console.log(packageChart(root, join(out, 'chart'))),
  sdks: () => console.log(packSdks(root, join(out, 'sdks')).join('\n')),
  ledger() {
    mkdirSync(out, { recursive: true });
    script('tools/ledger.mjs', ...LEDGER, '--json', join(out, 'ledger.json'));
  },
  notes() {
    const own = section();
    if (own === undefined) throw new Error(`CHANGELOG.md has no section ${versionOf(root)}`);
    const ledger = JSON.parse(readFileSync(join(out, 'ledger.json'), 'utf8'));
    writeFileSync(join(out, 'notes.md'), releaseNotes(own, ledger));
    console.log(join(out, 'notes.md'));
  },
  upgrade() {
    const { commit, name, isRelease } = releaseBefore(root);
    if (!isRelease) console.log('there is no release yet: a commit that is a day older is in its place');
    console.log(`building ${name}, where it is not built yet`);
    const folder = buildOf(root, commit);
    console.log(`from ${name}, in ${relative(root, folder)}, to this checkout and back`);
    script('tools/ledger.mjs', '--roll-from', folder, ...UPGRADE);
  },
};

const section = () => readSection(readFileSync(CHANGELOG, 'utf8'), versionOf(root));

/** @param {string[]} args of Node */
function script(...args) {
  const done = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  if (done.status !== 0) throw new Error(`node ${args.join(' ')} failed`);
}

const [name = ''] = positionals;
const step = Object.hasOwn(STEPS, name) ? STEPS[name] : undefined;
try {
  if (step === undefined) throw new Error(`the steps are ${Object.keys(STEPS).join(', ')}, not '${name}'`);
  step();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
