import { ATTRIBUTIONS, HEADER_LABELS, SEPARATORS, type HeaderLabel } from './quoted-replies.table.js';

// An attribution is wrapped into up to three lines.
const MAX_WRAPPED = 3;
const MAX_ATTRIBUTION = 600;
// Lines that look like an attribution: a hostile text has millions, a long message a hundred.
const MAX_CANDIDATES = 2_000;
// Empty lines between an attribution and its quotation.
const MAX_GAP = 3;
const MAX_LABEL = 20;
// From, Sent, To, Cc, Subject and their wrapped lines.
const HEADER_LINES = 8;
const LONGEST_LINE = 2_000;
// Characters: text above a quotation is shorter, and a message may have twenty million line ends.
const MAX_SEARCHED = 512 * 1024;

interface Line {
  /** offset of the line, and of the next one */
  at: number;
  end: number;
  /** without line end and surrounding blanks */
  text: string;
}

/**
 * The words of the sender: a message without the quotation of its mail program (spec 2-messages §16 rule 5). Removes
 * only text that cannot be the sender's own: lines with a `>` after an attribution or at the beginning or end of the
 * text, and all text after the header of the original message.
 */
export function withoutQuotes(text: string): string {
  // up to a line end, if there is one
  const end = text.length <= MAX_SEARCHED ? text.length : text.lastIndexOf('\n', MAX_SEARCHED - 1) + 1;
  const searched = text.slice(0, end || MAX_SEARCHED);
  const lines = linesOf(searched);
  const { kept, quoting, ended } = ownLines(lines);
  const rest = ended ? '' : text.slice(searched.length);
  const own = kept.map((line) => searched.slice(line.at, line.end)).join('');
  return trimmed(own + (quoting ? rest.replace(/^[ \t]*>[^\n]*(?:\n|$)/gm, '') : rest));
}

/** Without empty lines around it; an indented first line keeps its blanks. */
const trimmed = (text: string): string => text.trimEnd().replace(/^(?:[ \t]*\r?\n)+/, '');

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', at);
    const next = end < 0 ? text.length : end + 1;
    lines.push({ at, end: next, text: text.slice(at, Math.min(next, at + LONGEST_LINE)).trim() });
    at = next;
  }
  return lines;
}

/** `>From ` escapes a line that begins with `From ` in mbox files. */
const isQuoted = (line: Line | undefined): boolean =>
  line?.text.startsWith('>') === true && !line.text.startsWith('>From ');

interface OwnLines {
  kept: Line[];
  /** lines with a `>` are left out */
  quoting: boolean;
  /** everything that follows is the original message */
  ended: boolean;
}

/** One pass from top to bottom. */
function ownLines(lines: readonly Line[]): OwnLines {
  const own: OwnLines = { kept: [], quoting: isQuoted(lines.find(({ text }) => text !== '')), ended: false };
  const trailing = trailingQuote(lines);
  let candidates = 0;
  for (let at = 0; at < lines.length && !own.ended; at++) {
    const line = lines[at] as Line;
    if (at === trailing) own.quoting = true;
    if (own.quoting && isQuoted(line)) leaveOut(own.kept, lines, at);
    else if (line.text === '' || !mayBegin(line.text) || ++candidates > MAX_CANDIDATES) own.kept.push(line);
    else readCandidate(own, lines, at);
  }
  return own;
}

function readCandidate(own: OwnLines, lines: readonly Line[], at: number): void {
  if (isSeparator(lines, at) || isHeaderBlock(lines, at)) {
    own.ended = true;
    dropRule(own.kept);
    return;
  }
  own.kept.push(lines[at] as Line);
  const begin = attributionBegin(lines, at);
  if (begin === undefined) return;
  if (isQuoted(lines.slice(at + 1, at + 1 + MAX_GAP).find(({ text }) => text !== ''))) own.quoting = true;
  else if (isWholeAttribution(lines, begin, at)) own.ended = true;
  else return;
  own.kept.length -= at - begin + 1;
  dropSeparator(own.kept);
}

/** Removes a quoted line together with one adjacent empty line. */
function leaveOut(kept: Line[], lines: readonly Line[], at: number): void {
  const isLast = !isQuoted(lines[at + 1]);
  if (isLast && lines[at + 1]?.text === '' && kept.at(-1)?.text === '') kept.pop();
}

/** A fast check, because it runs for every line of a text. */
function mayBegin(text: string): boolean {
  if (/[:：]$/.test(text) || text.startsWith('-')) return true;
  const colon = text.slice(0, MAX_LABEL + 2).search(/[:：]/);
  return colon > 0;
}

/** The first of the quoted lines at the end, after which only quoted and empty lines follow. */
function trailingQuote(lines: readonly Line[]): number | undefined {
  let first: number | undefined;
  for (let at = lines.length - 1; at >= 0; at--) {
    if (isQuoted(lines[at])) first = at;
    else if (lines[at]?.text !== '') break;
  }
  return first;
}

