import type { SmtpSessionFacts } from '@postmesh/messages-contract';
import { formatDate, writeFields } from '@postmesh/mail-format';

export interface TraceFacts {
  /** the name of our MX host */
  host: string;
  session: SmtpSessionFacts;
  /** reverse-path of the envelope; empty is the null sender */
  sender: string;
  receivedAt: Date;
  /** `Authentication-Results: …`, folded, without a line end */
  authenticationResults: string;
}

/** The fields on top of a message received by SMTP (RFC 5321 §4.4, RFC 8601), with its line ends. */
export function traceFields(facts: TraceFacts): string {
  const { host, session, receivedAt } = facts;
  // RFC 3848. A client without TLS may have sent HELO or EHLO: a trace need not distinguish them.
  const protocol = session.tls === null ? 'ESMTP' : 'ESMTPS';
  const by = `by ${host} with ${protocol}${session.tls === null ? '' : ` (${token(session.tls)})`}`;
  const from = `from ${token(session.helo) || 'unknown'} (${addressLiteral(session.client_ip)})`;
  const received = `${from} ${by} id ${token(session.id)}; ${formatDate(receivedAt)}`;
  const fields = [
    { name: 'Return-Path', value: `<${printable(facts.sender)}>` },
    { name: 'Received', value: received },
  ];
  return `${writeFields(fields, { smtpUtf8: true })}${facts.authenticationResults}\r\n`;
}

/** RFC 5321 §4.1.3 */
function addressLiteral(ip: string): string {
  const plain = ip.replace(/^::ffff:(?=\d+\.)/i, '');
  return plain.includes(':') ? `[IPv6:${plain}]` : `[${plain}]`;
}

/** A client's text, in a field with a structure. */
const token = (text: string): string => text.replace(/[^\x21-\x7e]|[()<>;\\"]/g, '').slice(0, 255);

/** An address may have any quoted text (RFC 5321 §4.1.2) and UTF-8 (RFC 6531), but no control characters. */
const printable = (text: string): string => text.replace(/[\p{Cc}<>]/gu, '').slice(0, 300);
