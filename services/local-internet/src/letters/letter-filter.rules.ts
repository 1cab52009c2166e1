import type { Letter } from './letter.js';

/** Parts of the text looked for, in any letter case; what is left out fits everything. */
export interface LetterFilter {
  to?: string;
  from?: string;
  subject?: string;
  /** In any of the three. */
  any?: string;
}

/** @param filter with values already in lower case */
export function fits(letter: Letter, filter: LetterFilter): boolean {
  return (
    (filter.to === undefined || inRecipients(letter, filter.to)) &&
    (filter.from === undefined || inSender(letter, filter.from)) &&
    (filter.subject === undefined || has(letter.subject, filter.subject)) &&
    (filter.any === undefined || inAny(letter, filter.any))
  );
}

function inAny(letter: Letter, text: string): boolean {
  return inRecipients(letter, text) || inSender(letter, text) || has(letter.subject, text);
}

function inRecipients(letter: Letter, text: string): boolean {
  return letter.to.some((address) => has(address, text));
}

function inSender(letter: Letter, text: string): boolean {
  return has(letter.from, text) || has(letter.envelopeFrom, text);
}

function has(value: string, text: string): boolean {
  return value.toLowerCase().includes(text);
}
