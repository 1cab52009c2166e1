import type { Meter } from './limits.js';
import { Float, isList, type Mapping, Numeral, numberOf, textOf, type Value } from './values.js';

/**
 * A value as JSON. Not by JSON.stringify: nested lists that each hold the next one twice are small, but their JSON
 * is not.
 * @param indent of one level; '' = all in one line
 */
export function toJson(value: Value, indent: string, meter: Meter): string {
  const write = (inner: Value, margin: string): string => {
    const json = writeOne(inner, margin);
    meter.make(json.length);
    return json;
  };
  const writeOne = (inner: Value, margin: string): string => {
    if (inner === undefined || inner === null) return 'null';
    const text = textOf(inner);
    if (text !== undefined) return JSON.stringify(text);
    if (typeof inner === 'boolean') return String(inner);
    if (inner instanceof Numeral) return inner.text;
    const number = numberOf(inner);
    if (number !== undefined) return inner instanceof Float ? `${number}.0` : JSON.stringify(number);
    const deeper = margin + indent;
    if (isList(inner))
      return enclose(
        '[',
        inner.map((item) => write(item, deeper)),
        ']',
        margin,
      );
    const members = Object.entries(inner as Mapping).map(
      ([key, item]) => `${JSON.stringify(key)}:${indent === '' ? '' : ' '}${write(item, deeper)}`,
    );
    return enclose('{', members, '}', margin);
  };
  const enclose = (open: string, parts: readonly string[], close: string, margin: string): string => {
    if (indent === '' || parts.length === 0) return `${open}${parts.join(',')}${close}`;
    const line = `\n${margin}`;
    return `${open}${line}${indent}${parts.join(`,${line}${indent}`)}${line}${close}`;
  };
  return write(value, '');
}
