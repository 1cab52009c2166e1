import { searchCost } from './sequences.js';
import { TemplateError } from './template-error.js';
import type { Meter } from './limits.js';
import {
  areEqual,
  comparableOf,
  compareValues,
  isList,
  isMapping,
  isWhole,
  kindOf,
  numberOf,
  print,
  textOf,
  type Value,
} from './values.js';

/** A test, written after `is`. */
export interface Test {
  /** takes the value to compare with */
  readonly compares: boolean;
  readonly holds: (value: Value, other: Value, meter: Meter) => boolean;
}

const test = (holds: (value: Value) => boolean): Test => ({ compares: false, holds });
const comparison = (holds: Test['holds']): Test => ({ compares: true, holds });

const isNumber = (value: Value) => typeof value !== 'boolean' && numberOf(value) !== undefined;
function remainder(value: Value, divisor: number): number {
  const number = comparableOf(value) ?? Number.NaN;
  if (typeof number !== 'bigint') return Math.abs(number % divisor);
  return divisor !== 0 && Number.isSafeInteger(divisor)
    ? Math.abs(Number(number % BigInt(divisor)))
    : Number.NaN;
}
const equal = comparison(areEqual);

export const TESTS: ReadonlyMap<string, Test> = new Map([
  ['defined', test((value) => value !== undefined)],
  ['undefined', test((value) => value === undefined)],
  ['none', test((value) => value === undefined)],
  ['true', test((value) => value === true)],
  ['false', test((value) => value === false)],
  ['boolean', test((value) => typeof value === 'boolean')],
  ['number', test(isNumber)],
  ['integer', test((value) => isNumber(value) && isWhole(value))],
  ['float', test((value) => isNumber(value) && !isWhole(value))],
  ['string', test((value) => textOf(value) !== undefined)],
  ['sequence', test(isList)],
  ['mapping', test(isMapping)],
  ['iterable', test((value) => isList(value) || isMapping(value) || textOf(value) !== undefined)],
  ['odd', test((value) => remainder(value, 2) === 1)],
  ['even', test((value) => remainder(value, 2) === 0)],
  ['divisibleby', comparison((value, divisor) => remainder(value, numberOf(divisor) ?? 0) === 0)],
  ['eq', equal],
  ['equalto', equal],
  ['ne', comparison((value, other, meter) => !areEqual(value, other, meter))],
  ['lt', comparison((value, other, meter) => compareValues(value, other, meter) < 0)],
  ['le', comparison((value, other, meter) => compareValues(value, other, meter) <= 0)],
  ['gt', comparison((value, other, meter) => compareValues(value, other, meter) > 0)],
  ['ge', comparison((value, other, meter) => compareValues(value, other, meter) >= 0)],
  ['in', comparison((value, container, meter) => contains(container, value, meter))],
  ['startingwith', comparison((value, start) => textOf(value)?.startsWith(textOf(start) ?? '\0') === true)],
  ['endingwith', comparison((value, end) => textOf(value)?.endsWith(textOf(end) ?? '\0') === true)],
]);

/** Text holds text, a list holds items, a mapping holds keys, undefined holds nothing. @throws TemplateError */
export function contains(container: Value, value: Value, meter: Meter): boolean {
  if (container === undefined) return false;
  const text = textOf(container);
  if (text !== undefined) {
    const searched = print(value, meter);
    meter.work(searchCost(text, searched));
    return text.includes(searched);
  }
  if (isList(container)) return container.some((item) => areEqual(item, value, meter));
  if (isMapping(container)) return Object.hasOwn(container, print(value, meter));
  throw new TemplateError(`${kindOf(container)} cannot hold anything`);
}
