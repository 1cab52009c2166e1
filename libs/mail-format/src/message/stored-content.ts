import { z } from 'zod';
import type { MessageContent } from './message.js';

const Mailbox = z.object({ email: z.string(), name: z.string().optional() });

const Head = z.object({
  v: z.literal(1),
  from: Mailbox,
  to: z.array(Mailbox),
  cc: z.array(Mailbox).optional(),
  replyTo: Mailbox.optional(),
  subject: z.string(),
  messageId: z.string(),
  date: z.iso.datetime(),
  headers: z.array(z.object({ name: z.string(), value: z.string() })).optional(),
  text: z.string().optional(),
  html: z.string().optional(),
  amp: z.string().optional(),
  attachments: z
    .array(
      z.object({
        fileName: z.string(),
        contentType: z.string(),
        disposition: z.enum(['attachment', 'inline']),
        contentId: z.string().optional(),
        size: z.number().int().nonnegative(),
      }),
    )
    .optional(),
});

const LENGTH_BYTES = 4;

/**
 * The content of a message as the blob store keeps it: four bytes of length (big endian), the JSON of that length,
 * then the bytes of the attachments one after another, unencoded.
 * @throws TypeError when an attachment is a stream
 */
export function writeStoredContent(content: MessageContent): Buffer {
  const files = (content.attachments ?? []).map(({ content: bytes }) => {
    if (!(bytes instanceof Uint8Array)) throw new TypeError('an attachment to be stored must be in memory');
    return bytes;
  });
  const head: z.input<typeof Head> = {
    v: 1,
    from: content.from,
    to: [...content.to],
    subject: content.subject,
    messageId: content.messageId,
    date: content.date.toISOString(),
    ...(content.cc ? { cc: [...content.cc] } : {}),
    ...(content.replyTo ? { replyTo: content.replyTo } : {}),
    ...(content.headers ? { headers: content.headers.map(({ name, value }) => ({ name, value })) } : {}),
    text: content.text,
    html: content.html,
    amp: content.amp,
    attachments: content.attachments?.map(({ fileName, contentType, disposition, contentId }, index) => ({
      fileName,
      contentType,
      disposition,
      contentId,
      size: files[index]?.length ?? 0,
    })),
  };
  const json = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(json.length);
  return Buffer.concat([length, json, ...files]);
}

/** @throws Error (ZodError, SyntaxError, RangeError) when the bytes are not stored content */
export function readStoredContent(bytes: Buffer): MessageContent {
  const jsonEnd = LENGTH_BYTES + bytes.readUInt32BE(0);
  const head = Head.parse(JSON.parse(bytes.toString('utf8', LENGTH_BYTES, jsonEnd)));
  let at = jsonEnd;
  const attachments = head.attachments?.map((attachment) => {
    const content = bytes.subarray(at, (at += attachment.size));
    if (content.length !== attachment.size) throw new RangeError('a stored content is cut short');
    return { ...attachment, content };
  });
  const { v: _version, date, ...rest } = head;
  return { ...rest, date: new Date(date), attachments };
}
