import { newId } from '@postmesh/contracts';
import { composeReport, reportedAddress, reportFields, type ReportContent } from '@postmesh/mail-format';
import { fieldText, headerFields, type Envelope } from '../messages/message.rules.js';

/** Kind of a receiver's report about a message that it has accepted. */
export type ReportKind = 'bounce' | 'complaint';

/** Subject and reporter of a report. */
export interface ReportedDelivery {
  envelope: Envelope;
  /** the recipient whose address requests the report */
  recipient: string;
  /** host of the receiver */
  host: string;
  message: Buffer;
}

const NO_MAILBOX = '550 5.1.1 no mailbox here by that name';
/** `fbl+token@host; report=arf` (RFC 9477) */
const FEEDBACK_ADDRESS = /^<?([^\s;<>]+@[^\s;<>]+)/;

/** @returns the recipient of a report: the envelope sender for bounces, the CFBL-Address for complaints; empty: none */
export function reportAddress(kind: ReportKind, { envelope, message }: ReportedDelivery): string {
  if (kind === 'bounce') return envelope.envelopeFrom;
  return FEEDBACK_ADDRESS.exec(fieldText(headerFields(message), 'cfbl-address'))?.[1] ?? '';
}

/** The complete report message. */
export function composeReportAbout(kind: ReportKind, delivery: ReportedDelivery): Buffer {
  const { host } = delivery;
  return composeReport({
    messageId: `<${newId()}@${host}>`,
    date: new Date(),
    to: { email: reportAddress(kind, delivery) },
    ...(kind === 'bounce' ? bounce(delivery) : complaint(delivery)),
  });
}

type Told = Omit<ReportContent, 'messageId' | 'date' | 'to'>;

/** RFC 3464. */
function bounce({ recipient, host, message }: ReportedDelivery): Told {
  return {
    type: 'delivery-status',
    from: { email: `mailer-daemon@${host}`, name: 'Mail Delivery System' },
    subject: 'Undelivered Mail Returned to Sender',
    autoSubmitted: 'auto-replied',
    text: `Your message to ${recipient} was taken and could not be delivered.\n\n${NO_MAILBOX}\n`,
    fields: [
      reportFields({ 'Reporting-MTA': `dns; ${host}` }),
      reportFields({
        'Final-Recipient': reportedAddress(recipient),
        Action: 'failed',
        Status: '5.1.1',
        'Diagnostic-Code': `smtp; ${NO_MAILBOX}`,
      }),
    ],
    original: { type: 'text/rfc822-headers', bytes: headerOf(message) },
  };
}

/** RFC 5965. */
function complaint({ envelope, recipient, host, message }: ReportedDelivery): Told {
  return {
    type: 'feedback-report',
    from: { email: `feedback@${host}` },
    subject: 'Abuse report',
    autoSubmitted: 'auto-generated',
    text: `${recipient} says that this message is spam.\n`,
    fields: [
      reportFields({
        'Feedback-Type': 'abuse',
        'User-Agent': 'local-internet/1.0',
        Version: '1',
        'Original-Mail-From': `<${envelope.envelopeFrom}>`,
        'Original-Rcpt-To': `<${recipient}>`,
        'Source-IP': envelope.remoteAddress,
      }),
    ],
    original: { type: 'message/rfc822', bytes: message },
  };
}

function headerOf(message: Buffer): Buffer {
  const end = message.indexOf('\r\n\r\n');
  return message.subarray(0, end < 0 ? message.length : end + 2);
}
