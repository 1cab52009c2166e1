import { domainToASCII } from 'node:url';

const LABEL = /^[\x21-\x2d\x2f-\x7e]{1,63}$/;

/** The form in which names are compared: lower case, no trailing dot (RFC 4343). */
export function sameCase(name: string): string {
  return name.replace(/\.$/, '').toLowerCase();
}

/**
 * A host name fit for the wire (RFC 1035 §2.3.4): labels of 1-63 octets, 253 in all; IDN becomes punycode.
 * @returns the name in lower case without a trailing dot, or undefined when no packet could carry it
 */
export function wireName(text: string): string | undefined {
  const name = sameCase(text.trim());
  // domainToASCII refuses underscores in no name, but drops whole names with odd characters: only IDN needs it.
  const ascii = /[^\x00-\x7f]/.test(name) ? domainToASCII(name) : name;
  if (ascii.length === 0 || ascii.length > 253) return undefined;
  return ascii.split('.').every((label) => LABEL.test(label)) ? ascii : undefined;
}

/** `example.test` is within `example.test` and within `test`. Both in comparing form. */
export function isWithin(name: string, zone: string): boolean {
  return name === zone || name.endsWith(`.${zone}`);
}

/** `a.b.test` → `b.test`, `test`. */
export function* parentsOf(name: string): Generator<string> {
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) yield name.slice(dot + 1);
}
