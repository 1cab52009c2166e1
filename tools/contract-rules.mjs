// The rules of the contract that need a test with their name: sections 1 to 15 of the platform part (16 names
// settings), sections 1 to 19 of the messages part, all sections but 10 (a repetition) of the marketing part.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readDocument } from './citations.mjs';

/**
 * @typedef {object} Part of the contract
 * @property {string} path of its document
 * @property {string} prefix with which the names of its rules begin
 * @property {(section: number) => boolean} demands tests for this section
 */

/** @type {Part} a bare section in a test is of this part */
export const PLATFORM = {
  path: 'docs/contract/1-platform.md',
  prefix: '',
  demands: (section) => section <= 15,
};

/** @type {Part} */
export const MESSAGES = {
  path: 'docs/contract/2-messages.md',
  prefix: `spec ${'2-messages'} `,
  demands: (section) => section <= 19,
};

/** @type {Part} */
export const MARKETING = {
  path: 'docs/contract/3-marketing.md',
  prefix: `spec ${'3-marketing'} `,
  demands: (section) => section !== 10,
};

const PARTS = [PLATFORM, MESSAGES, MARKETING];

/**
 * @param {string} text of the part
 * @param {Part} part
 * @returns {string[]} `§4.2 rule 1`, `§1.4 table 401`, `§9 update rule 2`; a section without rules and without sections
 *   below it is a rule itself: `§6`
 */
export function contractRules(text, part) {
  const { sections } = readDocument(text);
  const names = [...sections.keys()].filter((name) => part.demands(parseInt(name, 10)));
  const hasSectionsBelow = (name) =>
    names.some((other) => other !== name && /^[. ]/.test(other.slice(name.length)) && other.startsWith(name));
  return names.flatMap((name) => {
    const { labels = [], rules = [] } = sections.get(name) ?? {};
    const own = [...labels, ...rules.map((rule) => `rule ${rule}`)].map(
      (label) => `${part.prefix}§${name} ${label}`,
    );
    return own.length > 0 || hasSectionsBelow(name) ? own : [`${part.prefix}§${name}`];
  });
}

/** @returns {string[]} those of the repository */
export const readContractRules = (root) =>
  PARTS.flatMap((part) => contractRules(readFileSync(join(root, part.path), 'utf8'), part));

/** @typedef {{ file: string, has?: string, lacks?: string }} Wait a text in a file shows that something is not served */

/**
 * Rules of operations that are not served yet, in the order of the document; once they are, the rule needs its test.
 * @type {Record<string, Wait>}
 */
export const WAITING = {};

/**
 * @param {string} root
 * @param {Record<string, Wait>} waiting
 * @returns {string[]} rules that wait no longer
 */
export function servedMeanwhile(root, waiting = WAITING) {
  return Object.entries(waiting).flatMap(([rule, { file, has = '', lacks }]) => {
    const text = readFileSync(join(root, file), 'utf8');
    const waits = text.includes(has) && (lacks === undefined || !text.includes(lacks));
    return waits ? [] : [rule];
  });
}

/** Levels at which a rule is proven: through the gateway, like a client, and in its service. */
const LEVELS = {
  contract: /^services\/all-in-one\/test\/.*\.spec\.ts$/,
  service: /^services\/[^/]+\/src\/.*\.int\.spec\.ts$/,
};

/** @param {string} root @param {RegExp} form @returns {{ path: string, source: string }[]} */
const specs = (root, form) =>
  readdirSync(join(root, 'services'), { recursive: true })
    .map((path) => `services/${String(path).replaceAll('\\', '/')}`)
    .filter((path) => !/\/(dist|node_modules)\//.test(path) && form.test(path))
    .map((path) => ({ path, source: readFileSync(join(root, path), 'utf8') }));

/** @returns {string[]} the names of the tests (and groups of tests) that begin with a section */
export const testNames = (root) =>
  Object.values(LEVELS).flatMap((form) => specs(root, form).flatMap(({ source }) => namesIn(source)));

/** A comment in a file of a service that repeats rules of the contract's tests: the part that these cannot show. */
const REASON = /^\/\/ proven again: \S/m;

/**
 * Rules that the contract's tests prove and a service's tests prove again, without a reason in the file.
 * @param {string} root
 * @returns {{ path: string, rules: string[] }[]} by file of a service
 */
export function provenTwice(root) {
  const rules = readContractRules(root);
  const namedBy = (names) => {
    const missing = new Set(rulesWithoutTest(rules, names));
    return rules.filter((rule) => !missing.has(rule));
  };
  const ofContract = new Set(namedBy(specs(root, LEVELS.contract).flatMap(({ source }) => namesIn(source))));
  return specs(root, LEVELS.service)
    .filter(({ source }) => !REASON.test(source))
    .map(({ path, source }) => ({
      path,
      rules: namedBy(namesIn(source)).filter((rule) => ofContract.has(rule)),
    }))
    .filter((file) => file.rules.length > 0);
}

/** Texts in a source that begin with a section: a comment about one proves nothing. */
export const namesIn = (source) =>
  [...source.matchAll(NAME)].map(([, prefix = '', name]) =>
    withAllLabels(name).replaceAll('§', `${prefix}§`),
  );

const PREFIXES = PARTS.map(({ prefix }) => prefix).filter((prefix) => prefix !== '');

/** A prefix counts for all sections of its name: `spec 2-messages §9 rule 1, §9 rule 2`. */
const NAME = new RegExp(`['"\`](${PREFIXES.join('|')})?(§[^'"\`\\n]*)`, 'g');

/** A section counts for all labels behind it: `spec 3-marketing §1.5 C1, C2 and C7` names three rules. */
const withAllLabels = (name) =>
  name.replaceAll(LABELS, (labels, section, first, others) =>
    [first, ...others.match(/[A-Z]\d+/g)].map((label) => `§${section} ${label}`).join(', '),
  );
const LABELS = /§([\d.]+) ([A-Z]\d+)((?:(?:,? | and )[A-Z]\d+\b)+)/g;

/** @returns {string[]} the rules that no name names; one name may name several */
export function rulesWithoutTest(rules, names) {
  // a bare rule is not named by the same number of another part
  const ofOthers = PREFIXES.map((prefix) => `(?<!${prefix})`).join('');
  // «rule 1» is not named by «rule 10», nor «table suspended» by «table suspended-once»
  const isNamed = (rule) => {
    const form = new RegExp(`${ofOthers}${rule.replaceAll('.', '\\.')}(?![\\w.-])`);
    return names.some((name) => form.test(name));
  };
  return rules.filter((rule) => !isNamed(rule));
}

if (process.argv[1] === import.meta.filename) {
  for (const { path, rules } of provenTwice(join(import.meta.dirname, '..')))
    console.log(`${path}\n  ${rules.join('\n  ')}`);
}
