import type { Operator } from './ast.js';
import { ITEM_UNITS, type Meter } from './limits.js';
import { TemplateError } from './template-error.js';
import { contains } from './tests.js';
import {
  areEqual,
  compareValues,
  float,
  isBig,
  isList,
  isWhole,
  kindOf,
  numberOf,
  print,
  textOf,
  type Value,
} from './values.js';

const MAX_RANGE = 100_000;

/** `left operator right`. Arithmetic with undefined gives undefined. @throws TemplateError */
export function operate(operator: Operator, left: Value, right: Value, meter: Meter): Value {
  switch (operator) {
    case '==':
      return areEqual(left, right, meter);
    case '!=':
      return !areEqual(left, right, meter);
    case '<':
      return compareValues(left, right, meter) < 0;
    case '<=':
      return compareValues(left, right, meter) <= 0;
    case '>':
      return compareValues(left, right, meter) > 0;
    case '>=':
      return compareValues(left, right, meter) >= 0;
    case 'in':
      return contains(right, left, meter);
    case 'not in':
      return !contains(right, left, meter);
    case '~':
      return concatenate(print(left, meter), print(right, meter), meter);
    default:
      return left === undefined || right === undefined ? undefined : calculate(operator, left, right, meter);
  }
}

type Arithmetic = '+' | '-' | '*' | '/' | '//' | '%' | '**';

const ARITHMETIC: Readonly<Record<Arithmetic, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '//': (a, b) => (b === 0 ? a / b : Math.sign(b) * Math.floor(a / Math.abs(b))),
  '%': (a, b) => a - Math.abs(b) * Math.floor(a / Math.abs(b)),
  '**': (a, b) => a ** b,
};

function calculate(operator: Arithmetic, left: Value, right: Value, meter: Meter): Value {
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a === undefined || b === undefined) return calculateItems(operator, left, right, meter);
  const whole = isWhole(left) && isWhole(right) && operator !== '/';
  if (whole && b === 0 && (operator === '//' || operator === '%'))
    throw new TemplateError('division by zero');
  // for whole numbers the remainder is never negative, for others it has the sign of the first: as in MiniJinja
  if (isBig(left) || isBig(right)) throw new TemplateError('the number is too large');
  const result = operator === '%' && !whole ? a % b : ARITHMETIC[operator](a, b);
  if (!whole || (operator === '**' && b < 0)) return float(result);
  if (!Number.isSafeInteger(result)) throw new TemplateError('the number is too large');
  return result + 0;
}

/** `+` of texts or lists, and `*` that repeats one of them. */
function calculateItems(operator: Arithmetic, left: Value, right: Value, meter: Meter): Value {
  if (operator === '+') {
    const [textA, textB] = [textOf(left), textOf(right)];
    if (textA !== undefined && textB !== undefined) return concatenate(textA, textB, meter);
    if (isList(left) && isList(right)) {
      meter.make((left.length + right.length) * ITEM_UNITS);
      return [...left, ...right];
    }
  }
  if (operator === '*') {
    const [repeated, times] = numberOf(left) === undefined ? [left, right] : [right, left];
    const count = numberOf(times);
    if (count !== undefined && isWhole(times)) return repeat(repeated, Math.max(0, count), meter);
  }
  throw new TemplateError(`cannot calculate ${kindOf(left)} ${operator} ${kindOf(right)}`);
}

function concatenate(a: string, b: string, meter: Meter): string {
  meter.make(a.length + b.length);
  return a + b;
}

function repeat(value: Value, times: number, meter: Meter): Value {
  const text = textOf(value);
  if (text !== undefined) {
    meter.make(text.length * times);
    return text.repeat(times);
  }
  if (!isList(value)) throw new TemplateError(`cannot repeat ${kindOf(value)}`);
  meter.make(value.length * times * ITEM_UNITS);
  return Array.from({ length: value.length * times }, (_item, index) => value[index % value.length]);
}

/** `value[start:stop:step]` of text or a list. @throws TemplateError */
export function sliceOf(value: Value, bounds: readonly [Value, Value, Value], meter: Meter): Value {
  const [start, stop, step = 1] = bounds.map((bound) => wholeOf(bound));
  if (step < 1) throw new TemplateError('the step of a slice is less than 1');
  const text = textOf(value);
  if (text === undefined && value !== undefined && !isList(value)) {
    throw new TemplateError(`${kindOf(value)} cannot be sliced`);
  }
  const items: readonly Value[] =
    text === undefined ? ((value as readonly Value[] | undefined) ?? []) : Array.from(text);
  meter.make(items.length * ITEM_UNITS);
  const slice = items.slice(start, stop).filter((_item, index) => index % step === 0);
  return text === undefined ? slice : slice.join('');
}

/** `range(stop)`, `range(start, stop)`, `range(start, stop, step)`. @throws TemplateError */
export function rangeOf(args: readonly Value[], meter: Meter): Value {
  const [first = 0, second, step = 1] = args.map((arg) => wholeOf(arg));
  const [start, stop] = args.length === 1 ? [0, first] : [first, second ?? 0];
  if (step === 0) throw new TemplateError('the step of a range is 0');
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (length > MAX_RANGE) throw new TemplateError(`a range of more than ${MAX_RANGE} numbers`);
  meter.make(length * ITEM_UNITS);
  return Array.from({ length }, (_item, index) => start + index * step);
}

function wholeOf(value: Value): number | undefined {
  if (value === undefined) return undefined;
  if (!isWhole(value))
    throw new TemplateError(`a whole number is needed, not ${numberOf(value) ?? kindOf(value)}`);
  return numberOf(value);
}
