import { needsSmtpUtf8 } from '@postmesh/mail-format';
import type { DataSent, SmtpCommand, SmtpOutcome } from './smtp-outcome.js';
import { outcomeOf } from './smtp-outcome.js';
import type { Capabilities, SmtpReply } from './smtp-reply.js';

interface Envelope {
  /** `''` = the null sender of a report */
  readonly envelopeFrom: string;
  readonly recipient: string;
  /** waits for a connection behind all messages that are not bulk */
  readonly isBulk?: boolean;
}

export interface MessageBytes {
  /** the message in order, lines ended by CRLF, before dot-stuffing */
  readonly chunks: readonly Buffer[];
  readonly size: number;
  readonly eightBit: boolean;
  /** its header has bytes beyond ASCII (RFC 6532) */
  readonly smtpUtf8: boolean;
}

/** One message to one recipient. */
export interface OutgoingMessage extends Envelope, MessageBytes {}

/** One message that takes much memory: it is composed when a connection is ready for it, perhaps more than once. */
export interface LargeMessage extends Envelope {
  /** Never rejects. @returns undefined when there is no memory for it now, or it cannot be composed */
  load(): Promise<LoadedMessage | undefined>;
}

export interface LoadedMessage extends MessageBytes {
  /** Frees its memory; further calls do nothing. */
  release(): void;
}

/** A message that a session takes over. `settle` is called exactly once. */
export interface Handover {
  readonly message: OutgoingMessage | LargeMessage;
  settle(outcome: SmtpOutcome): void;
}

/** One transaction until it is settled. */
export class Transaction {
  dataSent: DataSent = 'no';
  /** the command whose reply is due next */
  waitsFor: SmtpCommand = 'MAIL FROM';
  /** its time is over: it ends where that is possible */
  overdue = false;
  /** undefined: a large one that is not loaded (yet, or any more) */
  message: OutgoingMessage | undefined;
  private release: () => void = () => undefined;
  private silence: NodeJS.Timeout | undefined;
  private failure: SmtpOutcome | undefined;
  private settled = false;

  constructor(private readonly handover: Handover) {
    const { message } = handover;
    if (!isLarge(message)) this.message = message;
  }

  get rejected(): boolean {
    return this.failure !== undefined;
  }

  get isSettled(): boolean {
    return this.settled;
  }

  isOf(handover: Handover): boolean {
    return this.handover === handover;
  }

  /** @returns undefined when a large message cannot be loaded now, or the transaction has ended meanwhile */
  async load(): Promise<OutgoingMessage | undefined> {
    const { message } = this.handover;
    if (this.message !== undefined || !isLarge(message)) return this.message;
    const loaded = await message.load();
    if (loaded === undefined || this.settled) {
      loaded?.release();
      return undefined;
    }
    const { envelopeFrom, recipient } = message;
    this.message = { envelopeFrom, recipient, ...loaded };
    this.release = () => loaded.release();
    return this.message;
  }

  /** The server was asked: a large message is not kept in memory while the server is silent. */
  lendAfter(ms: number): void {
    if (isLarge(this.handover.message)) this.silence = setTimeout(() => this.letGo(), ms).unref();
  }

  /** It is about to be sent. */
  keep(): void {
    clearTimeout(this.silence);
  }

  /** Releases the message: it was written, or need not be written yet. */
  letGo(): void {
    if (!isLarge(this.handover.message)) return;
    clearTimeout(this.silence);
    this.message = undefined;
    this.release();
  }

  /** The first error is the reason; errors of the pipelined commands after it follow from it. */
  reject(command: SmtpCommand, reply: SmtpReply): void {
    this.failure ??= outcomeOf(reply, command, this.dataSent);
    this.letGo();
  }

  /** @param otherwise the outcome unless a command was rejected before */
  settle(otherwise: () => SmtpOutcome): void {
    if (this.settled) return;
    this.settled = true;
    this.letGo();
    this.handover.settle(this.failure ?? otherwise());
  }

  /** Settles a transaction with a rejected command; any other is settled already. */
  settleRejected(): void {
    const { failure } = this;
    if (failure !== undefined) this.settle(() => failure);
  }
}

const isLarge = (message: OutgoingMessage | LargeMessage): message is LargeMessage => 'load' in message;

