/** An attribute of a start tag; places are offsets in the HTML. */
export interface Attribute {
  /** in lower case */
  name: string;
  start: number;
  /** after its value, closing quote included */
  end: number;
  /** without quotes */
  valueStart: number;
  valueEnd: number;
  quoted: boolean;
  /** there is space before or after the `=` */
  spaced: boolean;
}

export interface StartTag {
  attributes: Attribute[];
  /** after its `>` */
  end: number;
}

export interface TagVisitor {
  /** the start tags that are visited, in lower case */
  element: string;
  /** the attributes to report, in lower case; the first hundred of a tag */
  attributes: readonly string[];
  start(tag: StartTag): void;
  /** @param name in lower case @param at where the `<` is */
  end(name: string, at: number): void;
}

/** Elements whose content is text up to their end tag (HTML standard, tokenization; title and textarea know entities, no tags). */
const TEXT_ELEMENTS = new Set([
  'iframe',
  'noembed',
  'noframes',
  'script',
  'style',
  'textarea',
  'title',
  'xmp',
]);

/**
 * Visits the tags of HTML as browsers find them (HTML standard, tokenization), in one pass. Comments (with them the
 * conditional ones of Outlook, `<!--[if mso]>…<![endif]-->`), scripts and styles contain no tags; an unclosed tag
 * is text.
 */
export function scanTags(html: string, visitor: TagVisitor): void {
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at)) {
    const next = html.charAt(at + 1);
    if (/[a-z]/i.test(next)) at = startTagEnd(html, at, visitor);
    else if (next === '/') at = endTagEnd(html, at, visitor);
    else if (next === '!' || next === '?') at = declarationEnd(html, at);
    else at += 1;
    // an unclosed construct reaches to the end
    if (at === NEVER) return;
  }
}

const NEVER = -1;
const MAX_ATTRIBUTES = 100;

type Unnamed = Omit<Attribute, 'name'>;

const isNamed = (html: string, { start }: Unnamed, name: string): boolean =>
  html.slice(start, start + name.length).toLowerCase() === name;

function startTagEnd(html: string, at: number, visitor: TagVisitor): number {
  const nameEnd = tagNameEnd(html, at + 1);
  const name = html.slice(at + 1, nameEnd).toLowerCase();
  const attributes: Attribute[] = [];
  const visited = name === visitor.element;
  const end = tagEnd(html, nameEnd, (attribute, length) => {
    if (!visited || attributes.length >= MAX_ATTRIBUTES) return;
    const wanted = visitor.attributes.find((one) => one.length === length && isNamed(html, attribute, one));
    if (wanted !== undefined) attributes.push({ ...attribute, name: wanted });
  });
  if (end === NEVER) return NEVER;
  if (visited) visitor.start({ attributes, end });
  if (name === 'plaintext') return NEVER;
  return TEXT_ELEMENTS.has(name) ? textEnd(html, name, end) : end;
}

function endTagEnd(html: string, at: number, visitor: TagVisitor): number {
  if (!/[a-z]/i.test(html.charAt(at + 2))) return declarationEnd(html, at);
  const nameEnd = tagNameEnd(html, at + 2);
  const end = tagEnd(html, nameEnd, () => {});
  if (end !== NEVER) visitor.end(html.slice(at + 2, nameEnd).toLowerCase(), at);
  return end;
}

/** Comments, and constructs that are parsed as comments: doctypes, `<![if !mso]>`, `<?xml …>`, `</ …>`. */
function declarationEnd(html: string, at: number): number {
  if (!html.startsWith('<!--', at)) return behind(html, '>', at + 2);
  // `<!-->` and `<!--->` are empty comments
  const empty = /^-?>/.exec(html.slice(at + 4, at + 6));
  if (empty) return at + 4 + empty[0].length;
  const closing = /--!?>/g;
  closing.lastIndex = at + 4;
  return closing.test(html) ? closing.lastIndex : NEVER;
}

function behind(html: string, what: string, from: number): number {
  const at = html.indexOf(what, from);
  return at < 0 ? NEVER : at + what.length;
}

/** Where the end tag of a text element begins. */
function textEnd(html: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}(?=[\\t\\n\\f\\r />])`, 'gi');
  closing.lastIndex = from;
  return closing.exec(html)?.index ?? NEVER;
}

/**
 * Reads attributes up to the `>` of the tag; a `>` inside quotes does not end it.
 * @param take gets each, with the length of its name
 * @returns the offset after the `>`
 */
function tagEnd(html: string, from: number, take: (attribute: Unnamed, nameLength: number) => void): number {
  let at = from;
  for (;;) {
    while (isSpace(html.charCodeAt(at)) || html.charCodeAt(at) === SLASH) at += 1;
    if (at >= html.length) return NEVER;
    if (html.charCodeAt(at) === GREATER) return at + 1;
    // an `=` at the front belongs to the name
    const nameEnd = attributeNameEnd(html, at + 1);
    const attribute = readAttribute(html, at, nameEnd);
    if (!attribute) return NEVER;
    take(attribute, nameEnd - at);
    at = attribute.end;
  }
}

/** @returns undefined when its value is unclosed */
function readAttribute(html: string, start: number, nameEnd: number): Unnamed | undefined {
  const equals = skipSpace(html, nameEnd);
  if (html.charCodeAt(equals) !== EQUALS) {
    return { start, end: nameEnd, valueStart: nameEnd, valueEnd: nameEnd, quoted: false, spaced: false };
  }
  const from = skipSpace(html, equals + 1);
  const spaced = equals > nameEnd || from > equals + 1;
  const quote = html.charAt(from);
  if (quote === '"' || quote === "'") {
    const close = html.indexOf(quote, from + 1);
    if (close < 0) return undefined;
    return { start, end: close + 1, valueStart: from + 1, valueEnd: close, quoted: true, spaced };
  }
  const to = unquotedEnd(html, from);
  return { start, end: to, valueStart: from, valueEnd: to, quoted: false, spaced };
}

const SLASH = 0x2f;
const EQUALS = 0x3d;
const GREATER = 0x3e;

const isSpace = (code: number): boolean =>
  code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09 || code === 0x0c;

function skipSpace(html: string, from: number): number {
  let at = from;
  while (isSpace(html.charCodeAt(at))) at += 1;
  return at;
}

const scanTo =
  (stops: (code: number) => boolean) =>
  (html: string, from: number): number => {
    let at = from;
    while (at < html.length && !stops(html.charCodeAt(at))) at += 1;
    return at;
  };

const tagNameEnd = scanTo((code) => isSpace(code) || code === SLASH || code === GREATER);
const attributeNameEnd = scanTo(
  (code) => isSpace(code) || code === SLASH || code === GREATER || code === EQUALS,
);
const unquotedEnd = scanTo((code) => isSpace(code) || code === GREATER);
