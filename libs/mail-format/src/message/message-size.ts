import { base64LinesLength } from '../mime/base64-lines.js';
import type { Attachment } from '../mime/attachment.rules.js';
import { textPart } from '../mime/text-part.js';
import type { MessageContent } from './message-content.js';
import { writeMessageHeaders } from './compose-message.js';

// A DKIM-Signature of ours with RSA-2048 and a long header list.
const SIGNATURE_BYTES = 1_024;
// Delimiters and header lines of one part, without its file name.
const PART_OVERHEAD = 300;

/**
 * How many bytes the finished, signed message will have, without composing it: exact for texts and attachments,
 * rounded up by a few hundred bytes for delimiters and the signature.
 * @throws UnsafeMessage as composing would
 */
export function estimateMessageSize(content: MessageContent): number {
  let size = Buffer.byteLength(writeMessageHeaders(content)) + SIGNATURE_BYTES + PART_OVERHEAD;
  if (content.text) size += textSize('text/plain', content.text);
  if (content.amp) size += textSize('text/x-amp-html', content.amp);
  if (content.html) size += textSize('text/html', content.html);
  for (const attachment of content.attachments ?? []) size += attachmentSize(attachment);
  return size;
}

// Quoted-printable at its worst: three characters for a byte and a soft break for every 73 of them.
const WORST_TEXT_GROWTH = 3.2;

/**
 * Whether the finished, signed message has at most `limit` bytes. Texts that fit even in their longest form are
 * not encoded to find out, which is nearly every message.
 * @throws UnsafeMessage as composing would
 */
export function isMessageWithin(content: MessageContent, limit: number): boolean {
  const texts = [content.text, content.amp, content.html].reduce(
    (sum, text) => sum + Buffer.byteLength(text ?? ''),
    0,
  );
  if (texts * WORST_TEXT_GROWTH > limit / 4) return estimateMessageSize(content) <= limit;
  const bare = { ...content, text: undefined, amp: undefined, html: undefined };
  return (
    estimateMessageSize(bare) + texts * WORST_TEXT_GROWTH + 3 * PART_OVERHEAD <= limit ||
    estimateMessageSize(content) <= limit
  );
}

function textSize(type: 'text/plain' | 'text/html' | 'text/x-amp-html', text: string): number {
  return textPart(type, text).body.reduce((sum, chunk) => sum + chunk.length, PART_OVERHEAD);
}

function attachmentSize(attachment: Attachment): number {
  const bytes =
    attachment.size ?? (attachment.content instanceof Uint8Array ? attachment.content.length : undefined);
  if (bytes === undefined) throw new TypeError('an attachment that is a stream needs its size');
  // The name appears twice, by RFC 2231 (three characters for a byte) and as an encoded word.
  const named = Buffer.byteLength(attachment.fileName) * 6 + attachment.contentType.length;
  return base64LinesLength(bytes) + named + PART_OVERHEAD;
}
