import type { DomainFacts } from '@postmesh/domains-contract';
import type { SmtpReply, Submitter } from '@postmesh/messages-contract';
import { parseEmailAddress, type EmailAddress } from '@postmesh/mail-format';
import { DOMAIN_TEXTS } from '../accept/sending-domain.rules.js';

// Replies of a listener about senders (spec 2-messages §13.6). Enhanced codes are those of RFC 3463 and RFC 7372.

const reply = (code: number, enhanced: string, text: string): SmtpReply => ({ code, enhanced, text });

const NULL_SENDER = reply(550, '5.1.7', 'mail with the null sender is not accepted here');
export const OUT_OF_CREDIT = reply(521, '5.7.1', 'monthly sending limit reached');

type ReadSender = { ok: true; address: EmailAddress } | { ok: false; reply: SmtpReply };

/** The address of MAIL FROM. Senders are ASCII, as in the API: their bounces pass any server. */
export function readSender(sender: string): ReadSender {
  if (sender === '') return { ok: false, reply: NULL_SENDER };
  const read = parseEmailAddress(sender);
  if (!read.ok) return { ok: false, reply: reply(553, '5.1.7', 'the sender is not a valid address') };
  if (!read.address.needsSmtpUtf8) return read;
  return { ok: false, reply: reply(553, '5.6.7', 'the sender must be an ASCII address') };
}

/** Spec 1-platform §2.5: a suspended account may not send, not even to the sandbox. */
export function accountProblem({ blocked, account: { status } }: Submitter): SmtpReply | undefined {
  return blocked || status !== 'active' ? reply(521, '5.7.1', 'account is suspended') : undefined;
}

/**
 * The reason why a credential may not send from a domain, in the order of the API (spec 2-messages §1.2): owned, in
 * scope, DNS valid, not paused unless the message is for the sandbox (spec 2-messages §10 rule 2).
 * @param facts undefined: the account does not own it
 */
export function domainProblem(
  submitter: Submitter,
  domain: string,
  { facts, sandbox }: { facts: DomainFacts | undefined; sandbox: boolean },
): SmtpReply | undefined {
  if (!facts || facts.deleted) return reply(556, '5.1.8', DOMAIN_TEXTS.unknown(domain));
  if (submitter.scope === 'scoped' && !submitter.domains.includes(domain)) return outOfScope(submitter);
  if (!facts.dns_valid) return reply(556, '5.1.8', DOMAIN_TEXTS.invalid(domain));
  if (facts.paused && !sandbox) return reply(550, '5.7.1', DOMAIN_TEXTS.paused(domain));
  return undefined;
}

/** Literal (spec 2-messages §13.6). */
const outOfScope = ({ username, account_id: account }: Submitter): SmtpReply =>
  reply(
    550,
    '5.7.1',
    `authz_id '${username}' is not authorized to send as tenant '${account}' or from this domain`,
  );
