import { Permanent } from '@postmesh/contracts';
import { encodeWords } from './encoded-word.js';
import {
  fieldValueProblem,
  isFieldName,
  isStructured,
  LONGEST_UNFOLDABLE,
  longestWord,
} from './header-field.rules.js';
import type { HeaderField } from './header-field.rules.js';
import { foldHeader } from './fold-header.js';

/** A message that must not be written: something in it would have changed its headers. */
export class UnsafeMessage extends Permanent {}

/**
 * Writes one header field, folded, without CRLF at its end. Text beyond ASCII becomes RFC 2047 encoded words.
 * @throws UnsafeMessage when the name or the value could break the header block: the checks at acceptance
 *   give a 400 first, this is the last line of defence
 */
export function writeHeader(field: HeaderField): string {
  if (!isFieldName(field.name)) throw new UnsafeMessage(`invalid header name '${printable(field.name)}'`);
  const problem = fieldValueProblem(field);
  if (problem !== undefined) throw new UnsafeMessage(`header '${field.name}' ${problem}`);
  const value = trimBlanks(field.value);
  if (!needsWords(field.name, value)) return foldHeader(`${field.name}: ${value}`);
  return foldHeader(`${field.name}: ${encodeWords(value, field.name.length + 2)}`);
}

/** Subjects are people's text: what looks like an encoded word in them is meant literally. */
export function writeText(name: string, text: string): string {
  if (!text.includes('=?')) return writeHeader({ name, value: text });
  const problem = fieldValueProblem({ name, value: text });
  if (problem !== undefined) throw new UnsafeMessage(`header '${name}' ${problem}`);
  return foldHeader(`${name}: ${encodeWords(trimBlanks(text), name.length + 2)}`);
}

/** Blanks at the edges belong to the syntax of a field, not to its value (RFC 5322 §2.2). */
function trimBlanks(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && (value[start] === ' ' || value[start] === '\t')) start++;
  while (end > start && (value[end - 1] === ' ' || value[end - 1] === '\t')) end--;
  return value.slice(start, end);
}

function needsWords(name: string, value: string): boolean {
  if (isStructured(name)) return false;
  return !/^[\t\x20-\x7e]*$/.test(value) || longestWord(value) > LONGEST_UNFOLDABLE;
}

function printable(name: string): string {
  return name.slice(0, 80).replace(/[^\x20-\x7e]/g, '?');
}
