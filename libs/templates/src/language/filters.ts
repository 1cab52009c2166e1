import { encodeUrl, escapeHtml, escapeJson, rewrite } from './escape.js';
import { toJson } from './json.js';
import { ITEM_UNITS, type Meter } from './limits.js';
import { sameAs, searchCost, sortItems, sliceItems, batchItems } from './sequences.js';
import { TemplateError } from './template-error.js';
import {
  charactersOf,
  float,
  isBig,
  isMapping,
  isTruthy,
  isWhole,
  itemsOf,
  keysOf,
  kindOf,
  numberOf,
  print,
  Safe,
  textOf,
  type Value,
} from './values.js';

export interface Filter {
  /** names of the arguments, by position */
  readonly parameters: readonly string[];
  /** how many of them must be given */
  readonly required: number;
  readonly apply: (value: Value, args: readonly Value[], meter: Meter) => Value;
}

type Apply = Filter['apply'];

const filter = (apply: Apply, parameters: readonly string[] = [], required = 0): Filter => ({
  parameters,
  required,
  apply,
});

/** A filter of text. Undefined stays undefined, so that a `default` after it applies. */
const ofText = (
  apply: (text: string, args: readonly Value[], meter: Meter) => Value,
  parameters: readonly string[] = [],
  required = 0,
): Filter =>
  filter(
    (value, args, meter) => {
      if (value === undefined) return undefined;
      const text = print(value, meter);
      meter.make(text.length);
      return apply(text, args, meter);
    },
    parameters,
    required,
  );

const applyDefault: Apply = (value, [other, alsoFalsy]) =>
  value === undefined || (isTruthy(alsoFalsy) && !isTruthy(value)) ? (other ?? '') : value;

const applyEscape: Apply = (value, _args, meter) =>
  value === undefined || value instanceof Safe
    ? value
    : new Safe(rewrite(print(value, meter), escapeHtml, meter));

