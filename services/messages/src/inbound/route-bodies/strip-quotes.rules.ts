import { ATTRIBUTIONS, HEADER_LABELS, SEPARATORS, type HeaderLabel } from './quoted-replies.table.js';

// An attribution is wrapped into up to three lines.
const MAX_WRAPPED = 3;
const MAX_ATTRIBUTION = 600;
// Of lines that look like one: a hostile text has millions, a long message a hundred.
const MAX_CANDIDATES = 2_000;
const MAX_LABEL = 20;
// From, Sent, To, Cc, Subject and what is wrapped of them.
const HEADER_LINES = 8;
const LONGEST_LINE = 2_000;
// Of characters: nobody writes as much above a quotation, and a message may hold twenty million line ends.
const MAX_SEARCHED = 512 * 1024;

interface Line {
  /** where it begins in the text */
  at: number;
  /** without its end and the blanks around it */
  text: string;
}

/**
 * The text above the part that a mail program quoted (spec 2-messages §16 rule 5). Where nothing stands above it, as in
 * answers below a quotation, the lines that are not quoted.
 */
export function withoutQuotes(text: string): string {
  const lines = linesOf(text.slice(0, MAX_SEARCHED));
  const quoteAt = findQuote(lines);
  if (quoteAt === undefined) return text.trim();
  const above = text.slice(0, lines[quoteAt]?.at ?? 0).trim();
  if (above !== '') return above;
  return lines
    .slice(quoteAt)
    .filter((line) => !isQuoted(line))
    .slice(isQuoted(lines[quoteAt]) ? 0 : attributionLength(lines, quoteAt))
    .map((line) => line.text)
    .join('\r\n')
    .concat(text.slice(MAX_SEARCHED))
    .trim();
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', at);
    const next = end < 0 ? text.length : end + 1;
    lines.push({ at, text: text.slice(at, Math.min(next, at + LONGEST_LINE)).trim() });
    at = next;
  }
  return lines;
}

const isQuoted = (line: Line | undefined): boolean => line?.text.startsWith('>') === true;

/** @returns the line where it begins; undefined when nothing is quoted */
function findQuote(lines: readonly Line[]): number | undefined {
  const trailing = trailingQuote(lines);
  let candidates = 0;
  for (let at = 0; at < (trailing ?? lines.length); at++) {
    const { text } = lines[at] as Line;
    if (text === '' || !mayBegin(text)) continue;
    if (++candidates > MAX_CANDIDATES) break;
    if (isSeparator(text) || isHeaderBlock(lines, at)) return withRule(lines, at);
    const begin = attributionBegin(lines, at);
    if (begin !== undefined) return begin;
  }
  return trailing;
}

/** A first look at one character, as every line of a text comes along. */
function mayBegin(text: string): boolean {
  if (/[:：]$/.test(text) || text.startsWith('-')) return true;
  const colon = text.slice(0, MAX_LABEL + 2).search(/[:：]/);
  return colon > 0;
}

/** Quoted lines that nothing but quoted and empty lines follows. */
function trailingQuote(lines: readonly Line[]): number | undefined {
  let first: number | undefined;
  for (let at = lines.length - 1; at >= 0; at--) {
    if (isQuoted(lines[at])) first = at;
    else if (lines[at]?.text !== '') break;
  }
  return first ?? leadingQuote(lines);
}

/** An answer below what it answers. */
function leadingQuote(lines: readonly Line[]): number | undefined {
  const first = lines.findIndex(({ text }) => text !== '');
  return first >= 0 && isQuoted(lines[first]) ? first : undefined;
}

const isSeparator = (text: string): boolean => {
  const inner = /^-{2,}\s*([^-].{2,60}?)\s*-{2,}$/.exec(text.slice(0, 120))?.[1];
  return inner !== undefined && SEPARATORS.has(inner.toLowerCase());
};

function labelsOf(text: string): ReadonlySet<HeaderLabel> | undefined {
  const label = /^\**([^:：*]{1,20}?)\s*\**\s*[:：]/.exec(text.slice(0, MAX_LABEL + 10))?.[1];
  return label === undefined ? undefined : HEADER_LABELS.get(label.trim().toLowerCase());
}

/** `From:` with two more lines of a header behind it, or the date before. */
function isHeaderBlock(lines: readonly Line[], at: number): boolean {
  const first = labelsOf(lines[at]?.text ?? '');
  if (!first?.has('from') && !first?.has('date')) return false;
  const found = new Set<HeaderLabel>();
  for (const { text } of lines.slice(at, at + HEADER_LINES)) {
    if (text === '' && found.size > 1) break;
    labelsOf(text)?.forEach((label) => found.add(label));
  }
  return found.has('from') && found.size >= 3;
}

/** The line of underscores that Outlook draws above. */
function withRule(lines: readonly Line[], at: number): number {
  for (let above = at - 1; above >= Math.max(at - 2, 0); above--) {
    const { text } = lines[above] as Line;
    if (/^[_-]{10,200}$/.test(text)) return above;
    if (text !== '') break;
  }
  return at;
}

/** @param at the line with the colon at its end */
function attributionBegin(lines: readonly Line[], at: number): number | undefined {
  if (!/[:：]$/.test(lines[at]?.text ?? '')) return undefined;
  let joined = '';
  for (let begin = at; begin > at - MAX_WRAPPED && begin >= 0; begin--) {
    const text = (lines[begin]?.text ?? '').replace(/^>+\s*/, '');
    if (text === '') return undefined;
    joined = joined === '' ? text : `${text} ${joined}`;
    if (isAttribution(joined)) return begin;
  }
  return undefined;
}

function isAttribution(text: string): boolean {
  if (text.length > MAX_ATTRIBUTION || !/\d/.test(text)) return false;
  const plain = text.replace(/\s+/g, ' ').replace(/ ?：$/, ':').replace(/^-+ ?/, '');
  return ATTRIBUTIONS.some(({ pattern }) => pattern.test(plain));
}

/** How many lines the attribution at a line has; 0 when it is none. */
function attributionLength(lines: readonly Line[], begin: number): number {
  for (let at = begin; at < begin + MAX_WRAPPED; at++)
    if (attributionBegin(lines, at) === begin) return at - begin + 1;
  return 0;
}
