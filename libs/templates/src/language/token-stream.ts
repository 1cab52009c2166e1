import type { Token } from './lexer.js';
import { TemplateError } from './template-error.js';

/** The most nesting of brackets, blocks and conditions: far below the limit of the stack. */
const MAX_DEPTH = 100;

const END: Token = { type: 'end', text: '', at: 0 };

/** The tokens of a template, read from first to last. */
export class TokenStream {
  private index = 0;
  private depth = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  /** The token that comes next; the last one is of type `end`. */
  get next(): Token {
    return this.tokens[this.index] ?? END;
  }

  take(): Token {
    const token = this.next;
    if (token.type !== 'end') this.index += 1;
    return token;
  }

  comes(type: Token['type'], text?: string): boolean {
    return this.next.type === type && (text === undefined || this.next.text === text);
  }

  /** Takes the next token if it is this one. */
  skip(type: Token['type'], text?: string): boolean {
    const comes = this.comes(type, text);
    if (comes) this.index += 1;
    return comes;
  }

  expect(type: Token['type'], text?: string): Token {
    if (!this.comes(type, text))
      throw this.unexpected(text ?? (type === 'close' ? 'the end of the tag' : `a ${type}`));
    return this.take();
  }

  unexpected(expected: string): TemplateError {
    const { type, text, at } = this.next;
    const found = type === 'end' ? 'the end' : type === 'text' ? 'text' : JSON.stringify(text);
    return new TemplateError(`expected ${expected}, found ${found}`, at);
  }

  /** @throws TemplateError when the nesting is too deep */
  nested<T>(read: () => T): T {
    this.depth += 1;
    if (this.depth > MAX_DEPTH) throw new TemplateError(`nested more than ${MAX_DEPTH} deep`, this.next.at);
    const result = read();
    this.depth -= 1;
    return result;
  }
}
