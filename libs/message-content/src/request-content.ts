import { z } from 'zod';
import type { HeaderField, Mailbox, MessageBody } from '@postmesh/mail-format';
import { isRaw, type RawContent, type StoredContent } from './raw-content.js';

/** What template variables stand for: any JSON (spec 2-messages §4 rule 2). */
export type Values = Readonly<Record<string, unknown>>;

/**
 * The content of a send request, kept once for all of its recipients. What is rendered is kept as source and
 * values, so that it takes the space of one message however many recipients there are (ADR 30).
 */
export interface RequestContent extends MessageBody {
  readonly from: Mailbox;
  /** of a conversation, where all recipients read the same fields; without it a message is `To` its recipient */
  readonly to?: readonly Mailbox[] | undefined;
  readonly cc?: readonly Mailbox[] | undefined;
  readonly replyTo?: Mailbox | undefined;
  /** like texts and values of `headers`: a source where `rendering` is given */
  readonly subject: string;
  /** with angle brackets; without it each message has its own, `<id@domain>` */
  readonly messageId?: string | undefined;
  /** not used when `headers` holds a Date */
  readonly date: Date;
  readonly headers?: readonly HeaderField[] | undefined;
  /** how sources are rendered; missing: everything is literal */
  readonly rendering?: Rendering | undefined;
  /** of a template send: put hidden at the beginning of the HTML part; plain text, a source */
  readonly preheader?: string | undefined;
  /** by message id; what is not in here has no name and is literal */
  readonly recipients?: Readonly<Record<string, RecipientContent>> | undefined;
}

/** Where an object is written out field by field: the compiler asks for those that may be missing, too. */
export type AllFields<T> = { [Field in keyof Required<T>]: T[Field] };

interface Rendering {
  /** whether values are escaped in the HTML part: template sends (spec 2-messages §4 rules 6 and 8) */
  readonly escapeHtml: boolean;
  /** the preheader becomes HTML like the HTML part, so that `|safe` counts in it: campaigns (spec 3-marketing §5.4 rule 2) */
  readonly preheaderIsHtml?: boolean | undefined;
  /** of the request; a recipient's value of the same name wins (spec 2-messages §4 rule 4) */
  readonly values?: Values | undefined;
}

export interface RecipientContent {
  /** in the field `To` */
  readonly name?: string | undefined;
  /** its own values, the reserved ones among them; missing: everything is literal for this one */
  readonly values?: Values | undefined;
}

const MailboxHead = z.object({ email: z.string(), name: z.string().optional() });

/** Not copied and not looked into: keys are whatever the client chose. */
const ValuesHead = z.custom<Values>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

