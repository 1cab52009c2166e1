import { addressParser, type Address } from 'postal-mime';
import type { Mailbox } from './address-list.js';

// Enough for one mailbox with its name; a flood of addresses behind it is not read.
const MAX_LENGTH = 2_000;
// A thousand mailboxes with names. Nested groups take quadratic time: this many characters of them, 0.1 s.
const MAX_LIST_LENGTH = 65_536;

/**
 * The bare address of the first mailbox of an address field, members of groups among them (RFC 5322 §3.4), as it is
 * written.
 * @param value unfolded
 * @returns undefined when there is none
 */
export function firstAddress(value: string): string | undefined {
  return mailboxesOf(value.slice(0, MAX_LENGTH)).find(({ email }) => email.includes('@'))?.email;
}

/**
 * The mailboxes of a text such as `Ann <ann@mail.test>, bob@mail.test`, members of groups among them. Addresses are not
 * checked beyond their `@`.
 * @returns undefined when a part of it is no mailbox, or the text is longer than 64 KiB
 */
export function readMailboxes(value: string): Mailbox[] | undefined {
  if (value.length > MAX_LIST_LENGTH) return undefined;
  const mailboxes = mailboxesOf(value);
  return mailboxes.every(({ email }) => email.includes('@')) ? mailboxes : undefined;
}

const mailboxesOf = (value: string): Mailbox[] =>
  addressParser(value)
    .flatMap((entry): Address[] => entry.group ?? [entry])
    .map(({ name, address = '' }) => ({ email: address.trim(), ...(name ? { name } : {}) }));
