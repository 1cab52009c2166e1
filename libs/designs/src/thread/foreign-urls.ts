import { Parser } from 'htmlparser2';
import type { UrlPolicy } from './design-job.js';
import { LineCounter } from './lines.js';
import { marksOf } from './marks.js';

// The most problems that are reported.
const MAX_PROBLEMS = 50;
const MAX_SHOWN = 200;
/** Nesting of elements. Real designs have less, and parsers take quadratic time for it. */
export const MAX_DEPTH = 500;
/** A mebibyte of HTML usually has 20,000. */
const MAX_ELEMENTS = 100_000;

/** More elements than real designs have; they would take time and memory. */
export class TooManyElements extends Error {
  override readonly name = 'TooManyElements';
}

/** Attributes that load an image or a stylesheet, by element. */
const LOADING: Readonly<Record<string, readonly string[]>> = {
  img: ['src'],
  input: ['src'],
  image: ['href', 'xlink:href'],
  link: ['href'],
  video: ['poster'],
};
const SETS = ['srcset', 'imagesrcset'];

// The bound keeps an unclosed quote from being searched repeatedly.
const CSS_URL = /url\(\s*(?:"([^"]{0,4096})"|'([^']{0,4096})'|((?:\{\{[^}]{0,4096}\}\})?[^)"'\s]{0,4096}))/gi;
const CSS_IMPORT = /@import\s{1,100}(?:"([^"]{0,4096})"|'([^']{0,4096})')/gi;

export interface ForeignUrl {
  line: number;
  url: string;
  message: string;
}

/**
 * Images and stylesheets that are not at a full `https://` URL (spec 2-messages §6.3 rule 2, spec 3-marketing §5.1
 * rule 3): they would not load, or not safely. A `{{ variable }}` is filled from the recipient's values.
 * @returns them in the order of the HTML
 * @throws RangeError when it is nested too deeply; TooManyElements
 */
export function foreignUrls(html: string, policy: UrlPolicy): ForeignUrl[] {
  const lines = new LineCounter(html);
  const found: ForeignUrl[] = [];
  let inStyle = false;
  let [depth, elements] = [0, 0];
  const look = (parsed: string) => {
    const url = withQuotes(parsed);
    if (isFull(url, policy) || found.length >= MAX_PROBLEMS) return;
    const message = `images and stylesheets need a full https:// URL or a {{ variable }}, not '${shown(url)}'`;
    found.push({ line: lines.at(parser.startIndex), url, message });
  };
  const parser = new Parser({
    onopentag(name, attributes) {
      depth += 1;
      elements += 1;
      if (depth > MAX_DEPTH) throw new RangeError('nested too deeply');
      if (elements > MAX_ELEMENTS) throw new TooManyElements();
      inStyle = name === 'style';
      for (const url of urlsOf(name, attributes)) look(url);
    },
    ontext(text) {
      if (inStyle) for (const url of cssUrls(text)) look(url);
    },
    onclosetag() {
      depth -= 1;
      inStyle = false;
    },
  });
  parser.end(withoutQuotesInMarks(html));
  return found;
}

// As long as the text that they replace, so that lines do not move.
const STAND_INS: Readonly<Record<string, string>> = {
  '"': '\uE002',
  "'": '\uE003',
  '<': '\uE004',
  '>': '\uE005',
};
const STOOD_FOR = new Map(Object.entries(STAND_INS).map(([quote, standIn]) => [standIn, quote]));

/** `src="{{ picture|default("https://…") }}"` is one attribute once it is rendered. */
function withoutQuotesInMarks(html: string): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of marksOf(html)) {
    const mark = html.slice(start, end).replaceAll(/["'<>]/g, (quote) => STAND_INS[quote] ?? quote);
    parts.push(html.slice(from, start), mark);
    from = end;
  }
  return parts.join('') + html.slice(from);
}

const withQuotes = (url: string): string =>
  url.replaceAll(/[\uE002-\uE005]/g, (standIn) => STOOD_FOR.get(standIn) ?? standIn);

function urlsOf(name: string, attributes: Readonly<Record<string, string>>): string[] {
  const loading = Object.hasOwn(LOADING, name) ? (LOADING[name] ?? []) : [];
  const { background, style } = attributes;
  return [
    ...[...loading.map((attribute) => attributes[attribute]), background].filter((url) => url !== undefined),
    ...SETS.flatMap((attribute) => candidates(attributes[attribute] ?? '')),
    ...cssUrls(style ?? ''),
  ];
}

/**
 * The URLs of a `srcset`: each may have a width or density after a space. A set with an expression is checked as a
 * whole.
 */
function candidates(set: string): string[] {
  if (set.trim().startsWith('{{')) return [set.trim()];
  return set
    .split(/,\s/)
    .map((candidate) => candidate.trim().split(/\s/, 1)[0] ?? '')
    .filter((url) => url !== '');
}

/** @returns them without references inside the document */
function cssUrls(css: string): string[] {
  return [...css.matchAll(CSS_URL), ...css.matchAll(CSS_IMPORT)]
    .map(([, quoted, single, plain]) => quoted ?? single ?? plain ?? '')
    .filter((url) => !url.startsWith('#'));
}

function isFull(url: string, policy: UrlPolicy): boolean {
  const trimmed = url.trim();
  if (/^https:\/\/[^\s/?#]/i.test(trimmed)) return true;
  if (!trimmed.startsWith('{{')) return false;
  const end = trimmed.indexOf('}}');
  return policy === 'expression-is-whole' ? end === trimmed.length - 2 && end > 1 : end > 0;
}

const shown = (url: string): string => (url.length > MAX_SHOWN ? `${url.slice(0, MAX_SHOWN)}…` : url);