/** Requires a field of the original message, or its attribution, in the next line: people write such lines too. */
function isSeparator(lines: readonly Line[], at: number): boolean {
  if (!isSeparatorText(lines[at]?.text ?? '')) return false;
  const next = lines.slice(at + 1, at + 1 + MAX_GAP).find(({ text }) => text !== '');
  return next !== undefined && labelsOf(next.text) !== undefined;
}

function isSeparatorText(text: string): boolean {
  const inner = /^-{2,}\s*([^-].{2,60}?)\s*-{2,}$/.exec(text.slice(0, 120))?.[1];
  return inner !== undefined && SEPARATORS.has(inner.toLowerCase());
}

/** Above an attribution. */
const dropSeparator = (kept: Line[]): void => dropLast(kept, isSeparatorText);

/** Drops the last non-empty line if it matches. */
function dropLast(kept: Line[], isSuch: (text: string) => boolean): void {
  for (let at = kept.length - 1; at >= Math.max(kept.length - 1 - MAX_GAP, 0); at--) {
    const { text } = kept[at] as Line;
    if (text === '') continue;
    if (isSuch(text)) kept.length = at;
    return;
  }
}

function labelsOf(text: string): ReadonlySet<HeaderLabel> | undefined {
  const label = /^\**([^:：*]{1,20}?)\s*\**\s*[:：]/.exec(text.slice(0, MAX_LABEL + 10))?.[1];
  return label === undefined ? undefined : HEADER_LABELS.get(label.trim().toLowerCase());
}

const ADDRESS = /[^\s@<>]@[^\s@<>]+\.[^\s@<>]/;
const TIME = /\p{Nd}\s?[:.h]\s?\p{Nd}{2}/u;
const YEAR = /\p{Nd}{4}|\p{Nd}{1,2}([./-])\p{Nd}{1,2}\1\p{Nd}{2}/u;
const OUTLOOK_ORDER = 'from date to subject';

/**
 * The header of the original message, as a paragraph of its own: a sender with an address, a date with a time, and a
 * third field; or the four of Outlook in their order, where addresses are left out.
 */
function isHeaderBlock(lines: readonly Line[], at: number): boolean {
  const above = lines[at - 1]?.text ?? '';
  if (above !== '' && !isRule(above)) return false;
  const first = labelsOf(lines[at]?.text ?? '');
  if (!first?.has('from') && !first?.has('date')) return false;
  const fields = new Map<HeaderLabel, string>();
  for (const { text } of lines.slice(at, at + HEADER_LINES)) {
    if (text === '') break;
    labelsOf(text)?.forEach((label) => fields.set(label, fields.get(label) ?? text));
  }
  const [from, date] = [fields.get('from') ?? '', fields.get('date') ?? ''];
  if (fields.size < 3 || !TIME.test(date) || !YEAR.test(date)) return false;
  return ADDRESS.test(from) || [...fields.keys()].join(' ') === OUTLOOK_ORDER;
}

const isRule = (text: string): boolean => /^[_-]{10,200}$/.test(text);

/** The line of underscores that Outlook draws above. */
const dropRule = (kept: Line[]): void => dropLast(kept, isRule);

/** A paragraph of its own with date, time and address: then the quotation needs no `>`. */
function isWholeAttribution(lines: readonly Line[], begin: number, end: number): boolean {
  const text = joinedLines(lines.slice(begin, end + 1));
  const isApart = (lines[begin - 1]?.text ?? '') === '' && lines[end + 1]?.text === '';
  const isFollowed = lines.slice(end + 1, end + 1 + MAX_GAP).some((line) => line.text !== '');
  return isApart && isFollowed && ADDRESS.test(text) && TIME.test(text) && YEAR.test(text);
}

const joinedLines = (lines: readonly Line[]): string => lines.map(({ text }) => text).join(' ');

/** @param at the line with the colon at its end */
function attributionBegin(lines: readonly Line[], at: number): number | undefined {
  if (!/[:：]$/.test(lines[at]?.text ?? '')) return undefined;
  let joined = '';
  for (let begin = at; begin > at - MAX_WRAPPED && begin >= 0; begin--) {
    const text = (lines[begin]?.text ?? '').replace(/^>+\s*/, '');
    // a line with `>` and one without have different writers
    if (text === '' || isQuoted(lines[begin]) !== isQuoted(lines[at])) return undefined;
    joined = joined === '' ? text : `${text} ${joined}`;
    if (isAttribution(joined)) return begin;
  }
  return undefined;
}

/** Requires a time or an address: people write such sentences too. */
function isAttribution(text: string): boolean {
  if (text.length > MAX_ATTRIBUTION || !(TIME.test(text) || ADDRESS.test(text))) return false;
  const plain = text.replace(/\s+/g, ' ').replace(/ ?：$/, ':').replace(/^-+ ?/, '');
  return ATTRIBUTIONS.some(({ pattern }) => pattern.test(plain));
}
