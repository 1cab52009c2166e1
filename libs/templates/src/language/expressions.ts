import type { Expression, FilterStep, Operation, Operator, Step } from './ast.js';
import { FUNCTIONS } from './ast.js';
import { FILTERS } from './filters.js';
import { TemplateError } from './template-error.js';
import { TESTS } from './tests.js';
import type { TokenStream } from './token-stream.js';
import { Float, MAX_EXACT_DIGITS, Numeral, type Value } from './values.js';

const CONSTANTS = new Map<string, Value>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', undefined],
  ['None', undefined],
]);
/** Names that cannot be assigned to. */
export const RESERVED_NAMES = new Set([...CONSTANTS.keys(), 'loop', 'self']);

/** Operators between two values, by precedence; those of one row are left-associative. */
const PRECEDENCE: readonly (readonly Operator[])[] = [
  ['==', '!=', '<', '<=', '>', '>=', 'in', 'not in'],
  ['+', '-'],
  ['~'],
  ['*', '/', '//', '%'],
  ['**'],
];
/** A name after `is test` that cannot begin an argument of the test. */
const NOT_AN_ARGUMENT = new Set(['and', 'or', 'not', 'is', 'in', 'if', 'else']);

/** `a if condition else b` and everything with higher precedence. @throws TemplateError */
export function readExpression(tokens: TokenStream): Expression {
  return tokens.nested(() => {
    const value = readLogic(tokens, 'or');
    if (!tokens.skip('name', 'if')) return value;
    const condition = readLogic(tokens, 'or');
    const otherwise = tokens.skip('name', 'else') ? readExpression(tokens) : undefined;
    return { kind: 'conditional', value, condition, otherwise };
  });
}

/** The items of a loop: `for x in a if b` filters, so a conditional needs brackets there. */
export function readLogic(tokens: TokenStream, kind: 'or' | 'and'): Expression {
  const operand = () => (kind === 'or' ? readLogic(tokens, 'and') : readNot(tokens));
  const first = operand();
  if (!tokens.comes('name', kind)) return first;
  const operands = [first];
  while (tokens.skip('name', kind)) operands.push(operand());
  return { kind, operands };
}

function readNot(tokens: TokenStream): Expression {
  if (!tokens.skip('name', 'not')) return readOperations(tokens, 0);
  return tokens.nested(() => ({ kind: 'not', operand: readNot(tokens) }));
}

function readOperations(tokens: TokenStream, level: number): Expression {
  const operators = PRECEDENCE[level];
  if (!operators) return readUnary(tokens);
  const first = readOperations(tokens, level + 1);
  const rest: Operation[] = [];
  for (let operator = takeOperator(tokens, operators); operator; operator = takeOperator(tokens, operators)) {
    rest.push({ operator, right: readOperations(tokens, level + 1) });
  }
  return rest.length === 0 ? first : { kind: 'operation', first, rest };
}

function takeOperator(tokens: TokenStream, operators: readonly Operator[]): Operator | undefined {
  if (operators.includes('not in') && tokens.skip('name', 'not')) {
    tokens.expect('name', 'in');
    return 'not in';
  }
  const { type, text } = tokens.next;
  const operator = operators.find((candidate) => candidate === text);
  if (!operator || type !== (operator === 'in' ? 'name' : 'operator')) return undefined;
  tokens.take();
  return operator;
}

/** A value with its sign, then filters and tests: `-a.b|round` rounds the negated value. */
function readUnary(tokens: TokenStream): Expression {
  const base = readSigned(tokens);
  const steps: Step[] = [];
  for (;;) {
    if (tokens.skip('operator', '|')) steps.push(readFilter(tokens));
    else if (tokens.skip('name', 'is')) steps.push(readTest(tokens));
    else return steps.length === 0 ? base : { kind: 'steps', base, steps };
  }
}

