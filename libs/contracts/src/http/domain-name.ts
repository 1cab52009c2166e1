import { domainToASCII } from 'node:url';
import { trimText } from './white-space.js';

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const NAME = new RegExp(`^(?:${LABEL}\\.)+(?!\\d+$)${LABEL}$`);
const MAX_CHARACTERS = 253;
// Characters of other scripts may become fewer A-labels. A longer text is refused before anything is done with it.
const MAX_INPUT_CHARACTERS = 1_000;

/**
 * The one spelling of a domain name (spec 1-platform §1.2): trimmed, lower case, no trailing dot, A-labels.
 * @returns undefined when it is not a fully qualified name of two or more labels
 */
export function normaliseDomain(text: string): string | undefined {
  // most are in that spelling already
  if (text.length <= MAX_CHARACTERS && NAME.test(text)) return text;
  const given = trimText(text);
  if (given.length > MAX_INPUT_CHARACTERS) return undefined;
  const trimmed = given.replace(/\.$/, '');
  // domainToASCII also reads percent escapes and IPv4 shorthand, which are no domain names
  if (trimmed === '' || /[\s%/@:?#[\]\\]/.test(trimmed)) return undefined;
  const ascii = (/^[\x21-\x7e]+$/.test(trimmed) ? trimmed : domainToASCII(trimmed)).toLowerCase();
  return ascii.length <= MAX_CHARACTERS && NAME.test(ascii) ? ascii : undefined;
}
