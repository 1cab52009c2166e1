import type { Capabilities } from './capabilities.js';
import { frameData } from './data-framing.js';
import { outcomeOf, refusedHere } from './smtp-outcome.js';
import type { DataSent, SmtpCommand, SmtpOutcome } from './smtp-outcome.js';
import { isSafePath, needsSmtpUtf8 } from './smtp-path.rules.js';
import type { SmtpReply } from './smtp-reply.js';

/** One letter to one recipient. */
export interface OutgoingLetter {
  /** `''` = the null sender of a report */
  readonly envelopeFrom: string;
  readonly recipient: string;
  /** the letter in order, lines ended by CRLF, before dot-stuffing */
  readonly chunks: readonly Buffer[];
  readonly size: number;
  readonly eightBit: boolean;
}

/** A letter on its way through a session. `settle` is called exactly once. */
export interface Handover {
  readonly letter: OutgoingLetter;
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

  get letter(): OutgoingLetter {
    return this.handover.letter;
  }

  get refused(): boolean {
    return this.failure !== undefined;
  }

  /** The first refusal is the reason; what pipelined commands answer after it follows from it. */
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
    return frameData(this.letter.chunks);
  }
}

/** Why a letter is not even offered to this server, or undefined. */
export function refusalBefore(letter: OutgoingLetter, server: Capabilities): SmtpOutcome | undefined {
  const { envelopeFrom, recipient, size } = letter;
  if ((envelopeFrom !== '' && !isSafePath(envelopeFrom)) || !isSafePath(recipient)) {
    return refusedHere(0, '5.1.3', 'the address cannot be written in an SMTP command');
  }
  if (!server.smtpUtf8 && (needsSmtpUtf8(envelopeFrom) || needsSmtpUtf8(recipient))) {
    return refusedHere(0, '5.6.7', 'the address needs SMTPUTF8, which the server does not offer');
  }
  if (server.largestLetter !== undefined && size > server.largestLetter) {
    return refusedHere(0, '5.3.4', `the letter has ${size} bytes, the server takes ${server.largestLetter}`);
  }
  return undefined;
}

/** MAIL FROM with the parameters that the server knows (RFC 1870, 6152, 6531). */
export function mailCommand(letter: OutgoingLetter, server: Capabilities): string {
  let command = `MAIL FROM:<${letter.envelopeFrom}>`;
  if (server.size) command += ` SIZE=${letter.size}`;
  // Without 8BITMIME the letter goes as it is: nearly every server passes it, and changing it would break signatures.
  if (letter.eightBit && server.eightBitMime) command += ' BODY=8BITMIME';
  if (needsSmtpUtf8(letter.envelopeFrom) || needsSmtpUtf8(letter.recipient)) command += ' SMTPUTF8';
  return command;
}
