// Which rules of the platform part of the contract (§1-§10) must have a test that is named after them.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const numbered = (section, count, word = 'rule') =>
  Array.from({ length: count }, (_, at) => `${section} ${word} ${at + 1}`);
const named = (section, ...names) => names.map((name) => `${section} ${name}`);

export const CONTRACT_RULES = [
  ...numbered('§1.1', 9),
  ...numbered('§1.2', 3),
  ...named('§1.3', 'table limit', 'table cursor'),
  ...numbered('§1.3', 9),
  ...named('§1.4', ...[400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 500, 503].map((s) => `table ${s}`)),
  ...numbered('§1.4', 6),
  ...numbered('§1.5', 13, 'order'),
  ...numbered('§2.1', 6),
  '§2.2',
  ...numbered('§2.3', 11),
  '§2.4',
  ...named(
    '§2.5',
    ...['active', 'suspended', 'parent-suspended', 'blocked', 'deleted'].map((s) => `table ${s}`),
  ),
  ...numbered('§3', 8),
  '§4.1',
  ...numbered('§4.2', 3),
  '§4.3 table',
  ...numbered('§4.3', 11),
  ...numbered('§4.4', 4),
  ...numbered('§5', 6),
  '§6',
  ...numbered('§7', 4),
  ...numbered('§8', 3),
  ...numbered('§9 update', 4),
  ...numbered('§10.1', 4),
  '§10.2',
  '§10.3',
  ...numbered('§10.4', 7),
  ...numbered('§10.5', 5),
];

/**
 * Rules that nothing can be asked about yet. Each waits for operations whose names begin so; once they are
 * served, the rule needs its test.
 */
export const WAITING = { '§1.1 rule 9': ['statistics.', 'messages.list', 'suppressions.'] };

const MAY_PROVE = [/^services\/all-in-one\/test\/.*\.spec\.ts$/, /^services\/[^/]+\/src\/.*\.int\.spec\.ts$/];

/** @returns {string[]} the names of the tests (and groups of tests) that begin with a section */
export function testNames(root) {
  const files = readdirSync(join(root, 'services'), { recursive: true })
    .map((path) => `services/${String(path).replaceAll('\\', '/')}`)
    .filter((path) => !/\/(dist|node_modules)\//.test(path) && MAY_PROVE.some((form) => form.test(path)));
  return files.flatMap((path) => namesIn(readFileSync(join(root, path), 'utf8')));
}

/** Texts in a source that begin with a section: what a remark says about one proves nothing. */
export const namesIn = (source) => [...source.matchAll(/['"`](§[^'"`\n]*)/g)].map(([, name]) => name);

/** @returns {string[]} the rules that no name names; one name may name several */
export function rulesWithoutTest(rules, names) {
  // «rule 1» is not named by «rule 10», nor «table suspended» by «table suspended-once»
  const isNamed = (rule) => {
    const form = new RegExp(`${rule.replaceAll('.', '\\.')}(?![\\w.-])`);
    return names.some((name) => form.test(name));
  };
  return rules.filter((rule) => !isNamed(rule));
}