/** Why a message is not offered to this server at all, or undefined. */
export function localRejection(message: OutgoingMessage, server: Capabilities): SmtpOutcome | undefined {
  const { envelopeFrom, recipient, size } = message;
  if ((envelopeFrom !== '' && !isSafePath(envelopeFrom)) || !isSafePath(recipient)) {
    return rejectedHere(0, '5.1.3', 'the address cannot be written in an SMTP command');
  }
  if (!server.smtpUtf8 && goesWithSmtpUtf8(message)) {
    // with the code of a server that does not take it (RFC 6531, section 3.5)
    return rejectedHere(553, '5.6.7', 'the message needs SMTPUTF8, which the server does not offer');
  }
  if (server.maxMessageBytes !== undefined && size > server.maxMessageBytes) {
    const response = `the message has ${size} bytes, the server takes ${server.maxMessageBytes}`;
    return rejectedHere(0, '5.3.4', response);
  }
  return undefined;
}

/** Rejected by ourselves, with the codes that a server would have used. */
function rejectedHere(smtpCode: number, enhancedStatusCode: string, response: string): SmtpOutcome {
  return {
    kind: 'rejected',
    smtpCode,
    enhancedStatusCode,
    response,
    command: 'MAIL FROM',
    dataSent: 'no',
  };
}

/** MAIL FROM with the parameters that the server knows (RFC 1870, 6152, 6531). */
export function mailCommand(message: OutgoingMessage, server: Capabilities): string {
  let command = `MAIL FROM:<${message.envelopeFrom}>`;
  if (server.size) command += ` SIZE=${message.size}`;
  // Without 8BITMIME the message is sent unchanged: nearly every server passes it, and recoding breaks signatures.
  if (message.eightBit && server.eightBitMime) command += ' BODY=8BITMIME';
  if (goesWithSmtpUtf8(message)) command += ' SMTPUTF8';
  return command;
}

// RFC 5321 §4.5.3.1.3: 256 octets with the angle brackets.
const MAX_PATH_BYTES = 254;

/**
 * Whether an address may be written between the angle brackets of MAIL or RCPT. Addresses were checked when they were
 * stored; this last check is strict: nothing that could end a command, a path or a parameter.
 */
export function isSafePath(address: string): boolean {
  return (
    Buffer.byteLength(address) <= MAX_PATH_BYTES &&
    /^[^\s<>\p{C}\p{Z}@][^\s<>\p{C}\p{Z}]*@[^\s<>\p{C}\p{Z}@]+$/u.test(address)
  );
}

/** RFC 6531: only a server with SMTPUTF8 takes such an address, or such a header. */
const goesWithSmtpUtf8 = ({ smtpUtf8, envelopeFrom, recipient }: OutgoingMessage): boolean =>
  smtpUtf8 || needsSmtpUtf8(envelopeFrom) || needsSmtpUtf8(recipient);

const CR = 0x0d;
const LF = 0x0a;
const DOT = 0x2e;
const ONE_DOT = Buffer.from('.', 'latin1');
const END = Buffer.from('.\r\n', 'latin1');
const CRLF_END = Buffer.from('\r\n.\r\n', 'latin1');

/** An empty message, for a server that requires data although it refused every recipient (RFC 2920 §3.1). */
export const EMPTY_DATA = END;

/**
 * Makes a message safe to send as data (RFC 5321 §4.5.2): a dot at the start of a line is doubled, the final dot
 * is added. A dot after a lone CR or LF is doubled too: some servers take those for line ends, and the rest of the
 * message would be read as commands (SMTP smuggling).
 * @param chunks the message in order; nothing of it is copied
 */
export function frameData(chunks: readonly Buffer[]): Buffer[] {
  const framed: Buffer[] = [];
  let last = LF;
  let beforeLast = CR;
  for (const chunk of chunks) {
    if (chunk.length === 0) continue;
    doubleDots(chunk, last === LF || last === CR, framed);
    beforeLast = chunk.length > 1 ? (chunk.at(-2) ?? 0) : last;
    last = chunk.at(-1) ?? 0;
  }
  framed.push(last === LF && beforeLast === CR ? END : CRLF_END);
  return framed;
}

function doubleDots(chunk: Buffer, atLineStart: boolean, into: Buffer[]): void {
  let from = 0;
  if (atLineStart && chunk[0] === DOT) into.push(ONE_DOT);
  let afterLf = chunk.indexOf('\n.', 0, 'latin1');
  let afterCr = chunk.indexOf('\r.', 0, 'latin1');
  while (afterLf >= 0 || afterCr >= 0) {
    const at = afterLf >= 0 && (afterCr < 0 || afterLf < afterCr) ? afterLf : afterCr;
    into.push(chunk.subarray(from, at + 1), ONE_DOT);
    from = at + 1;
    if (at === afterLf) afterLf = chunk.indexOf('\n.', from, 'latin1');
    else afterCr = chunk.indexOf('\r.', from, 'latin1');
  }
  into.push(from === 0 ? chunk : chunk.subarray(from));
}
