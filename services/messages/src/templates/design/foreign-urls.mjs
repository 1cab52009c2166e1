import { Parser } from 'htmlparser2';
import { LineCounter } from './lines.mjs';

// More of them help nobody.
const MAX_PROBLEMS = 50;
const MAX_SHOWN = 200;
/** Elements inside each other. No design has so many, and parsers take quadratic time for them. */
export const MAX_DEPTH = 500;

/** Attributes that load an image or a stylesheet, by element. */
const LOADING = {
  img: ['src'],
  input: ['src'],
  image: ['href', 'xlink:href'],
  link: ['href'],
  video: ['poster'],
};
const SETS = ['srcset', 'imagesrcset'];

// The bound keeps an open quote from being looked for again and again.
const CSS_URL = /url\(\s*(?:"([^"]{0,4096})"|'([^']{0,4096})'|([^)"'\s]{0,4096}))/gi;
const CSS_IMPORT = /@import\s{1,100}(?:"([^"]{0,4096})"|'([^']{0,4096})')/gi;

/**
 * Images and stylesheets that are not at a full `https://` URL (spec 2-messages §6.3 rule 2): they would not load, or
 * would not load safely. What a `{{ variable }}` begins is for the recipient's values.
 * @param {string} html
 * @returns {{ line: number, url: string, message: string }[]} in the order of the HTML
 * @throws RangeError when it is nested too deeply
 */
export function foreignUrls(html) {
  const lines = new LineCounter(html);
  /** @type {{ line: number, url: string, message: string }[]} */
  const found = [];
  let inStyle = false;
  let depth = 0;
  /** @param {string} url */
  const look = (url) => {
    if (isFull(url) || found.length >= MAX_PROBLEMS) return;
    const message = `images and stylesheets need a full https:// URL or a {{ variable }}, not '${shown(url)}'`;
    found.push({ line: lines.at(parser.startIndex), url, message });
  };
  const parser = new Parser({
    onopentag(name, attributes) {
      depth += 1;
      if (depth > MAX_DEPTH) throw new RangeError('nested too deeply');
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
  parser.end(html);
  return found;
}

/** @param {string} name @param {Record<string, string>} attributes @returns {string[]} */
function urlsOf(name, attributes) {
  const loading = Object.hasOwn(LOADING, name) ? LOADING[/** @type {keyof LOADING} */ (name)] : [];
  const { background, style } = attributes;
  return [
    ...[...loading.map((attribute) => attributes[attribute]), background].filter((url) => url !== undefined),
    ...SETS.flatMap((attribute) => candidates(attributes[attribute] ?? '')),
    ...cssUrls(style ?? ''),
  ];
}

/** The URLs of a `srcset`: each may have a width or density behind a space. @param {string} set @returns {string[]} */
function candidates(set) {
  if (set.trim().startsWith('{{')) return [];
  return set
    .split(/,\s/)
    .map((candidate) => candidate.trim().split(/\s/, 1)[0] ?? '')
    .filter((url) => url !== '');
}

/** @param {string} css @returns {string[]} without references inside the document */
function cssUrls(css) {
  return [...css.matchAll(CSS_URL), ...css.matchAll(CSS_IMPORT)]
    .map(([, quoted, single, plain]) => quoted ?? single ?? plain ?? '')
    .filter((url) => !url.startsWith('#'));
}

/** @param {string} url */
function isFull(url) {
  const trimmed = url.trim();
  return /^https:\/\/[^\s/?#]/i.test(trimmed) || (trimmed.startsWith('{{') && trimmed.includes('}}'));
}

/** @param {string} url */
const shown = (url) => (url.length > MAX_SHOWN ? `${url.slice(0, MAX_SHOWN)}…` : url);
