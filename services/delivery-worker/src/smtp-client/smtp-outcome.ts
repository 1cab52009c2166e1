import type { TlsPolicy, TlsVerdict } from '@postmesh/delivery-worker-contract';
import { findEnhancedCode, type ReplyText } from '@postmesh/smtp-replies';
import type { SmtpReply } from './smtp-reply.js';
import { isPositive } from './smtp-reply.js';
import type { TlsTrouble } from '../tls/host-need.rules.js';

/** How much of the message was sent: after `complete` a lost connection leaves its outcome unknown. */
export type DataSent = 'no' | 'partial' | 'complete';

/** The command that was answered, by the names of spec 2-messages §19.1. */
export type SmtpCommand = 'CONNECT' | 'EHLO' | 'STARTTLS' | 'AUTH' | 'MAIL FROM' | 'RCPT TO' | 'DATA';

export type NetworkFailure = 'timeout' | 'closed' | 'reset' | 'protocol';

/** Facts about the connection of a message, for people. */
export interface ConnectionFacts {
  /** IP address of the server */
  readonly address: string;
  readonly tlsProtocol?: string;
  readonly tlsCipher?: string;
  /** the result of the handshake */
  readonly tlsVerdict?: TlsVerdict;
  /** why it is no better */
  readonly tlsTrouble?: TlsTrouble;
  /** the policy of the destination that requires TLS */
  readonly tlsPolicy?: TlsPolicy;
}

/**
 * The result of one SMTP transaction for its recipient, or why there was none:
 * - `accepted`, `rejected` (5xx), `deferred` (4xx, no answer): decided by a server or on the way to it;
 * - `connection-lost`: the connection broke during the transaction;
 * - `unroutable`: by DNS no host takes mail for the domain; `dns-failure`: DNS gave no answer;
 * - `postponed`: no host was asked, because all of them are in backoff, or this worker is full or stopping.
 */
export interface SmtpOutcome extends ReplyText {
  readonly kind:
    'accepted' | 'rejected' | 'deferred' | 'connection-lost' | 'unroutable' | 'dns-failure' | 'postponed';
  /** absent when no server was asked, like the three after it */
  readonly command?: SmtpCommand;
  readonly dataSent?: DataSent;
  readonly remoteHost?: string;
  readonly tls?: boolean;
  readonly connection?: ConnectionFacts;
  /** id of the source address, where there are several */
  readonly source?: string;
  /** of the hosts that were asked */
  readonly groupKey?: string;
  /** how the network failed, where no reply came */
  readonly failure?: NetworkFailure;
  /** of `postponed`: when the hosts may be asked again, Unix ms */
  readonly notBefore?: number;
  /** of a postponed one: how long after the end of this attempt it is tried again, ms */
  readonly waitMs?: number;
}

// Enough for every useful sentence; some servers send pages.
const MAX_RESPONSE_CHARS = 1_000;

const CODE_AT_START = /^[245]\.\d{1,3}\.\d{1,3}(?=\s|$)/;

/**
 * Finds the enhanced status code (RFC 2034), as in a report: anywhere in the text. At the start of a line it is
 * removed: servers repeat it on every line. A code whose class does not match the reply code stays in the text.
 */
export function describeReply({ code, lines }: SmtpReply): ReplyText {
  const enhancedStatusCode = findEnhancedCode(lines.join('\n'), code);
  const digit = String(code).charAt(0);
  const response = lines
    .map((line) => (line.startsWith(digit) ? line.replace(CODE_AT_START, '') : line).trim())
    .filter((line) => line !== '')
    .join(' ');
  return { smtpCode: code, enhancedStatusCode, response: response.slice(0, MAX_RESPONSE_CHARS) };
}

export function outcomeOf(reply: SmtpReply, command: SmtpCommand, dataSent: DataSent): SmtpOutcome {
  // An unexpected 3xx decides nothing, so the message waits.
  const kind = reply.code >= 500 ? 'rejected' : isPositive(reply) ? 'accepted' : 'deferred';
  return { kind, ...describeReply(reply), command, dataSent };
}

/** RFC 3463 x.4.2: the connection broke. */
export function connectionLost(response: string, command: SmtpCommand, dataSent: DataSent): SmtpOutcome {
  return { kind: 'connection-lost', smtpCode: 0, enhancedStatusCode: '4.4.2', response, command, dataSent };
}

/** @param notBefore by the database's clock, Unix ms */
export function postponed(notBefore: number, response: string): SmtpOutcome {
  return { kind: 'postponed', smtpCode: 0, notBefore, response };
}

/** Tried again `waitMs` after the end of this attempt. */
export function postponedFor(waitMs: number, response: string): SmtpOutcome {
  return { kind: 'postponed', smtpCode: 0, waitMs, response };
}
