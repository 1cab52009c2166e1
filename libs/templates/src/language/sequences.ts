import { ITEM_UNITS, type Meter } from './limits.js';
import { TemplateError } from './template-error.js';
import {
  comparableOf,
  compareValues,
  isWhole,
  itemOf,
  kindOf,
  numberOf,
  print,
  textOf,
  type Value,
} from './values.js';

export interface Comparison {
  readonly caseSensitive: boolean;
  /** path of the compared value within an item, such as `name` or `address.city` */
  readonly attribute: Value;
  readonly meter: Meter;
}

/** Sorts in place. */
export function sortItems(items: Value[], comparison: Comparison & { readonly reversed: boolean }): Value[] {
  const { meter, reversed } = comparison;
  const keyed = items.map((item) => ({ item, key: keyOf(item, comparison) }));
  meter.make(items.length * 3 * ITEM_UNITS);
  keyed.sort((a, b) => compareValues(a.key, b.key, meter) * (reversed ? -1 : 1));
  return keyed.map(({ item }) => item);
}

/** @returns the same text for items that `unique` treats as equal */
export function sameAs(item: Value, comparison: Comparison): string {
  const key = keyOf(item, comparison);
  return `${kindOf(key)} ${comparableOf(key) ?? print(key, comparison.meter)}`;
}

function keyOf(item: Value, { caseSensitive, attribute, meter }: Comparison): Value {
  const path = textOf(attribute)?.split('.') ?? [];
  const value = path.reduce<Value>(
    (inner, name) => itemOf(inner, /^\d+$/.test(name) ? Number(name) : name, meter),
    item,
  );
  const text = textOf(value);
  if (text === undefined) return value;
  meter.make(text.length);
  return caseSensitive ? text : text.toLowerCase();
}

/** Lists of this many items; the last one is padded when a filler is given. */
export function batchItems(items: readonly Value[], [size, filler]: readonly Value[], meter: Meter): Value[] {
  const count = countOf(size, 'batch');
  const batches: Value[][] = [];
  meter.make((items.length + (filler === undefined ? 0 : count)) * 2 * ITEM_UNITS);
  for (let from = 0; from < items.length; from += count) batches.push(items.slice(from, from + count));
  const lastBatch = batches.at(-1);
  while (filler !== undefined && lastBatch && lastBatch.length < count) lastBatch.push(filler);
  return batches;
}

/** This many lists of about the same length; shorter ones are padded when a filler is given. */
export function sliceItems(
  items: readonly Value[],
  [number, filler]: readonly Value[],
  meter: Meter,
): Value[] {
  const count = countOf(number, 'slice');
  meter.make((items.length + 3 * count) * ITEM_UNITS);
  const longer = items.length % count;
  const length = Math.floor(items.length / count);
  return Array.from({ length: count }, (_item, index) => {
    const from = index * length + Math.min(index, longer);
    const slice = items.slice(from, from + length + (index < longer ? 1 : 0));
    return filler !== undefined && index >= longer ? [...slice, filler] : slice;
  });
}

function countOf(value: Value, filter: string): number {
  const count = numberOf(value);
  if (count === undefined || !isWhole(value) || count < 1) {
    throw new TemplateError(`${filter} needs a whole number from 1, not ${count ?? kindOf(value)}`);
  }
  return count;
}

/** The worst case of a search is the product of both lengths, and nothing interrupts it. */
const MAX_SEARCH = 100_000_000;

/** @returns the work of finding a text in another. @throws TemplateError when that may take too long */
export function searchCost(text: string, searched: string): number {
  const worst = text.length * searched.length;
  if (worst > MAX_SEARCH) throw new TemplateError('a text to search for is too long');
  return text.length + Math.ceil(worst / 16);
}
