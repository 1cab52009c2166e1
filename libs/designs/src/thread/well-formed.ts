import type { DesignProblem } from './design-job.js';
import { LineCounter } from './lines.js';

// The most problems that are reported: each may be the consequence of the one before.
const MAX_PROBLEMS = 20;

const NAME = /[a-z_][^\s>/="'<]*/iy;
const ATTRIBUTE = /\s+([^\s"'<>/=]+)(?:\s*=\s*("[^"]*"|'[^']*'))?/y;
const TAG_END = /\s*\/?$/y;
const MJML_NAME = /^(?:mjml$|mj-)/i;
const MJML_TAG = /<\/?mj(?:ml\b|-)/i;

interface Element {
  readonly name: string;
  readonly at: number;
}

/**
 * The parts of MJML that are not well-formed, in the order of the source. The compiler would repair such MJML as
 * browsers do HTML, and lose content, so it never gets it. The rules are those of XML for MJML elements; the
 * content of an ending tag such as `mj-text` is HTML, and only has to leave the end of its element visible.
 * @param endingTags elements whose content is HTML, CSS or text
 */
export function malformedParts(source: string, endingTags: ReadonlySet<string>): DesignProblem[] {
  return new MjmlReader(source, endingTags).read();
}

class MjmlReader {
  private readonly lines: LineCounter;
  private readonly problems: { at: number; message: string }[] = [];
  private readonly open: Element[] = [];
  private hasRoot = false;
  private at = 0;

  constructor(
    private readonly source: string,
    private readonly endingTags: ReadonlySet<string>,
  ) {
    this.lines = new LineCounter(source);
  }

  read(): DesignProblem[] {
    while (this.at < this.source.length && this.problems.length < MAX_PROBLEMS) this.readNext();
    if (this.problems.length < MAX_PROBLEMS) this.requireClosed(this.open);
    const inOrder = this.problems.toSorted((a, b) => a.at - b.at);
    return inOrder.map(({ at, message }) => ({ line: this.lines.at(at), message }));
  }

  /** Reads text, and the tag or comment that ends it. */
  private readNext(): void {
    const start = this.nextMarkup(this.at);
    const end = start < 0 ? this.source.length : start;
    if (!this.isInEndingTag()) this.refuseText(this.at, end);
    this.at = end;
    if (start < 0) return;
    if (this.source.startsWith('<!--', start)) this.skip(start, '-->', 'a comment is not closed');
    else if (this.source.startsWith('<![CDATA[', start)) this.readCdata(start);
    else if (/[!?]/.test(this.source[start + 1] ?? '')) this.skip(start, '>', 'a declaration is not closed');
    else this.readTag(start);
  }

  /** A `<` before anything else is text. */
  private nextMarkup(from: number): number {
    const markup = /<[a-z_/!?]/gi;
    markup.lastIndex = from;
    return markup.exec(this.source)?.index ?? -1;
  }

  private readCdata(start: number): void {
    if (!this.isInEndingTag()) this.refuse(start, this.lostText(''));
    this.skip(start, ']]>', 'a CDATA section is not closed');
  }

  private skip(start: number, close: string, problem: string): void {
    const end = this.source.indexOf(close, start);
    if (end < 0) this.giveUp(start, problem);
    else this.at = end + close.length;
  }

  /** Ends the check: the rest cannot be parsed reliably. */
  private giveUp(start: number, problem: string): void {
    this.refuse(start, problem);
    this.open.length = 0;
    this.at = this.source.length;
  }

  private readTag(start: number): void {
    const isClose = this.source[start + 1] === '/';
    NAME.lastIndex = start + (isClose ? 2 : 1);
    const name = NAME.exec(this.source)?.[0] ?? '';
    const end = this.endOfTag(start);
    if (end < 0) {
      const tag = `${isClose ? '/' : ''}${name}`;
      return this.giveUp(start, `the tag ${tag} is not closed, or a quote in it is not`);
    }
    this.at = end + 1;
    const inside = this.source.slice(start + 1, end);
    if (MJML_TAG.test(inside)) {
      return this.giveUp(start, `the tag ${name} continues into the next one: a quote or a > is missing`);
    }
    if (this.isInEndingTag() && !MJML_NAME.test(name)) return;
    if (isClose) this.close({ name, at: start });
    else this.begin({ name, at: start }, inside);
  }

  /** As the compiler parses it: quotes count only after an `=`. @returns -1 for an unclosed tag */
  private endOfTag(start: number): number {
    const stop = /[>=]/g;
    stop.lastIndex = start;
    for (let found = stop.exec(this.source); found; found = stop.exec(this.source)) {
      if (found[0] === '>') return found.index;
      const value = /\s*(["'])/y;
      value.lastIndex = found.index + 1;
      const quote = value.exec(this.source);
      if (!quote) continue;
      const close = this.source.indexOf(quote[1] ?? '', value.lastIndex);
      if (close < 0) return -1;
      stop.lastIndex = close + 1;
    }
    return -1;
  }

  private begin(element: Element, inside: string): void {
    const { name, at } = element;
    const parent = this.open.at(-1);
    if (parent && this.isInEndingTag()) {
      this.refuse(at, `${name} is inside ${parent.name}, which is closed too late or not at all`);
      this.open.pop();
    }
    if (name !== name.toLowerCase()) this.refuse(at, `the element ${name} must be written in lower case`);
    if (!parent && this.hasRoot) this.refuse(at, `${name} is after the end of the document`);
    this.hasRoot = true;
    this.requireAttributes(element, inside.slice(name.length));
    if (!inside.endsWith('/')) this.open.push(element);
  }

  /** Requires distinct names, each with a value in quotes. */
  private requireAttributes({ name, at }: Element, text: string): void {
    const seen = new Set<string>();
    let end = 0;
    ATTRIBUTE.lastIndex = 0;
    for (let found = ATTRIBUTE.exec(text); found; found = ATTRIBUTE.exec(text)) {
      const [, written = '', value] = found;
      const attribute = written.toLowerCase();
      if (value === undefined) {
        return this.refuse(at, `${name}: attribute ${attribute} needs a value in quotes`);
      }
      if (seen.has(attribute)) return this.refuse(at, `${name}: attribute ${attribute} is given twice`);
      seen.add(attribute);
      end = ATTRIBUTE.lastIndex;
    }
    TAG_END.lastIndex = end;
    if (!TAG_END.test(text)) this.refuse(at, `${name}: attributes need quotes, and a blank between them`);
  }

  private close({ name, at }: Element): void {
    const depth = this.open.findLastIndex((element) => element.name === name);
    if (depth < 0) return this.refuse(at, `</${name}> closes nothing that is open`);
    this.requireClosed(this.open.splice(depth).slice(1), name);
  }

  private requireClosed(elements: readonly Element[], before?: string): void {
    for (const { name, at } of elements) {
      this.refuse(at, `${name} is not closed${before === undefined ? '' : ` before </${before}>`}`);
    }
  }

  private isInEndingTag(): boolean {
    return this.endingTags.has(this.open.at(-1)?.name.toLowerCase() ?? '');
  }

  /** The compiler drops such text silently. It reports unknown elements itself. */
  private refuseText(from: number, to: number): void {
    const parent = this.open.at(-1);
    if (parent && !MJML_NAME.test(parent.name)) return;
    const text = this.source.slice(from, to);
    const blank = text.length - text.trimStart().length;
    if (blank < text.length) this.refuse(from + blank, this.lostText(text));
  }

  private lostText(text: string): string {
    const parent = this.open.at(-1)?.name;
    if (parent === undefined) return 'text outside of mjml is dropped';
    const hint = /\{[{%]/.test(text) ? 'put {{ and {% into mj-raw' : 'put it into mj-text';
    return `text directly inside ${parent} is dropped, ${hint}`;
  }

  private refuse(at: number, message: string): void {
    this.problems.push({ at, message });
  }
}