function readSigned(tokens: TokenStream): Expression {
  if (!tokens.skip('operator', '-')) return readPostfix(tokens);
  return tokens.nested(() => ({ kind: 'negate', operand: readSigned(tokens) }));
}

function readPostfix(tokens: TokenStream): Expression {
  let base = readPrimary(tokens);
  let steps: Step[] = [];
  for (;;) {
    if (tokens.skip('operator', '.')) steps.push({ kind: 'item', key: readAttribute(tokens) });
    else if (tokens.skip('operator', '[')) steps.push(readSubscript(tokens));
    else if (tokens.comes('operator', '(')) {
      base = readCall(tokens, base, steps);
      steps = [];
    } else return steps.length === 0 ? base : { kind: 'steps', base, steps };
  }
}

function readAttribute(tokens: TokenStream): Expression {
  const { type, text } = tokens.next;
  if (type !== 'name' && type !== 'number') throw tokens.unexpected('a name after the dot');
  tokens.take();
  return { kind: 'literal', value: type === 'name' ? text : Number(text) };
}

function readSubscript(tokens: TokenStream): Step {
  const part = () =>
    tokens.comes('operator', ':') || tokens.comes('operator', ']') ? undefined : readExpression(tokens);
  const start = part();
  if (!tokens.skip('operator', ':')) {
    if (!start) throw tokens.unexpected('an index');
    tokens.expect('operator', ']');
    return { kind: 'item', key: start };
  }
  const stop = part();
  const step = tokens.skip('operator', ':') ? part() : undefined;
  tokens.expect('operator', ']');
  return { kind: 'slice', start, stop, step };
}

/** Values hold no functions: only a short list of names can be called. */
function readCall(tokens: TokenStream, base: Expression, steps: readonly Step[]): Expression {
  const { at } = tokens.next;
  const path = base.kind === 'name' ? [base.name, ...steps.map(attributeName)].join('.') : '';
  const name = FUNCTIONS.find((known) => known === path);
  if (!name) throw new TemplateError(`unknown function ${JSON.stringify(path)}`, at);
  const { positional: args, named } = readArguments(tokens);
  if (named.size > 0 || args.length === 0 || (name === 'range' && args.length > 3)) {
    throw new TemplateError(`wrong arguments for ${name}`, at);
  }
  return { kind: 'call', name, args };
}

function attributeName(step: Step): string {
  return step.kind === 'item' && step.key.kind === 'literal' ? String(step.key.value) : '?';
}

interface Arguments {
  readonly positional: Expression[];
  readonly named: Map<string, Expression>;
}

function readArguments(tokens: TokenStream): Arguments {
  const positional: Expression[] = [];
  const named = new Map<string, Expression>();
  tokens.expect('operator', '(');
  while (!tokens.comes('operator', ')')) {
    const { at } = tokens.next;
    const value = readExpression(tokens);
    if (value.kind === 'name' && tokens.skip('operator', '=')) named.set(value.name, readExpression(tokens));
    else if (named.size > 0) throw new TemplateError('an argument without a name after one with a name', at);
    else positional.push(value);
    if (!tokens.skip('operator', ',')) break;
  }
  tokens.expect('operator', ')');
  return { positional, named };
}

/** The filter after `|`. Its arguments are checked here, so that rendering need not. */
export function readFilter(tokens: TokenStream): FilterStep {
  const { text: name, at } = tokens.expect('name');
  const filter = FILTERS.get(name);
  if (!filter) throw new TemplateError(`unknown filter ${JSON.stringify(name)}`, at);
  const { positional, named } = tokens.comes('operator', '(')
    ? readArguments(tokens)
    : { positional: [], named: new Map<string, Expression>() };
  if (positional.length > filter.parameters.length) {
    throw new TemplateError(
      `the filter ${name} takes no more than ${filter.parameters.length} arguments`,
      at,
    );
  }
  const unknown = [...named.keys()].find((key) => !filter.parameters.slice(positional.length).includes(key));
  if (unknown !== undefined) throw new TemplateError(`the filter ${name} takes no argument ${unknown}`, at);
  const args = filter.parameters.map((parameter, index) => positional[index] ?? named.get(parameter));
  const missing = args.findIndex((arg, index) => index < filter.required && !arg);
  if (missing !== -1) {
    throw new TemplateError(`the filter ${name} needs an argument ${filter.parameters[missing]}`, at);
  }
  return { kind: 'filter', name, filter, args };
}

