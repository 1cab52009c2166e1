import { trimText } from '@postmesh/contracts';
import { parseEmailAddress } from '@postmesh/mail-format';

/**
 * The canonical spelling of a contact's address (spec 3-marketing §0 rule 10): trimmed, lower case, the domain as
 * A-labels, as in messages and suppressions.
 * @returns undefined for an address that cannot get mail, and for a quoted local part with an @
 */
export function readContactEmail(text: string): string | undefined {
  const parsed = parseEmailAddress(trimText(text));
  if (!parsed.ok) return undefined;
  const { address } = parsed.address;
  return address.indexOf('@') === address.lastIndexOf('@') ? address : undefined;
}

// A longer text is no address (RFC 5321 §4.5.3.1.3), and would enlarge the response of a batch.
const MAX_SHOWN = 254;

/** The beginning of a possibly invalid address, for a response. */
export function shownEmail(given: unknown): string {
  const text = typeof given === 'string' ? trimText(given) : '';
  return text.length > MAX_SHOWN ? '' : (readContactEmail(text) ?? text.toLowerCase());
}
