#!/usr/bin/env node
// Every citation of the contract and of the architecture has a heading, and a rule where it names one.
//   spec 1-platform §4.2 rule 1   spec 2-messages §18.8   spec 3-marketing §3.2 U12   architecture §3.6
// A bare `§4.2 rule 1` cites 1-platform in tests and at the start of a text, elsewhere the one document that the file
// cites. Sections of an RFC (`RFC 5321 §4.5`) are not ours.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lineAt, textFiles } from './text-files.mjs';

const PARTS = ['0-interface', '1-platform', '2-messages', '3-marketing'];
const DOCUMENTS = {
  ...Object.fromEntries(PARTS.map((part) => [part, `docs/contract/${part}.md`])),
  architecture: 'docs/architecture.md',
};

const HEADING = /^#{2,4} §(\d+(?:\.\d+)*)(?: ([a-z]+)$| |$)/;
const NUMBERED = /^(\d+)\. /;
const LABELLED = /^- \*\*([^*]+)\*\* /;

/**
 * @param {string} text of a document
 * @returns {{sections: Map<string, {rules: string[], labels: string[]}>, problems: string[]}} sections by number
 *   (`4.2`, or `9 update` for a list of rules of its own), in the order of the document
 */
export function readDocument(text) {
  const sections = new Map();
  const problems = [];
  let section;
  text.split('\n').forEach((line, at) => {
    const heading = HEADING.exec(line);
    if (heading) {
      const name = heading[2] ? `${heading[1]} ${heading[2]}` : heading[1];
      if (sections.has(name)) problems.push(`${at + 1}: §${name} is listed twice`);
      section = { rules: [], labels: [] };
      sections.set(name, section);
    }
    const entry = NUMBERED.exec(line) ?? LABELLED.exec(line);
    if (!entry || !section) return;
    const list = NUMBERED.test(line) ? section.rules : section.labels;
    if (list.includes(entry[1])) problems.push(`${at + 1}: ${entry[1]} is listed twice in its section`);
    list.push(entry[1]);
  });
  return { sections, problems };
}

/** @returns {Map<string, ReturnType<typeof readDocument>['sections']>} by the name that citations use */
function readDocuments(root) {
  const named = Object.entries(DOCUMENTS).filter(([, path]) => existsSync(join(root, path)));
  return new Map(
    named.map(([name, path]) => [name, readDocument(readFileSync(join(root, path), 'utf8')).sections]),
  );
}

const SECTION = /§\s?(\d+(?:\.\d+)*)/g;
const QUALIFIED = new RegExp(`(?:\\bspec (${PARTS.join('|')})|\\b(architecture)) $`, 'i');
const WITHOUT_SECTION = new RegExp(`\\bspec (?:${PARTS.join('|')})\\b(?![\\s\\0]*§)`, 'gi');
const RFC = /\bRFC \d+,? $/;
const FOREIGN = /(?:\b(spec|anchors|style|speed|delivery|feasibility|[\w-]+\.md)|\b([0-3]-[a-z]+)) $/i;
const NUMBERS = String.raw`(\d+(?:(?:, | and | or | to |-)\d+)*)`;
const RULES = new RegExp(`^ (?:([a-z]+) )?(?:rules?|items?|steps?) ${NUMBERS}`);
const LABELS = new RegExp(`^ (table|order) ${NUMBERS}`);
const LABEL = /^ ([A-Z]\d{1,2})\b/;
const RANGE = /^-(\d+)(?![\d.]*[a-z])/;
// between two citations of one list: `§1.2, §1.3`, `§1.2 rule 3 and §4`
const JOINED =
  /^(?: [A-Z]\d{1,2}(?:(?:,| and)? [A-Z]\d{1,2})*)?(?:,? (?:[a-z]+ )?(?:rules?|items?|steps?) [\d, andorto-]*\d)?(?:,| and| or| to|-|–)? ?$/;

/**
 * @param {string} path decides the document of a bare section
 * @param {string} text
 * @param {ReturnType<typeof readDocuments>} documents
 * @returns {string[]} `path:line: problem`
 */
function brokenCitations(path, text, documents) {
  const plain = withoutLineBreaks(text);
  /** @type {{ at: number, section: string, end: number, document?: string }[]} */
  const found = [...plain.matchAll(SECTION)].map((match) => ({ at: match.index, section: match[1], end: 0 }));
  for (const [nr, citation] of found.entries()) {
    citation.end = citation.at + plain.slice(citation.at).match(/^§\s?[\d.]*\d/)[0].length;
    citation.document = namedDocument(plain, citation, found[nr - 1]);
  }
  const home = homeDocument(path, found);
  const sectionless = [...plain.matchAll(WITHOUT_SECTION)].map(
    ({ 0: named, index }) => `${path}:${lineAt(text, index)}: "${named}" names no section (${named} §…)`,
  );
  const broken = found.flatMap((citation) => {
    const document = citation.document ?? home;
    if (document === 'RFC') return [];
    const problem = document.startsWith('?')
      ? document.slice(1)
      : unresolved(documents.get(document), citation, plain.slice(citation.end, citation.end + 60));
    return problem ? [`${path}:${lineAt(text, citation.at)}: §${citation.section} ${problem}`] : [];
  });
  return [...sectionless, ...broken];
}

