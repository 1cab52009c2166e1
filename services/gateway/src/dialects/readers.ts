import { isIgnoredHeader, readMailboxes, type Mailbox } from '@postmesh/mail-format';
import { FieldError, type Fragment } from './fields.js';

// Readers of single values, for the tables of the dialects.

export function text(value: unknown, name: string): string {
  if (typeof value !== 'string') throw new FieldError(name, 'must be a string');
  return value;
}

export function flag(value: unknown, name: string): boolean {
  if (typeof value !== 'boolean') throw new FieldError(name, 'must be a boolean');
  return value;
}

/** @throws FieldError for an object or a list */
export function texts(value: unknown, name: string): string[] {
  if (!Array.isArray(value)) throw new FieldError(name, 'must be an array of strings');
  return value.map((item: unknown, at) => text(item, `${name}[${at}]`));
}

export function objectOf(value: unknown, name: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new FieldError(name, 'must be an object');
  return value as Record<string, unknown>;
}

/** `Ann <ann@mail.test>, bob@mail.test`. */
export function mailboxes(value: unknown, name: string): Mailbox[] {
  const found = readMailboxes(text(value, name));
  if (!found || found.length === 0) throw new FieldError(name, 'is not a valid email address');
  return found;
}

export function mailbox(value: unknown, name: string): Mailbox {
  const [first, ...more] = mailboxes(value, name);
  if (!first || more.length > 0) throw new FieldError(name, 'must be one email address');
  return first;
}

/** One text with several mailboxes, or a list of texts. */
export const mailboxList = (value: unknown, name: string): Mailbox[] =>
  Array.isArray(value)
    ? value.flatMap((item: unknown, at) => mailboxes(item, `${name}[${at}]`))
    : mailboxes(value, name);

/** An empty list is no list: ours has at least one member. */
export const listUnlessEmpty = (field: string, list: readonly unknown[]): Fragment =>
  list.length === 0 ? {} : { [field]: list };

/** Replies may go to several mailboxes: ours has one, or the header with all of them. */
export function replyTo(boxes: readonly Mailbox[]): Fragment {
  const [first] = boxes;
  if (!first) return {};
  if (boxes.length === 1) return { reply_to: first };
  const list = boxes.map(({ name, email }) => (name ? `${quoted(name)} <${email}>` : email));
  return { headers: [{ name: 'Reply-To', value: list.join(', ') }] };
}

const quoted = (name: string): string => `"${name.replaceAll(/["\\]/g, '\\$&')}"`;

/** @throws FieldError for a header that the service writes itself: `/v2` ignores it */
export function headerField(header: string, value: string, name: string): { name: string; value: string } {
  if (isIgnoredHeader(header.toLowerCase()))
    throw new FieldError(name, `is not supported: the service writes the header ${header}`);
  return { name: header, value };
}

/** An object of texts as header fields. */
export const headerObject = (value: unknown, name: string): Fragment => ({
  headers: Object.entries(objectOf(value, name)).map(([header, given]) =>
    headerField(header, text(given, `${name}.${header}`), `${name}.${header}`),
  ),
});

/** Data of the sender about a message, for which ours has tags: `key:value`. */
export const dataTags = (value: unknown, name: string): Fragment => ({
  tags: Object.entries(objectOf(value, name)).map(
    ([key, given]) => `${key}:${typeof given === 'number' ? given : text(given, `${name}.${key}`)}`,
  ),
});

/** Content-IDs come with and without brackets and scheme; ours has brackets. */
export const contentId = (given: string): string =>
  `<${given.replace(/^cid:/i, '').replace(/^<(.*)>$/, '$1')}>`;

/** Content types by the endings of the names of common files; any other file is a stream of bytes. */
const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  gif: 'image/gif',
  htm: 'text/html',
  html: 'text/html',
  ics: 'text/calendar',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain',
  webp: 'image/webp',
  xml: 'application/xml',
  zip: 'application/zip',
};

export const UNKNOWN_TYPE = 'application/octet-stream';

export const typeOfFile = (name: string): string =>
  TYPES[name.slice(name.lastIndexOf('.') + 1).toLowerCase()] ?? UNKNOWN_TYPE;
