import { ITEM_UNITS, type Meter } from './limits.js';
import { TemplateError } from './template-error.js';

/** What a template computes with: JSON, `null` being undefined, plus the two below. Nothing of it is callable. */
export type Value = undefined | boolean | number | string | Float | Safe | readonly Value[] | Mapping;
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
    !(value instanceof Safe)
  );
}

export const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

/** @returns undefined for what is no text */
export function textOf(value: Value): string | undefined {
  if (typeof value === 'string') return value;
  return value instanceof Safe ? value.text : undefined;
}

/** @returns undefined for what is no number; true is 1 */
export function numberOf(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  if (value instanceof Float) return value.number;
  return typeof value === 'boolean' ? Number(value) : undefined;
}

export const isWhole = (value: Value): boolean => typeof value === 'boolean' || Number.isSafeInteger(value);

/** What errors call it. */
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

/** `value.key` and `value[key]`: own values only, so that nothing of JavaScript shows; else undefined. */
export function itemOf(value: Value, key: Value, meter: Meter): Value {
  const index = Number.isSafeInteger(key) ? (key as number) : undefined;
  if (isList(value)) return index === undefined ? undefined : (value.at(index) ?? undefined);
  const text = textOf(value);
  if (text !== undefined) return index === undefined ? undefined : charactersOf(text, meter).at(index);
  const name = textOf(key);
  if (name === undefined || !isMapping(value) || !Object.hasOwn(value, name)) return undefined;
  return value[name] ?? undefined;
}

/** What a loop goes over: items, characters, or keys; nothing for undefined. @throws TemplateError */
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
  const [numberA, numberB] = [numberOf(a), numberOf(b)];
  if (numberA !== undefined || numberB !== undefined) return numberA === numberB;
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
  const [numberA, numberB] = [numberOf(a), numberOf(b)];
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
