import type { Mailbox } from '../addresses/mailbox-header.js';
import type { HeaderField } from '../headers/header-field.rules.js';
import type { Attachment } from '../mime/attachment.rules.js';

/** What a message shows: everything but the envelope. The same content gives the same bytes, always. */
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
}

export interface MessageBody {
  readonly text?: string | undefined;
  readonly html?: string | undefined;
  readonly amp?: string | undefined;
  readonly attachments?: readonly Attachment[] | undefined;
}

/** A message in bytes. Headers and body are apart, because a signature goes before and covers both. */
export interface Message {
  /** header fields, each ended by CRLF, without the empty line */
  readonly headers: Buffer;
  readonly body: readonly Buffer[];
  /** headers + empty line + body, bytes */
  readonly size: number;
  /** some byte is beyond ASCII: a server without 8BITMIME may mangle it; never so for a message that we composed */
  readonly eightBit: boolean;
}

/** A body that several messages share (same content for every recipient): made and hashed once. */
export interface ComposedBody {
  /** the Content-… header lines of the message */
  readonly contentHeaders: string;
  readonly chunks: readonly Buffer[];
  readonly size: number;
}
