import type { Capabilities } from './capabilities.js';
import { frameData } from './data-framing.js';
import { outcomeOf, refusedHere } from './smtp-outcome.js';
import type { DataSent, SmtpCommand, SmtpOutcome } from './smtp-outcome.js';
import { isSafePath, needsSmtpUtf8 } from './smtp-path.rules.js';
import type { SmtpReply } from './smtp-reply.js';

/** One message to one recipient. */
export interface OutgoingMessage {
  /** `''` = the null sender of a report */
  readonly envelopeFrom: string;
  readonly recipient: string;
  /** the message in order, lines ended by CRLF, before dot-stuffing */
  readonly chunks: readonly Buffer[];
  readonly size: number;
  readonly eightBit: boolean;
}

/** A message on its way through a session. `settle` is called exactly once. */
export interface Handover {
  readonly message: OutgoingMessage;
  settle(outcome: SmtpOutcome): void;
}

/** What is known of one transaction until it is settled. */
export class Transaction {
  dataSent: DataSent = 'no';
  /** the command that is being waited for, for people */
  waitsFor: SmtpCommand = 'MAIL FROM';
  private failure: SmtpOutcome | undefined;
  private settled = false;

  constructor(private readonly handover: Handover) {}

  get message(): OutgoingMessage {
    return this.handover.message;
  }

  get refused(): boolean {
    return this.failure !== undefined;
  }

  /** The first error is the reason; what pipelined commands answer after it follows from it. */
  refuse(command: SmtpCommand, reply: SmtpReply): void {
    this.failure ??= outcomeOf(reply, command, this.dataSent);
  }

  /** @param otherwise the outcome unless something was refused before */
  settle(otherwise: () => SmtpOutcome): void {
    if (this.settled) return;
    this.settled = true;
    this.handover.settle(this.failure ?? otherwise());
  }

  /** Ends what was refused; anything else is settled already. */
  settleRefused(): void {
    if (this.failure === undefined || this.settled) return;
    this.settled = true;
    this.handover.settle(this.failure);
  }

  framed(): Buffer[] {
    return frameData(this.message.chunks);
  }
}

/** Why a message is not even offered to this server, or undefined. */
export function apiErrorBefore(message: OutgoingMessage, server: Capabilities): SmtpOutcome | undefined {
  const { envelopeFrom, recipient, size } = message;
  if ((envelopeFrom !== '' && !isSafePath(envelopeFrom)) || !isSafePath(recipient)) {
    return refusedHere(0, '5.1.3', 'the address cannot be written in an SMTP command');
  }
  if (!server.smtpUtf8 && (needsSmtpUtf8(envelopeFrom) || needsSmtpUtf8(recipient))) {
    return refusedHere(0, '5.6.7', 'the address needs SMTPUTF8, which the server does not offer');
  }
  if (server.largestMessage !== undefined && size > server.largestMessage) {
    return refusedHere(
      0,
      '5.3.4',
      `the message has ${size} bytes, the server takes ${server.largestMessage}`,
    );
  }
  return undefined;
}

/** MAIL FROM with the parameters that the server knows (RFC 1870, 6152, 6531). */
export function mailCommand(message: OutgoingMessage, server: Capabilities): string {
  let command = `MAIL FROM:<${message.envelopeFrom}>`;
  if (server.size) command += ` SIZE=${message.size}`;
  // Without 8BITMIME the message goes as it is: nearly every server passes it, and changing it would break signatures.
  if (message.eightBit && server.eightBitMime) command += ' BODY=8BITMIME';
  if (needsSmtpUtf8(message.envelopeFrom) || needsSmtpUtf8(message.recipient)) command += ' SMTPUTF8';
  return command;
}
