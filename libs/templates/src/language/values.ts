import { ITEM_UNITS, type Meter } from './limits.js';
import { TemplateError } from './template-error.js';

/**
 * The values that templates compute with: JSON, with `null` as undefined, plus the two classes below. No value is
 * callable.
 */
export type Value =
  undefined | boolean | number | string | Float | Numeral | Safe | readonly Value[] | Mapping;
export interface Mapping {
  readonly [key: string]: Value;
}

/** A whole number that is printed as a fraction: `6 / 2` is `3.0`. Other fractions are plain numbers. */
export class Float {
  constructor(readonly number: number) {}
  toJSON(): number {
    return this.number;
  }
}

/**
 * A number in the digits of the JSON that gave it: `1267890123456789012` and `1.10` are printed so. It compares as
 * a number: `3.0` is whole, as `3` is.
 */
export class Numeral {
  readonly number: number;
  readonly isWhole: boolean;

  constructor(readonly text: string) {
    this.number = Number(text);
    this.isWhole = Number.isSafeInteger(this.number) || /^-?\d+$/.test(text);
  }
  toJSON(): number {
    return this.number;
  }
}

/**
 * The values of one recipient.
 * @param json an object
 */
export function readValues(json: string): Record<string, unknown> {
  return JSON.parse(json, (_key, value: unknown, { source }) =>
    typeof value === 'number' && source !== undefined && !isPrintedAs(value, source)
      ? new Numeral(source)
      : value,
  ) as Record<string, unknown>;
}

/** Also false for a whole number that is not exact: calculations with it are rejected. */
const isPrintedAs = (number: number, source: string): boolean =>
  String(number) === source && (Number.isSafeInteger(number) || !Number.isInteger(number));

/** HTML that is not escaped again. */
export class Safe {
  constructor(readonly text: string) {}
  toJSON(): string {
    return this.text;
  }
}

export const float = (number: number): Value => (Number.isSafeInteger(number) ? new Float(number) : number);

export function isMapping(value: Value): value is Mapping {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Float) &&
    !(value instanceof Numeral) &&
    !(value instanceof Safe)
  );
}

export const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

/** @returns undefined for values other than text */
export function textOf(value: Value): string | undefined {
  if (typeof value === 'string') return value;
  return value instanceof Safe ? value.text : undefined;
}

/** @returns undefined for values other than numbers; true is 1 */
export function numberOf(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  if (value instanceof Float || value instanceof Numeral) return value.number;
  return typeof value === 'boolean' ? Number(value) : undefined;
}

export const isWhole = (value: Value): boolean =>
  typeof value === 'boolean' || Number.isSafeInteger(value) || (value instanceof Numeral && value.isWhole);

/** Digits of the largest whole number that is compared exactly, as many as 128 bits have. */
export const MAX_EXACT_DIGITS = 39;

/**
 * A number to compare with others: whole ones in all their digits. @returns undefined for values other than numbers
 */
export const comparableOf = (value: Value): number | bigint | undefined =>
  isBig(value) && value.text.length <= MAX_EXACT_DIGITS + 1 ? BigInt(value.text) : numberOf(value);

/** Whole, and in more digits than a double has. */
export const isBig = (value: Value): value is Numeral =>
  value instanceof Numeral && value.isWhole && !Number.isSafeInteger(value.number);

/** The name of its kind in errors. */
export function kindOf(value: Value): string {
  if (value === undefined || value === null) return 'undefined';
  if (typeof value === 'boolean') return 'true or false';
  if (numberOf(value) !== undefined) return 'a number';
  if (textOf(value) !== undefined) return 'text';
  return isList(value) ? 'a list' : 'a mapping';
}

export function isTruthy(value: Value): boolean {
  if (value === undefined || value === null) return false;
  const text = textOf(value);
  if (text !== undefined) return text !== '';
  const number = numberOf(value);
  if (number !== undefined) return number !== 0;
  return isList(value) ? value.length > 0 : Object.keys(value as Mapping).length > 0;
}

/** A value as it is printed, before escaping. */
export function print(value: Value, meter: Meter): string {
  return textOf(value) ?? (value === undefined || value === null ? '' : printNested(value, meter));
}

function printNested(value: Value, meter: Meter): string {
  const text = printOne(value, meter);
  meter.make(text.length);
  return text;
}

