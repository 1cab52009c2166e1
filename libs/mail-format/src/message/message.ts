import { isAscii, isUtf8 } from 'node:buffer';
import type { Mailbox } from '../addresses/address-list.js';
import type { HeaderField } from '../headers/header-field.js';
import type { Attachment } from '../mime/attachment.rules.js';
import { bytesToCrlf } from '../mime/encodings.js';

/** The content of a message, without its envelope. The same content always gives the same bytes. */
export interface MessageContent extends MessageBody {
  readonly from: Mailbox;
  readonly to: readonly Mailbox[];
  readonly cc?: readonly Mailbox[] | undefined;
  readonly replyTo?: Mailbox | undefined;
  readonly subject: string;
  /** with angle brackets */
  readonly messageId: string;
  /** not used when `headers` holds a Date */
  readonly date: Date;
  /** custom and service headers (List-Unsubscribe, Feedback-ID, …), in order */
  readonly headers?: readonly HeaderField[] | undefined;
  /**
   * Its recipient is reached with SMTPUTF8 only: addresses beyond ASCII are written as they are (RFC 6532). In the
   * copies of other recipients they are the names of empty groups, so that these can go to any server.
   */
  readonly smtpUtf8?: boolean | undefined;
}

export interface MessageBody {
  readonly text?: string | undefined;
  readonly html?: string | undefined;
  readonly amp?: string | undefined;
  readonly attachments?: readonly Attachment[] | undefined;
}

/** A MIME message in bytes. Headers and body are separate: a signature covers both and is put on top. */
export interface Message {
  /** header fields, each ended by CRLF, without the empty line */
  readonly headers: Buffer;
  readonly body: readonly Buffer[];
  /** headers + empty line + body, bytes */
  readonly size: number;
  /** has bytes beyond ASCII, which a server without 8BITMIME may damage */
  readonly eightBit: boolean;
  /** has them in its header (RFC 6532), so that only a server with SMTPUTF8 takes it */
  readonly smtpUtf8: boolean;
}

/** A body that several messages share (same content for every recipient): composed and hashed once. */
export interface ComposedBody {
  /** the Content-… header lines of the message */
  readonly contentHeaders: string;
  readonly chunks: readonly Buffer[];
  readonly size: number;
}

const CRLF = Buffer.from('\r\n', 'latin1');
const EMPTY = Buffer.alloc(0);

/**
 * The message as it is sent (before dot-stuffing), in order, without copying its body.
 * @param above header fields to put on top, each ended by CRLF: signatures, Return-Path, Received
 */
export function messageBytes(message: Message, above: readonly Buffer[] = []): Buffer[] {
  return [...above, message.headers, CRLF, ...message.body];
}

/**
 * Splits a message that a client composed (SMTP submission) for signing and sending: CRLF everywhere, headers and body
 * separate. A message without a body gets an empty one.
 */
export function splitMessage(raw: Buffer): Message {
  const bytes = bytesToCrlf(raw);
  const end = bytes.subarray(0, 2).equals(CRLF) ? -2 : bytes.indexOf('\r\n\r\n', 0, 'latin1');
  const whole = end === -1;
  const headers = whole ? endInCrlf(bytes) : bytes.subarray(0, end + 2);
  const body = whole ? EMPTY : endInCrlf(bytes.subarray(end + 4));
  const smtpUtf8 = !isAscii(headers) && isUtf8(headers);
  return {
    headers,
    body: [body],
    size: headers.length + 2 + body.length,
    eightBit: smtpUtf8 || !isAscii(bytes),
    smtpUtf8,
  };
}

function endInCrlf(bytes: Buffer): Buffer {
  if (bytes.length === 0 || bytes.subarray(-2).equals(CRLF)) return bytes;
  return Buffer.concat([bytes, CRLF]);
}
