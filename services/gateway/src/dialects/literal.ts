import { ApiErrors } from '@postmesh/contracts';
import { FieldError, type Fragment } from './fields.js';

// Placeholders of other services that are replaced as they are written, without a language.

/** A text, by the placeholder. */
export type Placeholders = ReadonlyMap<string, string>;

/** Subject and bodies of a message: what placeholders are replaced in. */
const TEXTS = ['subject', 'text_content', 'html_content', 'amp_content'] as const;

// Replacing takes up to 5 ns for each character and placeholder: 25 ms for one message.
const MAX_WORK = 5_000_000;
/** of one text: no message may be longer (spec 2-messages §5.4) */
const MAX_CHARACTERS = 20_971_520;
/**
 * One request of theirs can ask for a thousand messages with the same attachments, and each is a request of ours: what they
 * are in all is bounded, too.
 */
const MAX_TOTAL_CHARACTERS = 300_000_000;

const textsOf = (message: Fragment): [string, string][] =>
  TEXTS.flatMap((name) => {
    const source = message[name];
    return typeof source === 'string' ? [[name, source] satisfies [string, string]] : [];
  });

/**
 * @param field of the request that asks for copies
 * @param message what all copies have
 * @throws FieldError for more copies than one request may make
 */
export function requireCopies(field: string, message: Fragment, copies: number): void {
  if (copies > 1 && JSON.stringify(message).length * copies > MAX_TOTAL_CHARACTERS)
    throw new FieldError(
      field,
      `are more than ${MAX_TOTAL_CHARACTERS} bytes with the content of each, send fewer at once`,
    );
}

/** @throws FieldError for more placeholders than are replaced in texts of this length */
export function requireReplaceable(field: string, message: Fragment, placeholders: Placeholders): void {
  const length = textsOf(message).reduce((sum, [, source]) => sum + source.length, 0);
  if (length * placeholders.size > MAX_WORK)
    throw new FieldError(field, `has too many placeholders for a content of ${length} characters`);
}

/** A message with all placeholders replaced. @throws ApiError 413 when a text becomes longer than a message may be */
export const withReplaced = (message: Fragment, placeholders: Placeholders): Fragment => ({
  ...message,
  ...Object.fromEntries(textsOf(message).map(([name, source]) => [name, replaced(source, placeholders)])),
});

/** In one pass: a value that looks like a placeholder stays as it is. The longest placeholder wins. */
function replaced(source: string, placeholders: Placeholders): string {
  if (placeholders.size === 0) return source;
  const names = [...placeholders.keys()].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(names.map(escaped).join('|'), 'g');
  let length = source.length;
  return source.replace(pattern, (name) => {
    const value = placeholders.get(name) ?? name;
    length += value.length - name.length;
    if (length > MAX_CHARACTERS) throw ApiErrors.bodyTooLarge();
    return value;
  });
}

const escaped = (name: string): string => name.replaceAll(/[$()*+./?[\\\]^{|}-]/g, '\\$&');
