import { quoted } from './translation.js';

type Apply = (values: readonly string[], texts: readonly (string | undefined)[]) => string | undefined;

/** A helper as an expression of our language; undefined for other arguments than it has. */
export interface Helper {
  /** of a block `{{#name …}}`, or an argument `(name …)` */
  readonly condition?: Apply;
  /** of `{{name …}}` */
  readonly value?: Apply;
}

const two =
  (operator: string): Apply =>
  ([a, b, ...more]) =>
    a === undefined || b === undefined || more.length > 0 ? undefined : `${a} ${operator} ${b}`;
const all =
  (operator: string): Apply =>
  (values) =>
    values.length < 2 ? undefined : values.join(` ${operator} `);

const lookup: Apply = ([list, at, ...more]) =>
  list === undefined || at === undefined || more.length > 0 ? undefined : `${list}[${at}]`;

/** `{{insert name "default=there"}}` */
const insert: Apply = ([value], [, given]) => {
  if (value === undefined) return undefined;
  if (given === undefined) return value;
  return given.startsWith('default=')
    ? `${value}|default(${quoted(given.slice('default='.length))}, true)`
    : undefined;
};

/** Beyond `if`, `unless`, `each` and `with`. The pages are in the tables of the sources. */
export const HELPERS: Readonly<
  Record<'handlebars' | 'sendgrid' | 'mailgun', Readonly<Record<string, Helper>>>
> = {
  handlebars: { lookup: { value: lookup, condition: lookup } },
  sendgrid: {
    equals: { condition: two('==') },
    notEquals: { condition: two('!=') },
    greaterThan: { condition: two('>') },
    lessThan: { condition: two('<') },
    and: { condition: all('and') },
    or: { condition: all('or') },
    insert: { value: insert },
    length: {
      value: ([list, ...more]) => (list === undefined || more.length > 0 ? undefined : `${list}|length`),
    },
  },
  mailgun: { equal: { condition: two('==') } },
};
