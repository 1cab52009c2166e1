import { ApiError } from '@postmesh/contracts';
import type { EmailAddress, Mailbox } from '@postmesh/mail-format';
import type { Shield } from '../recipient-shields/recipient-shields.rules.js';
import type { ConversationBody, RecipientBody } from './conversation.schema.js';
import { requireAddress, requireOneLine } from './shared-fields.rules.js';

const MOST_RECIPIENTS = 50;

export interface ConversationRecipient {
  given: RecipientBody;
  address: EmailAddress;
  name: string;
}

export interface ConversationRecipients {
  to: ConversationRecipient[];
  cc: ConversationRecipient[];
  bcc: ConversationRecipient[];
  /** each address once, order to, cc, bcc; the first place wins (spec 2-messages §1.3 rule 4) */
  distinct: ConversationRecipient[];
}

/** @throws ApiError 400 for more than 50 recipients or a bad address */
export function readRecipients(body: ConversationBody): ConversationRecipients {
  const count = body.to.length + (body.cc?.length ?? 0) + (body.bcc?.length ?? 0);
  if (count > MOST_RECIPIENTS)
    throw new ApiError(400, `to, cc and bcc together must have at most ${MOST_RECIPIENTS} recipients`);
  const to = readList(body.to, 'to');
  const cc = readList(body.cc ?? [], 'cc');
  const bcc = readList(body.bcc ?? [], 'bcc');
  return { to, cc, bcc, distinct: distinctByAddress([...to, ...cc, ...bcc]) };
}

function readList(list: readonly RecipientBody[], field: string): ConversationRecipient[] {
  return list.map((given, index) => ({
    given,
    address: requireAddress(given.email, `${field}[${index}].email`),
    name: requireOneLine(given.name ?? '', `${field}[${index}].name`).trim(),
  }));
}

function distinctByAddress(list: readonly ConversationRecipient[]): ConversationRecipient[] {
  const seen = new Set<string>();
  return list.filter(({ address }) => !seen.has(address.address) && seen.add(address.address));
}

const NEEDS_SMTPUTF8 = '553 Requested action not taken: the address needs SMTPUTF8, which is not supported';

/** What keeps a message from one recipient while the others get it (spec 2-messages §1.5). */
export function recipientError({ address }: ConversationRecipient, shield: Shield): string | undefined {
  return address.needsSmtpUtf8 ? NEEDS_SMTPUTF8 : shield(address.domain);
}

/** As it stands in To or Cc, also when the message does not go there; what cannot be written in ASCII is left out. */
export function headerMailboxes(list: readonly ConversationRecipient[]): Mailbox[] {
  return list
    .filter(({ address }) => !address.needsSmtpUtf8)
    .map(({ address, name }) => ({ email: address.address, ...(name === '' ? {} : { name }) }));
}
