// What several commands ask in the same way.
import { OperatorTrouble } from './trouble.mjs';

/** @returns `?a=1&b=2` of what is given; empty when nothing is */
export function queryOf(values) {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

/** The address of an account's thing. */
export const accountPath = (id, rest = '') => `/operator/accounts/accounts/${encodeURIComponent(id)}${rest}`;

/** The options of every list that has pages. */
export const PAGE_OPTIONS = {
  limit: { value: '<1-100>', help: 'how many at most (100)' },
  after: { value: '<cursor>', help: 'the next page: the cursor that the page before ends with' },
};

/** @throws OperatorTrouble */
export function readNumber(text, name) {
  if (!/^\d{1,12}$/.test(text)) throw new OperatorTrouble(`--${name} must be a whole number, not '${text}'`);
  return Number(text);
}

/** @throws OperatorTrouble */
export function readSwitch(text, name) {
  if (text === 'on') return true;
  if (text === 'off') return false;
  throw new OperatorTrouble(`--${name} must be on or off, not '${text}'`);
}

/** `100/200` = per second and burst; `default` = what the settings say. @throws OperatorTrouble */
export function readRate(text, name) {
  if (text === 'default') return null;
  const [, perSecond, burst] = /^(\d{1,7})\/(\d{1,7})$/.exec(text) ?? [];
  if (perSecond === undefined) {
    throw new OperatorTrouble(`--${name} must be <per second>/<burst>, such as 100/200, or default`);
  }
  return { per_second: Number(perSecond), burst: Number(burst) };
}

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time as the interface reads it: RFC 3339 as it is, a day in UTC, or `30m`, `24h`, `7d` ago. */
export function readTime(text, now = Date.now()) {
  if (text === undefined) return undefined;
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return `${text}T00:00:00Z`;
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  return count === undefined ? text : new Date(now - Number(count) * UNITS[unit]).toISOString();
}

/** The options that were given, read. @param readers name of the option → [name of the field, reader] */
export function fieldsOf(options, readers) {
  const given = Object.entries(readers).filter(([option]) => options[option] !== undefined);
  return Object.fromEntries(
    given.map(([option, [field, read = (text) => text]]) => [field, read(options[option], option)]),
  );
}
