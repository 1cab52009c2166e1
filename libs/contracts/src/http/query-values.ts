import { z } from 'zod';
import { ApiErrors } from './api-error.js';
import { readTime } from './read-time.js';
import { trimText } from './white-space.js';

const FLAGS: ReadonlyMap<unknown, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/**
 * A boolean of a query, exactly `true` or `false` (spec 1-platform §1.1 rule 8): a boolean for handlers and in the API
 * document, a text on the wire.
 */
export const BooleanParameter = z.preprocess((text) => FLAGS.get(text) ?? text, z.boolean());

/** The items of a comma-separated list of a query, trimmed, without empty ones (spec 1-platform §1.1 rule 9). */
export const commaSeparated = (text: string): string[] =>
  text
    .split(',')
    .map(trimText)
    .filter((item) => item !== '');

/**
 * A time of a query; undefined when it is empty.
 * @throws ApiError 400
 */
export function timeParameter(name: string, text: string | undefined): Date | undefined {
  if (text === undefined || text === '') return undefined;
  // an unescaped plus of an offset arrives as a space
  const time = readTime(text.replace(/ (?=\d\d:\d\d$)/, '+'));
  if (!time) throw ApiErrors.invalidTime(name);
  return time;
}
