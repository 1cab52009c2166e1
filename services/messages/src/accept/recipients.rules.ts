import { ApiError, trimText } from '@postmesh/contracts';
import type { EmailAddress, Mailbox } from '@postmesh/mail-format';
import {
  MAX_CONVERSATION_RECIPIENTS,
  MAX_RECIPIENTS,
  type ConversationBody,
  type RecipientBody,
} from './send.schema.js';
import { requireAddress, requireOneLine } from './shared-fields.rules.js';

/** A parsed recipient of a request. */
export interface Recipient {
  given: RecipientBody;
  address: EmailAddress;
  /** '' when there is none */
  name: string;
}

/**
 * Each entry is a message of its own; duplicate addresses too.
 * @throws ApiError 400 for none, for more than 100, or for a bad address
 */
export function readRecipients(list: readonly RecipientBody[]): Recipient[] {
  requireCount(list, 'recipients', MAX_RECIPIENTS);
  return readList(list, 'recipients');
}

export interface ConversationRecipients {
  to: Recipient[];
  cc: Recipient[];
  /** each address once, in the order to, cc, bcc; the first occurrence wins (spec 2-messages §1.3 rule 4) */
  distinct: Recipient[];
}

/** @throws ApiError 400 for an empty list, for more than 50 in all, or for a bad address */
export function readConversationRecipients(input: ConversationBody): ConversationRecipients {
  for (const field of ['to', 'cc', 'bcc'] as const) {
    const list = input[field];
    if (list) requireCount(list, field, MAX_CONVERSATION_RECIPIENTS);
  }
  const { to } = input;
  const cc = input.cc ?? [];
  const bcc = input.bcc ?? [];
  if (to.length + cc.length + bcc.length > MAX_CONVERSATION_RECIPIENTS) {
    const text = `to, cc and bcc together must have at most ${MAX_CONVERSATION_RECIPIENTS} recipients`;
    throw new ApiError(400, text);
  }
  const read = { to: readList(to, 'to'), cc: readList(cc, 'cc'), bcc: readList(bcc, 'bcc') };
  return { to: read.to, cc: read.cc, distinct: distinctByAddress([...read.to, ...read.cc, ...read.bcc]) };
}

function requireCount(list: readonly unknown[], field: string, most: number): void {
  if (list.length === 0) throw new ApiError(400, `${field} must have at least 1 items`);
  if (list.length > most) throw new ApiError(400, `${field} must have at most ${most} items`);
}

function readList(list: readonly RecipientBody[], field: string): Recipient[] {
  return list.map((given, index) => ({
    given,
    address: requireAddress(given.email, `${field}[${index}].email`),
    name: trimText(requireOneLine(given.name ?? '', `${field}[${index}].name`)),
  }));
}

function distinctByAddress(list: readonly Recipient[]): Recipient[] {
  const seen = new Set<string>();
  return list.filter(({ address }) => !seen.has(address.address) && seen.add(address.address));
}

/** As in the header fields To and Cc. */
export const mailboxOf = ({ address, name }: Recipient): Mailbox =>
  name === '' ? { email: address.address } : { email: address.address, name };