/** A comment over several lines reads as one text; offsets stay. */
const withoutLineBreaks = (text) =>
  text.replace(/ ?\r?\n[ \t]*(?:\*(?!\/)|\/\/|--|#)?[ \t]*/g, (gap) => '\0'.repeat(gap.length - 1) + ' ');

function namedDocument(plain, citation, before) {
  const prefix = plain.slice(Math.max(0, citation.at - 160), citation.at).replace(/\0+/g, '');
  if (RFC.test(prefix)) return 'RFC';
  const qualified = QUALIFIED.exec(prefix);
  if (qualified) return (qualified[1] ?? qualified[2]).toLowerCase();
  const foreign = FOREIGN.exec(prefix);
  if (foreign)
    return `?is of "${foreign[0].trim()}", which is no document here (spec <part> §…, architecture §…)`;
  if (/['"`]$/.test(prefix)) return '1-platform';
  const between = before && plain.slice(before.end, citation.at).replace(/\0+/g, '');
  return before && JOINED.test(between) ? before.document : undefined;
}

/** The document of a section without one. */
function homeDocument(path, found) {
  const own = Object.entries(DOCUMENTS).find(([, file]) => file === path);
  if (own) return own[0];
  if (/\.spec\.ts$|\.test\.mjs$|\/test\//.test(path)) return '1-platform';
  const cited = new Set(found.map((one) => one.document).filter((name) => documentOf(name)));
  if (cited.size === 1) return [...cited][0];
  return '?names no document (spec <part> §…, architecture §…)';
}

const documentOf = (name) => (name && name in DOCUMENTS ? name : undefined);

function unresolved(sections, { section }, following) {
  if (!sections) return 'is of a document that does not exist';
  const rest = following.replace(/\0+/g, '');
  const known = sections.get(section);
  if (!known) return unresolvedShort(sections, section, rest);
  const rules = RULES.exec(rest);
  if (rules) {
    const own = sections.get(`${section} ${rules[1]}`) ?? known;
    const steps = own.labels.map((name) => name.replace(/^order /, ''));
    return missing([...own.rules, ...steps], numbersIn(rules[2]), 'rule');
  }
  const labels = LABELS.exec(rest);
  if (labels) {
    return missing(
      known.labels,
      numbersIn(labels[2]).map((number) => `${labels[1]} ${number}`),
      '',
    );
  }
  const label = LABEL.exec(rest);
  return label ? missing(known.labels, [label[1]], '') : undefined;
}

/** `§4.2.1` and `§18.7-8` are rules of `§4.2` and `§18`. */
function unresolvedShort(sections, section, rest) {
  const [, parent, rule] = /^(.*)\.(\d+)$/.exec(section) ?? [];
  const known = sections.get(parent);
  if (!known) return 'is no section there';
  const last = RANGE.exec(rest)?.[1] ?? rule;
  return missing(known.rules, [rule, last], `is no section, and §${parent} has no rule`);
}

const numbersIn = (text) => text.match(/\d+/g);

function missing(has, wanted, what) {
  const absent = wanted.find((one) => !has.includes(one));
  return absent === undefined ? undefined : `${what} ${absent}: there is none`.trim();
}

/** @returns {string[]} problems in documents and citations */
export function findBrokenCitations(root, paths = []) {
  const documents = readDocuments(root);
  const inDocuments = Object.values(DOCUMENTS).flatMap((path) => {
    if (!existsSync(join(root, path))) return [`${path}: is missing`];
    return readDocument(readFileSync(join(root, path), 'utf8')).problems.map((one) => `${path}:${one}`);
  });
  const citing = textFiles(root, paths).filter((path) => !path.startsWith('tools/tests/') && path !== SELF);
  const broken = citing.flatMap((path) =>
    brokenCitations(path, readFileSync(join(root, path), 'utf8'), documents),
  );
  return [...inDocuments, ...broken];
}

const SELF = 'tools/citations.mjs';

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = join(dirname(fileURLToPath(import.meta.url)), '..');
  const broken = findBrokenCitations(root, process.argv.slice(2));
  broken.forEach((one) => console.error(one));
  process.exitCode = broken.length > 0 ? 1 : 0;
}