function printOne(value: Value, meter: Meter): string {
  if (value === undefined || value === null) return 'none';
  const text = textOf(value);
  if (text !== undefined) return JSON.stringify(text);
  if (typeof value === 'boolean') return String(value);
  if (value instanceof Numeral) return value.text;
  const number = numberOf(value);
  if (number !== undefined) return printNumber(number, value);
  if (isList(value)) return `[${value.map((item) => printNested(item, meter)).join(', ')}]`;
  const entries = Object.entries(value as Mapping);
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}: ${printNested(item, meter)}`).join(', ')}}`;
}

function printNumber(number: number, value: Value): string {
  if (!Number.isFinite(number)) return Number.isNaN(number) ? 'NaN' : number > 0 ? 'inf' : '-inf';
  if (value instanceof Float) return `${Object.is(number, -0) ? '-0' : number}.0`;
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? `${BigInt(number)}.0` : String(number);
}

/** `value.key` and `value[key]`: own values only, so that no property of JavaScript is visible; else undefined. */
export function itemOf(value: Value, key: Value, meter: Meter): Value {
  const number = key instanceof Numeral ? key.number : key;
  const index = Number.isSafeInteger(number) ? (number as number) : undefined;
  if (isList(value)) return index === undefined ? undefined : (value.at(index) ?? undefined);
  const text = textOf(value);
  if (text !== undefined) return index === undefined ? undefined : charactersOf(text, meter).at(index);
  const name = textOf(key);
  if (name === undefined || !isMapping(value) || !Object.hasOwn(value, name)) return undefined;
  return value[name] ?? undefined;
}

/** The items that a loop iterates over: items, characters, or keys; nothing for undefined. @throws TemplateError */
export function itemsOf(value: Value, meter: Meter): readonly Value[] {
  if (value === undefined || value === null) return [];
  if (isList(value)) return value;
  const text = textOf(value);
  if (text !== undefined) return charactersOf(text, meter);
  if (isMapping(value)) return keysOf(value, meter);
  throw new TemplateError(`${kindOf(value)} has no items`);
}

export function keysOf(mapping: Mapping, meter: Meter): string[] {
  const keys = Object.keys(mapping);
  meter.make(keys.length * ITEM_UNITS);
  return keys;
}

export function charactersOf(text: string, meter: Meter): string[] {
  meter.make(text.length * ITEM_UNITS);
  return Array.from(text);
}

/** Same number, same text, or the same items. Text and numbers are never equal. */
export function areEqual(a: Value, b: Value, meter: Meter): boolean {
  meter.work(1);
  if (a === undefined || a === null || b === undefined || b === null)
    return (a ?? b ?? undefined) === undefined;
  const [textA, textB] = [textOf(a), textOf(b)];
  if (textA !== undefined || textB !== undefined) {
    meter.work(Math.min(textA?.length ?? 0, textB?.length ?? 0));
    return textA === textB;
  }
  const [numberA, numberB] = [comparableOf(a), comparableOf(b)];
  if (numberA !== undefined || numberB !== undefined) {
    if (numberA === undefined || numberB === undefined) return false;
    // not ===: one of them may be a bigint
    return numberA <= numberB && numberA >= numberB;
  }
  if (isList(a) || isList(b)) return isList(a) && isList(b) && areEqualLists(a, b, meter);
  return areEqualMappings(a as Mapping, b as Mapping, meter);
}

function areEqualLists(a: readonly Value[], b: readonly Value[], meter: Meter): boolean {
  return a.length === b.length && a.every((item, index) => areEqual(item, b[index], meter));
}

function areEqualMappings(a: Mapping, b: Mapping, meter: Meter): boolean {
  const keys = keysOf(a, meter);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && areEqual(a[key], b[key], meter))
  );
}

/** A total order, for `<` and `sort`: by kind first (undefined, false and true, numbers, text, lists, mappings), then by value. */
export function compareValues(a: Value, b: Value, meter: Meter): number {
  meter.work(1);
  const [numberA, numberB] = [comparableOf(a), comparableOf(b)];
  if (numberA !== undefined && numberB !== undefined && rankOf(a) === rankOf(b)) {
    return numberA < numberB ? -1 : Number(numberA > numberB);
  }
  const [textA, textB] = [textOf(a), textOf(b)];
  if (textA !== undefined && textB !== undefined) {
    meter.work(Math.min(textA.length, textB.length));
    return textA < textB ? -1 : Number(textA > textB);
  }
  if (isList(a) && isList(b)) return compareLists(a, b, meter);
  return rankOf(a) - rankOf(b);
}

function compareLists(a: readonly Value[], b: readonly Value[], meter: Meter): number {
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const order = compareValues(a[index], b[index], meter);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

const rankOf = (value: Value): number =>
  ['undefined', 'true or false', 'a number', 'text', 'a list', 'a mapping'].indexOf(kindOf(value));