function readTest(tokens: TokenStream): Step {
  const negated = tokens.skip('name', 'not');
  const { text: name, at } = tokens.expect('name');
  const test = TESTS.get(name);
  if (!test) throw new TemplateError(`unknown test ${JSON.stringify(name)}`, at);
  const given = readTestArguments(tokens, test.compares);
  if (given.length !== (test.compares ? 1 : 0)) {
    throw new TemplateError(`the test ${name} takes ${test.compares ? 'one argument' : 'no arguments'}`, at);
  }
  return { kind: 'test', name, test, negated, arg: given[0] };
}

/** `is divisibleby(3)`, `is divisibleby 3`, `is in [1, 2]`. */
function readTestArguments(tokens: TokenStream, compares: boolean): readonly Expression[] {
  if (tokens.comes('operator', '(')) return readArguments(tokens).positional;
  const { type, text } = tokens.next;
  const begins =
    type === 'string' ||
    type === 'number' ||
    (type === 'name' && !NOT_AN_ARGUMENT.has(text)) ||
    (type === 'operator' && '[{'.includes(text));
  return compares && begins ? [readPostfix(tokens)] : [];
}

function readPrimary(tokens: TokenStream): Expression {
  const { type, text, at } = tokens.next;
  if (type === 'string') return { kind: 'literal', value: tokens.take().text };
  if (type === 'number') return { kind: 'literal', value: numberOf(tokens.take().text, at) };
  if (type === 'name') {
    tokens.take();
    return CONSTANTS.has(text)
      ? { kind: 'literal', value: CONSTANTS.get(text) }
      : { kind: 'name', name: text };
  }
  if (tokens.skip('operator', '(')) return readBrackets(tokens);
  if (tokens.skip('operator', '[')) return { kind: 'list', items: readItems(tokens, ']') };
  if (tokens.skip('operator', '{')) return readMapping(tokens);
  throw tokens.unexpected('a value');
}

function numberOf(text: string, at: number): Value {
  const digits = text.replaceAll('_', '');
  const number = Number(digits);
  if (/[.eE]/.test(text)) return Number.isSafeInteger(number) ? new Float(number) : number;
  if (Number.isSafeInteger(number)) return number;
  if (digits.length > MAX_EXACT_DIGITS) throw new TemplateError('the number is too large', at);
  return new Numeral(digits);
}

/** `(a)` is a; `(a,)` and `(a, b)` are lists. */
function readBrackets(tokens: TokenStream): Expression {
  if (tokens.skip('operator', ')')) return { kind: 'list', items: [] };
  const first = readExpression(tokens);
  if (tokens.skip('operator', ')')) return first;
  tokens.expect('operator', ',');
  return { kind: 'list', items: [first, ...readItems(tokens, ')')] };
}

function readItems(tokens: TokenStream, close: string): Expression[] {
  const items: Expression[] = [];
  while (!tokens.comes('operator', close)) {
    items.push(readExpression(tokens));
    if (!tokens.skip('operator', ',')) break;
  }
  tokens.expect('operator', close);
  return items;
}

function readMapping(tokens: TokenStream): Expression {
  const entries: [Expression, Expression][] = [];
  while (!tokens.comes('operator', '}')) {
    const key = readExpression(tokens);
    tokens.expect('operator', ':');
    entries.push([key, readExpression(tokens)]);
    if (!tokens.skip('operator', ',')) break;
  }
  tokens.expect('operator', '}');
  return { kind: 'mapping', entries };
}
