/** One header field as it was given: the letter case of the name is kept. */
export interface HeaderField {
  readonly name: string;
  readonly value: string;
}

// RFC 5322 §2.2: a field name is printable ASCII without the colon.
const FIELD_NAME = /^[\x21-\x39\x3b-\x7e]+$/;
// RFC 5322 §2.1.1: no line beyond 998 characters; some room is left for the name of the field.
export const LONGEST_UNFOLDABLE = 900;
// RFC 5322 and RFC 2369 define these as structured: an encoded word inside them would be read as literal text.
const STRUCTURED = new Set([
  'date',
  'in-reply-to',
  'references',
  'message-id',
  'auto-submitted',
  'list-unsubscribe-post',
  'list-unsubscribe',
  'list-subscribe',
  'list-archive',
  'list-owner',
  'list-post',
  'list-help',
  'content-type',
  'content-transfer-encoding',
  'content-disposition',
  'mime-version',
]);

export function isFieldName(name: string): boolean {
  return FIELD_NAME.test(name);
}

/** Structured fields carry ASCII only and are never written as encoded words (RFC 2047 §5). */
export function isStructured(name: string): boolean {
  return STRUCTURED.has(name.toLowerCase());
}

/**
 * Why a value cannot stand in a header field, or undefined when it can (spec 2-messages §5.2.2).
 * Line breaks and NUL are what splits a message; the rest would need an encoded word where none may stand.
 */
export function fieldValueProblem(field: HeaderField): string | undefined {
  // eslint-disable-next-line no-control-regex
  if (/[\r\n\u0000]/.test(field.value)) return 'must not contain a line break or NUL';
  if (!isStructured(field.name)) return undefined;
  if (!/^[\t\x20-\x7e]*$/.test(field.value)) return 'must be plain ASCII';
  return longestWord(field.value) > LONGEST_UNFOLDABLE
    ? 'has a part that is too long for one line'
    : undefined;
}

/** @returns the length of the longest run without a blank, where a line could not be folded */
export function longestWord(value: string): number {
  if (value.length <= LONGEST_UNFOLDABLE) return value.length;
  return value.split(/[ \t]+/).reduce((longest, word) => Math.max(longest, word.length), 0);
}
