import { TemplateError } from './template-error.js';

export type Token =
  | { readonly type: 'text' | 'string' | 'name' | 'operator'; readonly text: string; readonly at: number }
  | { readonly type: 'number'; readonly text: string; readonly at: number }
  | { readonly type: 'open' | 'close'; readonly text: '{{' | '{%' | '}}' | '%}'; readonly at: number }
  | { readonly type: 'end'; readonly text: ''; readonly at: number };

/** A template of 1 MiB in daily use has some thousands. Parsing on the event loop is bounded to some 50 ms. */
const MAX_TOKENS = 100_000;

const MARK = /\{[{%#]/g;
const RAW = /\{%[-+]?\s*raw\s*([-+]?)%\}/y;
const END_RAW = /\{%([-+]?)\s*endraw\s*([-+]?)%\}/g;
const SPACE = /\s*/y;
const NAME = /[\p{ID_Start}_]\p{ID_Continue}*/uy;
const NUMBER = /\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const INDEX = /\d+/y;
const OPERATOR = /\*\*|\/\/|==|!=|<=|>=|[-+*/%~<>=.,:|()[\]{}]/y;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/**
 * Splits a template into text and the tokens between its marks; comments and `raw` are resolved, whitespace is trimmed
 * where a `-` asks for it.
 * @throws TemplateError
 */
export function tokenize(source: string): Token[] {
  return new Lexer(source).tokens();
}

class Lexer {
  private readonly found: Token[] = [];
  private position = 0;
  private trimsNext = false;

  constructor(private readonly source: string) {}

  tokens(): Token[] {
    while (this.position < this.source.length) this.readSegment();
    this.found.push({ type: 'end', text: '', at: this.source.length });
    return this.found;
  }

  /** Text up to the next mark, and what that mark begins. */
  private readSegment(): void {
    const mark = indexOfMatch(MARK, this.source, this.position);
    if (mark === -1) return this.addText(this.position, this.source.length, false);
    this.addText(this.position, mark, this.source[mark + 2] === '-');
    this.position = mark;
    if (this.source[mark + 1] === '#') this.skipComment();
    else if (!this.readRaw()) this.readTag();
  }

  private addText(from: number, to: number, trimsEnd: boolean): void {
    let text = this.source.slice(from, to);
    if (this.trimsNext) text = text.trimStart();
    if (trimsEnd) text = text.trimEnd();
    this.trimsNext = false;
    this.position = to;
    if (text !== '') this.add({ type: 'text', text, at: from });
  }

  private skipComment(): void {
    const end = this.source.indexOf('#}', this.position + 2);
    if (end === -1) throw new TemplateError('{# is not closed', this.position);
    this.trimsNext = end > this.position + 2 && this.source[end - 1] === '-';
    this.position = end + 2;
  }

  private readRaw(): boolean {
    const start = matchAt(RAW, this.source, this.position);
    if (!start) return false;
    END_RAW.lastIndex = this.position + start[0].length;
    const end = END_RAW.exec(this.source);
    if (!end) throw new TemplateError('{% raw %} is not closed', this.position);
    this.trimsNext = start[1] === '-';
    this.addText(this.position + start[0].length, end.index, end[1] === '-');
    this.position = end.index + end[0].length;
    this.trimsNext = end[2] === '-';
    return true;
  }

  /** `{{ … }}` or `{% … %}`. Brackets inside are balanced, so that `}}` may end a mapping in them. */
  private readTag(): void {
    const at = this.position;
    const open = this.source.slice(at, at + 2) as '{{' | '{%';
    const close = open === '{{' ? '}}' : '%}';
    this.add({ type: 'open', text: open, at });
    this.position += /[-+]/.test(this.source[at + 2] ?? '') ? 3 : 2;
    for (let depth = 0; ;) {
      this.position += matchAt(SPACE, this.source, this.position)?.[0].length ?? 0;
      if (this.position >= this.source.length) throw new TemplateError(`${open} is not closed`, at);
      if (depth === 0 && this.readClose(close)) return;
      const { type, text } = this.readToken();
      if (type === 'operator' && '([{'.includes(text)) depth += 1;
      if (type === 'operator' && ')]}'.includes(text)) depth = Math.max(0, depth - 1);
    }
  }

  private readClose(close: '}}' | '%}'): boolean {
    const sign = /[-+]/.test(this.source[this.position] ?? '') ? 1 : 0;
    if (!this.source.startsWith(close, this.position + sign)) return false;
    this.add({ type: 'close', text: close, at: this.position });
    this.trimsNext = this.source[this.position] === '-';
    this.position += sign + 2;
    return true;
  }

  private readToken(): Token {
    const at = this.position;
    const first = this.source[at] ?? '';
    if (first === '"' || first === "'") return this.add({ type: 'string', text: this.readString(first), at });
    const name = matchAt(NAME, this.source, at);
    if (name) return this.addMatch('name', name[0]);
    // `a.0.1` is two indexes, not one index and a number
    const number = matchAt(this.found.at(-1)?.text === '.' ? INDEX : NUMBER, this.source, at);
    if (number) return this.addMatch('number', number[0]);
    const operator = matchAt(OPERATOR, this.source, at);
    if (operator) return this.addMatch('operator', operator[0]);
    throw new TemplateError(`unexpected ${JSON.stringify(first)}`, at);
  }

  private readString(quote: string): string {
    const start = this.position;
    let text = '';
    for (let at = start + 1; ; at++) {
      const character = this.source[at];
      if (character === undefined) throw new TemplateError('text in quotes is not closed', start);
      if (character === quote) {
        this.position = at + 1;
        return text;
      }
      if (character !== '\\') text += character;
      else if (this.source[at + 1] === 'u') {
        text += this.readUnicode(at + 2);
        at += 5;
      } else text += this.readEscape((at += 1));
    }
  }

  private readUnicode(at: number): string {
    const digits = this.source.slice(at, at + 4);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw new TemplateError('\\u needs four hexadecimal digits', at);
    return String.fromCharCode(Number.parseInt(digits, 16));
  }

  private readEscape(at: number): string {
    const character = this.source[at] ?? '';
    if ('\\/\'"'.includes(character)) return character;
    const text = ESCAPES[character];
    if (text === undefined) throw new TemplateError(`unknown escape \\${character} in quotes`, at);
    return text;
  }

  private addMatch(type: 'name' | 'number' | 'operator', text: string): Token {
    const token: Token = { type, text, at: this.position };
    this.position += text.length;
    return this.add(token);
  }

  private add(token: Token): Token {
    if (this.found.length >= MAX_TOKENS) {
      throw new TemplateError(`more than ${MAX_TOKENS} names, values and signs`, token.at);
    }
    this.found.push(token);
    return token;
  }
}

function matchAt(sticky: RegExp, source: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at;
  return sticky.exec(source);
}

function indexOfMatch(global: RegExp, source: string, from: number): number {
  global.lastIndex = from;
  return global.exec(source)?.index ?? -1;
}
