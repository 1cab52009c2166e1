// @ts-check
// What a release changes, from the commits since the release before: `area: what changes`, grouped by area, with what an
// upgrade needs (the trailer `Upgrade:` of a commit) and the migrations that it runs.
import { spawnSync } from 'node:child_process';

/** Areas of commits that change nothing for users and operators: counted, and not listed. */
const INNER = new Set([
  ...['tests', 'testing', 'lint', 'ci', 'tools', 'grammar', 'bench', 'simulate', 'ledger', 'decisions'],
  ...['docs', 'citations', 'contract-rules', 'api-fuzz', 'service-testing', 'local-internet'],
]);
/** Several words are a sentence, and no area. */
const SUBJECT = /^([a-z0-9][\w-]*(?:, [a-z0-9][\w-]*)*): (.+)$/;
const MIGRATION = /^services\/([\w-]+)\/src\/database\/migrations\/([\w-]+)\.ts$/;
const FIELD = '\u001f';
const END = '\u001e';
const MOST_OUTPUT = 2 ** 26;

/**
 * @typedef {{ hash: string, subject: string, upgrade: string }} Commit `upgrade`: the lines of its trailers
 * @typedef {object} Changes
 * @property {string | undefined} since tag of the release before; none: there is none
 * @property {Commit[]} commits the newest first
 * @property {string[]} added paths of the files that came
 */

/** @param {string} root @param {string[]} args @returns {string} @throws Error when git fails */
export function git(root, ...args) {
  const done = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: MOST_OUTPUT });
  if (done.status !== 0) throw new Error(`git ${args.join(' ')}: ${done.error?.message ?? done.stderr}`);
  return done.stdout;
}

/**
 * @param {string} root @param {string} [of] a commit or a tag
 * @returns {string | undefined} the newest tag of a release below it, candidates (`v1.2.3-rc.1`) and its own tag left out
 */
export function tagBefore(root, of = 'HEAD') {
  const below = ['--merged', of, '--no-contains', of];
  const listed = git(root, 'tag', '--list', 'v[0-9]*', ...below, '--sort=-version:refname');
  return listed.split('\n').find((tag) => tag !== '' && !tag.includes('-'));
}

/** @param {string} root @param {string | undefined} since @param {string} [until] @returns {Changes} */
export function changesSince(root, since, until = 'HEAD') {
  if (since === undefined) return { since, commits: [], added: [] };
  const range = `${since}..${until}`;
  const format = ['%h', '%s', '%(trailers:key=Upgrade,valueonly,unfold)'].join(FIELD) + END;
  const commits = git(root, 'log', '--no-merges', `--format=${format}`, range)
    .split(END)
    .map((text) => text.trim().split(FIELD))
    .filter(([hash]) => hash !== '')
    .map(([hash = '', subject = '', upgrade = '']) => ({ hash, subject, upgrade: upgrade.trim() }));
  const added = git(root, 'diff', '--name-only', '--no-renames', '--diff-filter=A', since, until).split('\n');
  return { since, commits, added: added.filter((path) => path !== '') };
}

/**
 * @param {string} version @param {string} day `2026-11-28` @param {Changes} changes
 * @returns {string} a section of CHANGELOG.md
 */
export function sectionOf(version, day, { since, commits, added }) {
  const head = [`## ${version}`, `${day}.`];
  if (since === undefined) return [...head, 'The first release: there is none to upgrade from.'].join('\n\n');
  const areas = byArea(commits);
  const inner = commits.length - [...areas.values()].reduce((sum, lines) => sum + lines.length, 0);
  return [
    ...head,
    '### Upgrade',
    upgradeOf(commits, added),
    ...[...areas]
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([area, lines]) => `### ${area}\n\n${lines.join('\n')}`),
    ...(inner > 0 ? [`${inner} more commits change documents, tests and tools.`] : []),
  ].join('\n\n');
}

/** @param {readonly Commit[]} commits @param {readonly string[]} added */
function upgradeOf(commits, added) {
  const asked = commits.flatMap(({ upgrade }) => upgrade.split('\n').filter((line) => line !== ''));
  const migrations = new Map();
  for (const [, service, name] of added.flatMap((path) => [MIGRATION.exec(path) ?? []])) {
    if (service !== undefined) migrations.set(service, [...(migrations.get(service) ?? []), name]);
  }
  const lines = [...migrations].map(([service, names]) => `- ${service}: ${names.join(', ')}`);
  return [
    asked.length > 0 ? asked.map((line) => `- ${line}`).join('\n') : 'Nothing to do before or after it.',
    ...(lines.length > 0
      ? [`Migrations, which run at the start:\n\n${lines.join('\n')}`]
      : ['No migrations.']),
  ].join('\n\n');
}

/** @param {readonly Commit[]} commits @returns {Map<string, string[]>} lines by area; inner ones are left out */
function byArea(commits) {
  const areas = new Map();
  for (const { hash, subject } of commits) {
    const [, area, what] = SUBJECT.exec(subject) ?? [];
    const key = area ?? 'other';
    if (!INNER.has(key)) areas.set(key, [...(areas.get(key) ?? []), `- ${what ?? subject} (${hash})`]);
  }
  return areas;
}

/** @param {string} changelog @param {string} version @returns {string | undefined} its section without the heading */
export function readSection(changelog, version) {
  const sections = changelog.split(/^## /m).slice(1);
  const found = sections.find((text) => text.startsWith(`${version}\n`));
  return found?.slice(version.length).trim();
}

/**
 * @param {string} changelog @param {string} version @param {string} section
 * @returns {string} with the section in place of the one that it had, else above all
 */
export function withSection(changelog, version, section) {
  const [head = '', ...sections] = changelog.split(/^(?=## )/m);
  const others = sections.filter((text) => !text.startsWith(`## ${version}\n`));
  return [head.trim(), section.trim(), ...others.map((text) => text.trim())].join('\n\n') + '\n';
}