const Head = z.object({
  /** 2: what a release that knows 1 only must not take for a message */
  v: z.union([z.literal(1), z.literal(2)]),
  from: MailboxHead,
  to: z.array(MailboxHead).optional(),
  cc: z.array(MailboxHead).optional(),
  replyTo: MailboxHead.optional(),
  subject: z.string(),
  messageId: z.string().optional(),
  date: z.iso.datetime(),
  headers: z.array(z.object({ name: z.string(), value: z.string() })).optional(),
  text: z.string().optional(),
  html: z.string().optional(),
  amp: z.string().optional(),
  rendering: z
    .object({
      escapeHtml: z.boolean(),
      preheaderIsHtml: z.boolean().optional(),
      values: ValuesHead.optional(),
    })
    .optional(),
  preheader: z.string().optional(),
  recipients: z
    .record(z.string(), z.object({ name: z.string().optional(), values: ValuesHead.optional() }))
    .optional(),
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

/** What a release that knows contents only must not take for one. */
const RawHead = z.object({ v: z.literal(3), size: z.number().int().nonnegative() });
const AnyHead = z.union([Head, RawHead]);

const LENGTH_BYTES = 4;

/**
 * The content as the blob store keeps it: four bytes of length (big endian), the JSON of that length, then the bytes
 * of the attachments one after another, unencoded, or those of the raw message.
 * @throws TypeError when an attachment is a stream
 */
export function writeRequestContent(content: StoredContent): Buffer {
  if (isRaw(content)) return framed({ v: 3, size: sizeOf(content.raw) }, content.raw);
  const files = (content.attachments ?? []).map(({ content: bytes }) => {
    if (!(bytes instanceof Uint8Array)) throw new TypeError('an attachment to be stored must be in memory');
    return bytes;
  });
  return framed(headOf(content), files);
}

const sizeOf = (pieces: readonly Uint8Array[]): number => pieces.reduce((sum, { length }) => sum + length, 0);

/** In one buffer: what is small is not copied from one to another. */
function framed(head: object, rest: readonly Uint8Array[]): Buffer {
  const json = JSON.stringify(head);
  const jsonBytes = Buffer.byteLength(json);
  const bytes = Buffer.allocUnsafe(LENGTH_BYTES + jsonBytes + sizeOf(rest));
  bytes.writeUInt32BE(jsonBytes);
  let at = LENGTH_BYTES + bytes.write(json, LENGTH_BYTES);
  for (const piece of rest) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

function headOf(content: RequestContent): object {
  const { date, headers, attachments, from, to, cc, replyTo } = content;
  return {
    v: isOneMessage(content) ? 1 : 2,
    from,
    to,
    subject: content.subject,
    messageId: content.messageId,
    date: date.toISOString(),
    cc,
    replyTo,
    headers: headers?.map(({ name, value }) => ({ name, value })),
    text: content.text,
    html: content.html,
    amp: content.amp,
    rendering: content.rendering,
    preheader: content.preheader,
    recipients: content.recipients,
    attachments: attachments?.map(({ fileName, contentType, disposition, contentId, content: bytes }) => ({
      fileName,
      contentType,
      disposition,
      contentId,
      size: (bytes as Uint8Array).length,
    })),
  };
}

/** A literal message that all recipients share is written as before, so that every release can send it. */
function isOneMessage({ to, messageId, rendering, preheader, recipients }: RequestContent): boolean {
  return to !== undefined && messageId !== undefined && !rendering && !preheader && !recipients;
}

/** Where the bytes of an attachment stand among those that are stored. */
export interface StoredFile {
  readonly contentType: string;
  readonly start: number;
  readonly size: number;
}

/** The bytes of a stored content before its attachments or its raw message. @param start its first four bytes */
export const headLength = (start: Buffer): number => LENGTH_BYTES + start.readUInt32BE(0);

/**
 * Reads a content whose attachments are fetched by whoever needs them.
 * @param head the first `headLength` bytes
 * @returns undefined for a raw message @throws as `readRequestContent`
 */
export function readContentHead(
  head: Buffer,
): { files: StoredFile[]; withFiles: (contents: readonly Buffer[]) => RequestContent } | undefined {
  const read = AnyHead.parse(JSON.parse(head.toString('utf8', LENGTH_BYTES)));
  if (read.v === 3) return undefined;
  let at = head.length;
  const files = (read.attachments ?? []).map(({ contentType, size }) => {
    at += size;
    return { contentType, start: at - size, size };
  });
  return { files, withFiles: (contents) => withContents(read, contents) };
}

/** @throws Error (ZodError, SyntaxError, RangeError) when the bytes are not stored content */
export function readRequestContent(bytes: Buffer): StoredContent {
  const jsonEnd = LENGTH_BYTES + bytes.readUInt32BE(0);
  const head = AnyHead.parse(JSON.parse(bytes.toString('utf8', LENGTH_BYTES, jsonEnd)));
  return head.v === 3 ? rawOf(bytes.subarray(jsonEnd), head) : requestOf(bytes.subarray(jsonEnd), head);
}

function rawOf(raw: Buffer, { size }: z.infer<typeof RawHead>): RawContent {
  if (raw.length !== size) throw new RangeError('a stored content is cut short');
  return { raw: [raw] };
}

function requestOf(files: Buffer, head: z.infer<typeof Head>): RequestContent {
  let at = 0;
  const contents = (head.attachments ?? []).map(({ size }) => {
    const content = files.subarray(at, (at += size));
    if (content.length !== size) throw new RangeError('a stored content is cut short');
    return content;
  });
  return withContents(head, contents);
}

function withContents(head: z.infer<typeof Head>, contents: readonly Buffer[]): RequestContent {
  // written out, because objects made by rest and spread cost more than parsing the JSON
  const content: AllFields<RequestContent> = {
    from: head.from,
    to: head.to,
    cc: head.cc,
    replyTo: head.replyTo,
    subject: head.subject,
    messageId: head.messageId,
    date: new Date(head.date),
    headers: head.headers,
    text: head.text,
    html: head.html,
    amp: head.amp,
    rendering: head.rendering,
    preheader: head.preheader,
    recipients: head.recipients,
    attachments: head.attachments?.map((attachment, nth) => ({
      ...attachment,
      content: contents[nth] ?? Buffer.alloc(0),
    })),
  };
  return content;
}