/** As Jinja does: each run of characters between spaces and signs begins with a capital. */
const title = (text: string) =>
  text
    .toLowerCase()
    .replace(
      /(^|[\s!-/:-@[-`{-~])(\p{Ll})/gu,
      (_match, before: string, first: string) => before + first.toUpperCase(),
    );

function capitalize(text: string): string {
  const [first = ''] = text.slice(0, 2);
  return first.toUpperCase() + text.slice(first.length).toLowerCase();
}

/** The most characters that `trim` accepts: more are a mistake. */
const MAX_TRIMMED = 100;

function trim(text: string, [characters]: readonly Value[]): string {
  if (characters === undefined) return text.trim();
  const trimmed = new Set(textOf(characters)?.slice(0, MAX_TRIMMED));
  let from = 0;
  let to = text.length;
  while (from < to && trimmed.has(text.charAt(from))) from += 1;
  while (to > from && trimmed.has(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

const TRUNCATED_LENGTH = 255;
/** An excess of this many characters is kept: a cut would save nothing. */
const TRUNCATE_LEEWAY = 5;

/** As Jinja does: cut after the last word that fits with the end, or within a word when `killwords` is set. */
function truncate(text: string, [length, killwords, end, leeway]: readonly Value[], meter: Meter): string {
  const characters = charactersOf(text, meter);
  const most = countOf(length, TRUNCATED_LENGTH);
  if (characters.length <= most + countOf(leeway, TRUNCATE_LEEWAY)) return text;
  const tail = end === undefined ? '...' : print(end, meter);
  const kept = characters.slice(0, Math.max(0, most - charactersOf(tail, meter).length)).join('');
  const lastSpace = isTruthy(killwords) ? -1 : kept.lastIndexOf(' ');
  return (lastSpace < 0 ? kept : kept.slice(0, lastSpace)) + tail;
}

function countOf(value: Value, otherwise: number): number {
  if (value === undefined) return otherwise;
  const count = numberOf(value);
  if (count === undefined || !isWhole(value) || count < 0) {
    throw new TemplateError(`truncate needs a whole number from 0, not ${count ?? kindOf(value)}`);
  }
  return count;
}

function replace(text: string, [from, to]: readonly Value[], meter: Meter): string {
  const [old, replacement] = [print(from, meter), print(to, meter)];
  meter.work(searchCost(text, old));
  const pieces = old === '' ? ['', ...charactersOf(text, meter), ''] : text.split(old);
  meter.make(pieces.length * (ITEM_UNITS + replacement.length));
  return pieces.join(replacement);
}

const length: Apply = (value, _args, meter) => {
  const text = textOf(value);
  if (text === undefined) return itemsOf(value, meter).length;
  meter.work(text.length);
  let count = 0;
  for (const _character of text) count += 1;
  return count;
};

const join: Apply = (value, [separator], meter) => {
  const between = print(separator, meter);
  const items = itemsOf(value, meter);
  meter.make(items.length * (ITEM_UNITS + between.length));
  const texts = items.map((item) => {
    const text = print(item, meter);
    meter.make(text.length);
    return text;
  });
  return texts.join(between);
};

const first: Apply = (value, _args, meter) =>
  value === undefined ? undefined : (itemsOf(value, meter)[0] ?? undefined);
const last: Apply = (value, _args, meter) =>
  value === undefined ? undefined : (itemsOf(value, meter).at(-1) ?? undefined);

const round: Apply = (value, [precision]) => {
  if (value === undefined) return undefined;
  const number = numberOf(value);
  if (number === undefined) throw new TemplateError(`round needs a number, not ${kindOf(value)}`);
  if (isWhole(value)) return value;
  const factor = 10 ** (numberOf(precision) ?? 0);
  // halves round away from zero
  const rounded = (Math.sign(number) * Math.round(Math.abs(number) * factor)) / factor;
  return float(Number.isFinite(rounded) ? rounded : number);
};

/** The number that a value or a text is; else the argument of the filter, or 0. */
const readNumber: Apply = (value, [other]) => {
  const text = textOf(value)?.trim();
  const number =
    text === undefined
      ? numberOf(value)
      : /^[-+]?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text)
        ? Number(text)
        : undefined;
  return number ?? other ?? 0;
};

const int: Apply = (value, args, meter) => {
  if (isBig(value)) return value;
  const number = readNumber(value, args, meter);
  const whole = Math.trunc(numberOf(number) ?? 0) || 0;
  if (!Number.isSafeInteger(whole)) throw new TemplateError('the number is too large');
  return numberOf(number) === undefined ? number : whole;
};

const toFloat: Apply = (value, args, meter) => {
  const result = readNumber(value, args, meter);
  const number = numberOf(result);
  return number === undefined ? result : float(number);
};

const reverse: Apply = (value, _args, meter) => {
  const text = textOf(value);
  if (text !== undefined) return charactersOf(text, meter).reverse().join('');
  return value === undefined ? undefined : copyItems(value, meter).reverse();
};

function copyItems(value: Value, meter: Meter): Value[] {
  const items = itemsOf(value, meter);
  meter.make(items.length * ITEM_UNITS);
  return [...items];
}

const unique: Apply = (value, [caseSensitive, attribute], meter) => {
  const seen = new Set<string>();
  return copyItems(value, meter).filter((item) => {
    const key = sameAs(item, { caseSensitive: isTruthy(caseSensitive), attribute, meter });
    return seen.size < seen.add(key).size;
  });
};

const urlencode: Apply = (value, _args, meter) => {
  // invalid Unicode becomes U+FFFD, as in everything that is sent in UTF-8
  const encode = (part: Value) => rewrite(Buffer.from(print(part, meter)).toString(), encodeUrl, meter);
  if (value === undefined) return undefined;
  if (!isMapping(value)) return encode(value);
  return keysOf(value, meter)
    .map((key) => `${encode(key)}=${encode(value[key])}`)
    .join('&');
};

const tojson: Apply = (value, [indent], meter) => {
  const spaces = indent === true ? 2 : Math.max(0, Math.min(10, numberOf(indent) ?? 0));
  return new Safe(rewrite(toJson(value, ' '.repeat(spaces), meter), escapeJson, meter));
};

const items: Apply = (value, _args, meter) => {
  if (value === undefined) return [];
  if (!isMapping(value)) throw new TemplateError(`items needs a mapping, not ${kindOf(value)}`);
  const keys = keysOf(value, meter);
  meter.make(keys.length * 3 * ITEM_UNITS);
  return keys.map((key) => [key, value[key]]);
};

const withDefault = filter(applyDefault, ['default_value', 'boolean']);
const escape = filter(applyEscape);

/** All filters of the language (spec 2-messages §4 rule 1). Undefined is never an error to them (rule 3). */
export const FILTERS: ReadonlyMap<string, Filter> = new Map([
  ['default', withDefault],
  ['d', withDefault],
  ['safe', ofText((text) => new Safe(text))],
  ['escape', escape],
  ['e', escape],
  ['upper', ofText((text) => text.toUpperCase())],
  ['lower', ofText((text) => text.toLowerCase())],
  ['title', ofText(title)],
  ['capitalize', ofText(capitalize)],
  ['trim', ofText(trim, ['chars'])],
  ['length', filter(length)],
  ['join', filter(join, ['d'])],
  ['truncate', ofText(truncate, ['length', 'killwords', 'end', 'leeway'])],
  ['replace', ofText(replace, ['old', 'new'], 2)],
  ['first', filter(first)],
  ['last', filter(last)],
  ['round', filter(round, ['precision'])],
  ['int', filter(int, ['default'])],
  ['float', filter(toFloat, ['default'])],
  ['list', filter((value, _args, meter) => copyItems(value, meter))],
  [
    'sort',
    filter(
      (value, [reversed, caseSensitive, attribute], meter) =>
        sortItems(copyItems(value, meter), {
          reversed: isTruthy(reversed),
          caseSensitive: isTruthy(caseSensitive),
          attribute,
          meter,
        }),
      ['reverse', 'case_sensitive', 'attribute'],
    ),
  ],
  ['reverse', filter(reverse)],
  ['unique', filter(unique, ['case_sensitive', 'attribute'])],
  ['urlencode', filter(urlencode)],
  ['tojson', filter(tojson, ['indent'])],
  [
    'batch',
    filter(
      (value, args, meter) => batchItems(itemsOf(value, meter), args, meter),
      ['linecount', 'fill_with'],
      1,
    ),
  ],
  [
    'slice',
    filter(
      (value, args, meter) => sliceItems(itemsOf(value, meter), args, meter),
      ['slices', 'fill_with'],
      1,
    ),
  ],
  ['items', filter(items)],
]);
