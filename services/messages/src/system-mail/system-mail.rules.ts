import { backoffMs } from '@postmesh/concurrency';
import { derivedId, SYSTEM_ACCOUNT_ID, type MessageId } from '@postmesh/contracts';
import type { DomainFacts } from '@postmesh/domains-contract';
import type { SystemMailContent } from '@postmesh/accounts-contract';
import { parseEmailAddress, type EmailAddress, type Mailbox } from '@postmesh/mail-format';
import { toSendRequest, type SendRequest } from '../accept/send-request.rules.js';

/** A requested message of Postmesh itself to one person. */
export interface SystemMail extends SystemMailContent {
  mail_id: string;
  recipient: string;
  name: string;
}

export interface SystemSender {
  mailbox: Mailbox;
  domain: string;
}

// The record is kept for questions about its delivery; the text is deleted once it is delivered, because it may contain
// a login link.
const RETENTION = { metadataDays: 30, dataDays: 0 };
const MAX_SUBJECT_CHARACTERS = 250;

/**
 * @param setting `Name <address>`, `"Name" <address>` or an address; undefined: no-reply at the service zone
 * @throws Error with the name of the setting
 */
export function readSystemSender(setting: string | undefined, serviceZone: string): SystemSender {
  const text = setting ?? `Postmesh <no-reply@${serviceZone}>`;
  const match = /^\s*(?:(?<name>[^<>]*)<(?<angled>[^<>]*)>|(?<bare>[^<>]*))\s*$/.exec(text);
  const address = readAddress(match?.groups?.['angled'] ?? match?.groups?.['bare'] ?? '');
  if (!address || address.needsSmtpUtf8) {
    throw new Error('POSTMESH_SYSTEM_SENDER must be `Name <address>` or an address, in ASCII');
  }
  const name = oneLine(match?.groups?.['name'] ?? '').replace(/^"(.*)"$/, '$1');
  return {
    mailbox: { email: address.address, ...(name === '' ? {} : { name }) },
    domain: address.domain,
  };
}

/** @returns undefined when it is invalid */
export function readAddress(text: string): EmailAddress | undefined {
  const parsed = parseEmailAddress(text);
  return parsed.ok ? parsed.address : undefined;
}

/** A header value must be one line, with parts from any source. */
export const oneLine = (text: string): string => text.replace(/\p{Cc}+/gu, ' ').trim();

/** The same message to the same person has the same id, hence the same Message-ID. */
export const recordId = ({ mail_id, recipient }: Pick<SystemMail, 'mail_id' | 'recipient'>): MessageId =>
  derivedId(JSON.stringify(['system-mail', mail_id, recipient])) as MessageId;

/** The stored form: a message like any other, of an account without a user. */
export function toSystemSendRequest(
  mail: SystemMail,
  { sender, domain, now }: { sender: SystemSender; domain: DomainFacts; now: Date },
): SendRequest {
  const id = recordId(mail);
  const messageId = `<${id}@${domain.domain}>`;
  const name = oneLine(mail.name);
  const subject = [...oneLine(mail.subject)].slice(0, MAX_SUBJECT_CHARACTERS).join('');
  return toSendRequest({
    kind: 'conversation',
    templateId: null,
    accountId: SYSTEM_ACCOUNT_ID,
    domain,
    sender: sender.mailbox.email,
    messageIdHeader: messageId,
    subject,
    content: {
      from: sender.mailbox,
      to: [{ email: mail.recipient, ...(name === '' ? {} : { name }) }],
      subject,
      messageId,
      date: now,
      // no vacation responder must reply to it (RFC 3834 §5)
      headers: [{ name: 'Auto-Submitted', value: 'auto-generated' }],
      text: mail.text,
      html: mail.html,
    },
    tags: [],
    tracking: { open: false, click: false },
    retention: RETENTION,
    schedule: { firstAttempt: null, expires: null },
    sandbox: null,
    acceptedAt: now,
    recipients: [{ id, email: mail.recipient, name }],
  });
}

const BACKOFF = { firstMs: 10_000, maxMs: 3_600_000 };

/** Delay before the next try of a message that could not be accepted, ms. @param tries before this one */
export const waitAfter = (tries: number): number => backoffMs(tries + 1, BACKOFF);
