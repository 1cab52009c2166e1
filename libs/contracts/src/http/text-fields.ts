import { z } from 'zod';
import { isLongerThan } from './text-length.js';
import { isBlank, trimText } from './white-space.js';

/** Replaces half of a surrogate pair, which no database stores, by U+FFFD: in lines of imports; no request holds one. */
export const wellFormed = (text: string): string => Buffer.from(text).toString();

const MAX_SHOWN_NAME = 100;

/** A name that a client chose, shortened for an error text. */
export const shownName = (name: string): string => shortened(name, MAX_SHOWN_NAME);

/** @param max characters, without the mark of what is left out */
export const shortened = (text: string, max: number): string =>
  text.length > max ? `${wellFormed(text.slice(0, max))}…` : text;

/** A text without NUL, the one character that Postgres does not store. */
export const storableText = (field: string) =>
  z.string().refine((value) => !value.includes('\u0000'), {
    message: `${field} must not contain a NUL character`,
  });

/** One line of at most `max` characters: trimmed, line breaks become spaces. */
export const lineField = (field: string, max: number) =>
  storableText(field)
    .refine((text) => !isLongerThan(trimText(text), max), {
      message: `${field} must be at most ${max} characters`,
    })
    .transform((text) => wellFormed(trimText(text).replaceAll(/\r\n|[\r\n]/g, ' ')))
    .meta({ maxLength: max });

const MAX_NAME = 255;

/** A name: 1-255 characters, trimmed. */
export const nameField = (field = 'name') =>
  storableText(field)
    .refine((text) => !isBlank(text), { message: `${field} must not be empty` })
    .refine((text) => !isLongerThan(trimText(text), MAX_NAME), {
      message: `${field} must be at most ${MAX_NAME} characters`,
    })
    .transform((text) => wellFormed(trimText(text)))
    .meta({ minLength: 1, maxLength: MAX_NAME });
