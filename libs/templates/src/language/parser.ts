import type { Branch, Expression, FilterStep, Statement, Target } from './ast.js';
import { readExpression, readFilter, readLogic, RESERVED_NAMES } from './expressions.js';
import { tokenize } from './lexer.js';
import { TemplateError } from './template-error.js';
import { TokenStream } from './token-stream.js';

/** Tags of Jinja that are not supported: they include other templates, or make templates programs. */
const UNSUPPORTED = new Set(
  'include import from extends block macro call filter autoescape do break continue trans debug'.split(' '),
);
/** Tags that belong to other tags. */
const INNER = new Set('elif else endif endfor endset endwith endraw'.split(' '));

/**
 * Parses a template. A template that is accepted renders, as far as that can be known without values.
 * @throws TemplateError with the line
 */
export function parseTemplate(source: string): Statement[] {
  try {
    const tokens = new TokenStream(tokenize(source));
    const body = readBody(tokens, []);
    if (!tokens.comes('end')) throw new TemplateError(`unexpected {% ${tokens.next.text} %}`, tokens.next.at);
    return body;
  } catch (error) {
    throw error instanceof TemplateError ? error.located(source) : error;
  }
}

/** @param until tags that end the body; the next token is the name of the one that did */
function readBody(tokens: TokenStream, until: readonly string[]): Statement[] {
  return tokens.nested(() => {
    const body: Statement[] = [];
    for (;;) {
      const { type, text, at } = tokens.take();
      if (type === 'end') return endOfBody(body, until, at);
      if (type === 'text') body.push({ kind: 'text', text });
      else if (text === '{{') body.push(readOutput(tokens, at));
      else if (
        tokens.next.type === 'name' &&
        (until.includes(tokens.next.text) || INNER.has(tokens.next.text))
      ) {
        return body;
      } else body.push(readTag(tokens, at));
    }
  });
}

function endOfBody(body: Statement[], until: readonly string[], at: number): Statement[] {
  if (until.length > 0) throw new TemplateError(`{% ${until.at(-1)} %} is missing`, at);
  return body;
}

function readOutput(tokens: TokenStream, at: number): Statement {
  const value = readExpression(tokens);
  tokens.expect('close');
  return { kind: 'output', at, value };
}

function readTag(tokens: TokenStream, at: number): Statement {
  const name = tokens.expect('name').text;
  if (name === 'if') return readIf(tokens, at);
  if (name === 'for') return readFor(tokens, at);
  if (name === 'set') return readSet(tokens, at);
  if (name === 'with') return readWith(tokens, at);
  if (UNSUPPORTED.has(name)) throw new TemplateError(`{% ${name} %} is not supported`, at);
  throw new TemplateError(`unknown tag {% ${name} %}`, at);
}

/** Reads `{% name %}` after its `{%`, as the end of a body. */
function readEnd(tokens: TokenStream, name: string): void {
  tokens.expect('name', name);
  tokens.expect('close');
}

function readIf(tokens: TokenStream, at: number): Statement {
  const branches: Branch[] = [];
  do {
    const condition = readExpression(tokens);
    tokens.expect('close');
    branches.push({ condition, body: readBody(tokens, ['elif', 'else', 'endif']) });
  } while (tokens.skip('name', 'elif'));
  return { kind: 'if', at, branches, otherwise: readElse(tokens, 'endif') };
}

/** The rest of a tag that may have an `else`, with its end. */
function readElse(tokens: TokenStream, end: string): Statement[] {
  if (!tokens.skip('name', 'else')) {
    readEnd(tokens, end);
    return [];
  }
  tokens.expect('close');
  const otherwise = readBody(tokens, [end]);
  readEnd(tokens, end);
  return otherwise;
}

function readFor(tokens: TokenStream, at: number): Statement {
  const target = readTarget(tokens);
  tokens.expect('name', 'in');
  const items = readLogic(tokens, 'or');
  const filter = tokens.skip('name', 'if') ? readExpression(tokens) : undefined;
  if (tokens.comes('name', 'recursive')) throw new TemplateError('a recursive loop is not supported', at);
  tokens.expect('close');
  const body = readBody(tokens, ['else', 'endfor']);
  return { kind: 'for', at, target, items, filter, body, otherwise: readElse(tokens, 'endfor') };
}

function readSet(tokens: TokenStream, at: number): Statement {
  const target = readTarget(tokens);
  if (tokens.skip('operator', '=')) {
    const value = readExpression(tokens);
    tokens.expect('close');
    return { kind: 'set', at, target, value };
  }
  const [name] = target.names;
  if (target.unpacks) throw tokens.unexpected('=');
  const filters: FilterStep[] = [];
  while (tokens.skip('operator', '|')) filters.push(readFilter(tokens));
  tokens.expect('close');
  const body = readBody(tokens, ['endset']);
  readEnd(tokens, 'endset');
  return { kind: 'capture', at, name, filters, body };
}

function readWith(tokens: TokenStream, at: number): Statement {
  const bindings: { target: Target; value: Expression }[] = [];
  while (!tokens.comes('close')) {
    const target: Target = { names: [readName(tokens)], unpacks: false };
    tokens.expect('operator', '=');
    bindings.push({ target, value: readExpression(tokens) });
    if (!tokens.skip('operator', ',')) break;
  }
  tokens.expect('close');
  const body = readBody(tokens, ['endwith']);
  readEnd(tokens, 'endwith');
  return { kind: 'with', at, bindings, body };
}

/** `a`, or `a, b`, with or without brackets. */
function readTarget(tokens: TokenStream): Target {
  const bracketed = tokens.skip('operator', '(');
  const names: [string, ...string[]] = [readName(tokens)];
  let unpacks = false;
  while (tokens.skip('operator', ',')) {
    unpacks = true;
    if (!tokens.comes('name') || tokens.comes('name', 'in')) break;
    names.push(readName(tokens));
  }
  if (bracketed) tokens.expect('operator', ')');
  if (tokens.comes('operator', '.')) {
    throw new TemplateError('only a name can be set, not an attribute', tokens.next.at);
  }
  return { names, unpacks };
}

function readName(tokens: TokenStream): string {
  const { text, at } = tokens.expect('name');
  if (RESERVED_NAMES.has(text)) throw new TemplateError(`${text} cannot be set`, at);
  return text;
}
