import { domainToASCII } from 'node:url';

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * The one spelling of a domain name (spec 1-platform §1.2): trimmed, lower case, no trailing dot, A-labels.
 * @returns undefined when it is not a fully qualified name of two or more labels
 */
export function normaliseDomain(text: string): string | undefined {
  const trimmed = text.trim().replace(/\.$/, '');
  // domainToASCII also reads percent escapes and IPv4 shorthand, which are no domain names
  if (trimmed === '' || /[\s%/@:?#[\]\\]/.test(trimmed)) return undefined;
  const ascii = (/^[\x21-\x7e]+$/.test(trimmed) ? trimmed : domainToASCII(trimmed)).toLowerCase();
  const labels = ascii.split('.');
  if (ascii.length > 253 || labels.length < 2 || !labels.every((label) => LABEL.test(label)))
    return undefined;
  return /^\d+$/.test(labels.at(-1) ?? '') ? undefined : ascii;
}
