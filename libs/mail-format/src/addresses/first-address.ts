import { addressParser } from 'postal-mime';

// Enough for one mailbox with its name; a flood of addresses behind it is not read.
const MAX_LENGTH = 2_000;

/**
 * The bare address of the first mailbox of an address field, members of groups among them (RFC 5322 §3.4), as it is
 * written.
 * @param value unfolded
 * @returns undefined when there is none
 */
export function firstAddress(value: string): string | undefined {
  for (const entry of addressParser(value.slice(0, MAX_LENGTH))) {
    const mailboxes = entry.group ?? [entry];
    const found = mailboxes.find(({ address }) => address?.includes('@'))?.address?.trim();
    if (found) return found;
  }
  return undefined;
}
