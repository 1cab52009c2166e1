import { trimText } from '@postmesh/contracts';
import { parseEmailAddress } from '@postmesh/mail-format';

/**
 * The one spelling of a contact's address (spec 3-marketing §0 rule 10): trimmed, lower case, the domain as A-labels, as
 * messages and suppressions have it.
 * @returns undefined for what mail cannot be sent to, and for a quoted local part with an @
 */
export function readContactEmail(text: string): string | undefined {
  const parsed = parseEmailAddress(trimText(text));
  if (!parsed.ok) return undefined;
  const { address } = parsed.address;
  return address.indexOf('@') === address.lastIndexOf('@') ? address : undefined;
}

// What is longer is no address (RFC 5321 §4.5.3.1.3), and a batch of them no response.
const MAX_SHOWN = 254;

/** For an answer about an address that may be none: what of it there is. */
export function shownEmail(given: unknown): string {
  const text = typeof given === 'string' ? trimText(given) : '';
  return text.length > MAX_SHOWN ? '' : (readContactEmail(text) ?? text.toLowerCase());
}
