import { derivedId, SYSTEM_ACCOUNT_ID, type MessageId } from '@postmesh/contracts';
import type { DomainFacts } from '@postmesh/domains-contract';
import {
  composeReport,
  fieldProblem,
  formatDate,
  readHeaders,
  reportedAddress,
  reportFields,
  writeFields,
} from '@postmesh/mail-format';
import { toSendRequest, type SendRequest } from '../accept/send-request.rules.js';
import type { StoredAttempt, StoredMessage } from '../read-message/messages.repository.js';

// Kept for questions about its delivery; its text is in the original's record too.
const RETENTION = { metadataDays: 7, dataDays: 0 };
const MAX_HEADER_BYTES = 64 * 1024;

export interface DsnFacts {
  /** the domain of the service, used for the signature */
  domain: DomainFacts;
  /** the address for reports */
  to: string;
  /** the message as sent; undefined when its content is gone */
  sent: Buffer | undefined;
  /** the reporting host */
  host: string;
  now: Date;
}

/** Whether a message is a report itself: no report is sent about it (spec 2-messages §15.6). */
export const isReport = (sent: Buffer | undefined): boolean =>
  sent !== undefined && /^multipart\/report\b/i.test(readHeaders(sent).fields.first('content-type') ?? '');

/** The report about a message that bounced or failed (RFC 3464), stored like any message of the service itself. */
export function toDsnRequest(message: StoredMessage, facts: DsnFacts): SendRequest {
  const { domain, to, now } = facts;
  const id = derivedId('dsn', message.id) as MessageId;
  const sender = `mailer-daemon@${domain.domain}`;
  const messageId = `<${id}@${domain.domain}>`;
  const subject = 'Undelivered Mail Returned to Sender';
  const raw = composeReport({
    type: 'delivery-status',
    from: { email: sender, name: 'Mail Delivery System' },
    to: { email: to },
    subject,
    messageId,
    date: now,
    autoSubmitted: 'auto-replied',
    text: textOf(message),
    fields: fieldsOf(message, facts),
    original: { type: 'text/rfc822-headers', bytes: headerOf(message, facts.sent) },
  });
  return toSendRequest({
    kind: 'report',
    templateId: null,
    accountId: SYSTEM_ACCOUNT_ID,
    domain,
    sender,
    messageIdHeader: messageId,
    subject,
    content: { raw: [raw] },
    tags: [],
    tracking: { open: false, click: false },
    retention: RETENTION,
    schedule: { firstAttempt: null, expires: null },
    sandbox: null,
    acceptedAt: now,
    recipients: [{ id, email: to, name: '' }],
  });
}

const lastAttempt = ({ attempts }: StoredMessage): StoredAttempt | undefined => attempts.at(-1);

/** Codes at the start of an attempt's log: a code, an enhanced one, or both. */
const CODES = /^(?:(?<code>[245]\d\d)[ -])?(?:(?<enhanced>[245]\.\d{1,3}\.\d{1,3})(?:\s|$))?/;

function fieldsOf(message: StoredMessage, { host }: DsnFacts): string[] {
  const last = lastAttempt(message);
  const { code, enhanced } = CODES.exec(last?.log ?? '')?.groups ?? {};
  // a temporary code of the last attempt is not the cause: the delivery window ended (RFC 3463 §3.5)
  const isFinal = message.status === 'Bounced';
  const status = isFinal ? (enhanced?.startsWith('5') ? enhanced : '5.0.0') : '4.4.7';
  return [
    reportFields({
      'Original-Envelope-Id': message.id,
      'Reporting-MTA': `dns; ${host}`,
      'Arrival-Date': formatDate(message.createdAt),
    }),
    reportFields({
      'Original-Recipient': reportedAddress(message.recipient),
      'Final-Recipient': reportedAddress(message.recipient),
      Action: 'failed',
      Status: status,
      'Remote-MTA': last?.remoteHost ? `dns; ${last.remoteHost}` : undefined,
      'Diagnostic-Code': last?.log ? `${code ? 'smtp' : 'x-postmesh'}; ${last.log}` : undefined,
      'Last-Attempt-Date': last ? formatDate(new Date(last.finishedAt)) : undefined,
    }),
  ];
}

function textOf(message: StoredMessage): string {
  const log = lastAttempt(message)?.log;
  const what =
    message.status === 'Bounced'
      ? 'could not be delivered: it was rejected.'
      : 'could not be delivered in time, and nothing more is tried.';
  return [
    `Your message to ${message.recipient} ${what}`,
    '',
    ...(log ? [`    ${log}`, ''] : []),
    `Subject: ${message.subject}`,
    `Message-ID: ${message.messageIdHeader}`,
    `Sent: ${formatDate(message.createdAt)}`,
    '',
  ].join('\n');
}

/** The header section of the sent message; where that is gone or too long, fields from its record. */
function headerOf(message: StoredMessage, sent: Buffer | undefined): Buffer {
  const end = sent?.indexOf('\r\n\r\n') ?? -1;
  if (sent && end >= 0 && end <= MAX_HEADER_BYTES) return sent.subarray(0, end + 2);
  const fields = [
    { name: 'Date', value: formatDate(message.createdAt) },
    { name: 'From', value: message.sender },
    { name: 'To', value: message.recipient },
    { name: 'Subject', value: message.subject },
    { name: 'Message-ID', value: message.messageIdHeader },
  ];
  const options = { smtpUtf8: true };
  return Buffer.from(
    writeFields(
      fields.filter((field) => fieldProblem(field, options) === undefined),
      options,
    ),
  );
}
