import type { SmtpReply } from '@postmesh/messages-contract';
import { parseEmailAddress, type EmailAddress } from '@postmesh/mail-format';
import { REPLIES } from '../replies.table.js';

export type ReadRecipient =
  { readonly ok: true; readonly address: EmailAddress } | { readonly ok: false; readonly reply: SmtpReply };

/** @param given the path of RCPT TO without its angle brackets */
export function readRecipient(given: string): ReadRecipient {
  const parsed = parseEmailAddress(given);
  if (parsed.ok) return parsed;
  return {
    ok: false,
    reply: parsed.problem === 'IP address literal' ? REPLIES.ipLiteral : REPLIES.badRecipient,
  };
}

/** A message may be somewhat larger than its SIZE: clients count line ends in their own way (RFC 1870 §6.3). */
const SLACK = 1.25;
const SLACK_BYTES = 65_536;

/** The limit of bytes that are read of a message. @param declared the parameter SIZE */
export function sizeBound(
  declared: number | undefined,
  limit: number,
): { maxBytes: number; declared: boolean } {
  if (!declared) return { maxBytes: limit, declared: false };
  const bound = Math.ceil(Math.max(declared * SLACK, declared + SLACK_BYTES));
  return bound < limit ? { maxBytes: bound, declared: true } : { maxBytes: limit, declared: false };
}
