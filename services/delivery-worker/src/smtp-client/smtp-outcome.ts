import { describeReply, isPositive } from './smtp-reply.js';
import type { SmtpReply } from './smtp-reply.js';

/** How much of the message left us: after `complete` a lost connection means that nobody knows. */
export type DataSent = 'no' | 'partial' | 'complete';

/** What was answered, by the names of spec 2-messages §19.1. */
export type SmtpCommand = 'CONNECT' | 'EHLO' | 'STARTTLS' | 'AUTH' | 'MAIL FROM' | 'RCPT TO' | 'DATA';

/** What one transaction came to. */
export interface SmtpOutcome {
  readonly kind: 'accepted' | 'rejected' | 'deferred' | 'connection-lost';
  /** 0 = no reply; `response` is then our own text */
  readonly smtpCode: number;
  readonly enhancedStatusCode?: string | undefined;
  readonly response: string;
  readonly command: SmtpCommand;
  readonly dataSent: DataSent;
}

export function outcomeOf(reply: SmtpReply, command: SmtpCommand, dataSent: DataSent): SmtpOutcome {
  // A 3xx where none belongs decides nothing, so the message waits.
  const kind = reply.code >= 500 ? 'rejected' : isPositive(reply) ? 'accepted' : 'deferred';
  return { kind, ...describeReply(reply), command, dataSent };
}

/** Refused by ourselves, in the words that the server would have used. */
export function refusedHere(smtpCode: number, enhancedStatusCode: string, response: string): SmtpOutcome {
  return { kind: 'rejected', smtpCode, enhancedStatusCode, response, command: 'MAIL FROM', dataSent: 'no' };
}

/** RFC 3463 x.4.2: the connection broke. */
export function connectionLost(response: string, command: SmtpCommand, dataSent: DataSent): SmtpOutcome {
  return { kind: 'connection-lost', smtpCode: 0, enhancedStatusCode: '4.4.2', response, command, dataSent };
}
