import { z } from 'zod';
import { parseExactJson } from '@postmesh/contracts';
import type { HeaderField, Mailbox, MessageBody } from '@postmesh/mail-format';

/** The values of template variables: any JSON (spec 2-messages §4 rule 2). */
export type Values = Readonly<Record<string, unknown>>;

/**
 * The content of a send request, stored once for all of its recipients. Templates are stored as source and values,
 * so that a send takes the space of one message whatever the number of recipients (ADR 30).
 */
export interface RequestContent extends MessageBody {
  readonly from: Mailbox;
  /** of a conversation, where all recipients read the same fields; without it a message is `To` its recipient */
  readonly to?: readonly Mailbox[] | undefined;
  readonly cc?: readonly Mailbox[] | undefined;
  readonly replyTo?: Mailbox | undefined;
  /** a template, like texts and values of `headers`, when `rendering` is given */
  readonly subject: string;
  /** with angle brackets; without it each message has its own, `<id@domain>` */
  readonly messageId?: string | undefined;
  /** not used when `headers` holds a Date */
  readonly date: Date;
  readonly headers?: readonly HeaderField[] | undefined;
  /** how sources are rendered; missing: everything is literal */
  readonly rendering?: Rendering | undefined;
  /** of a template send: inserted, hidden, at the beginning of the HTML part; plain text, a source */
  readonly preheader?: string | undefined;
  /** by message id; a recipient that is missing here has no name and is literal */
  readonly recipients?: Readonly<Record<string, RecipientContent>> | undefined;
}

/**
 * A message that its sender composed: the accepted bytes in CRLF lines, with our trace fields first and without the
 * fields that are meant for us only (ADR 45). Sending adds what each recipient needs.
 */
export interface RawContent {
  /** in pieces while it is accepted, so that a large message is copied once; in one piece after reading */
  readonly raw: readonly Buffer[];
}

/** The stored form of a send request's content: the sources of its messages, or the raw message. */
export type StoredContent = RequestContent | RawContent;

export const isRaw = (content: StoredContent): content is RawContent => 'raw' in content;

/** In one piece. */
export const rawBytes = ({ raw: [first = Buffer.alloc(0), ...more] }: RawContent): Buffer =>
  more.length === 0 ? first : Buffer.concat([first, ...more]);

/** For objects that are written out field by field: the compiler requires optional fields, too. */
export type AllFields<T> = { [Field in keyof Required<T>]: T[Field] };

interface Rendering {
  /** whether values are escaped in the HTML part: template sends (spec 2-messages §4 rules 6 and 8) */
  readonly escapeHtml: boolean;
  /** the preheader is rendered as HTML, so that `|safe` applies in it: campaigns (spec 3-marketing §5.4 rule 2) */
  readonly preheaderIsHtml?: boolean | undefined;
  /** of a sub-account: its rendering uses its family's share of the threads' time */
  readonly parentAccountId?: string | undefined;
  /** of the request; a recipient's value of the same name wins (spec 2-messages §4 rule 4) */
  readonly values?: Values | undefined;
}

export interface RecipientContent {
  /** in the field `To` */
  readonly name?: string | undefined;
  /** its own values, reserved ones included; missing: everything is literal for this recipient */
  readonly values?: Values | undefined;
}

const MailboxHead = z.object({ email: z.string(), name: z.string().optional() });

/** Neither copied nor validated: the client chose the keys. */
const ValuesHead = z.custom<Values>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

const Head = z.object({
  /** 2: releases that know 1 only must not read it as a message */
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
      parentAccountId: z.string().optional(),
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

const size = z.number().int().nonnegative();

/** Releases that know contents only must not read it as one. */
const RawHead = z.object({ v: z.literal(3), size });
const AnyHead = z.union([Head, RawHead]);

/** Bytes of each text that follows the JSON, in this order. */
const TextSizes = z.object({ text: size.optional(), html: size.optional(), amp: size.optional() });
const TEXTS = ['text', 'html', 'amp'] as const;
/** Releases that do not know texts after the JSON must not read it as a message without texts. */
const WithTexts = Head.extend({ v: z.literal(4), texts: TextSizes });

const LENGTH_BYTES = 4;
// No JSON begins with this byte. The length of the JSON, the JSON and the texts follow it.
const TEXTS_FOLLOW = 0x04;
const JSON_AT = LENGTH_BYTES + 1 + LENGTH_BYTES;

/**
 * The content as the blob store keeps it: four bytes of length (big endian), a head of that length, then the bytes
 * of the attachments one after another, unencoded, or those of the raw message. The head is JSON. With `rawTexts`
 * the texts, which are most of it, follow the JSON unencoded; releases before decision 92 cannot read that.
 * @throws TypeError when an attachment is a stream
 */
export function writeRequestContent(
  content: StoredContent,
  { rawTexts }: { readonly rawTexts: boolean } = { rawTexts: false },
): Buffer {
  if (isRaw(content)) return framed({ v: 3, size: sizeOf(content.raw) }, content.raw);
  const files = (content.attachments ?? []).map(({ content: bytes }) => {
    if (!(bytes instanceof Uint8Array)) throw new TypeError('a stored attachment must be in memory');
    return bytes;
  });
  return rawTexts ? framedTexts(content, files) : framed(headOf(content), files);
}

function framedTexts(content: RequestContent, files: readonly Uint8Array[]): Buffer {
  const texts: { [Field in (typeof TEXTS)[number]]?: number } = {};
  for (const field of TEXTS) {
    const text = content[field];
    if (text !== undefined) texts[field] = Buffer.byteLength(text);
  }
  const json = JSON.stringify({
    ...headOf(content),
    v: 4,
    texts,
    text: undefined,
    html: undefined,
    amp: undefined,
  });
  const jsonBytes = Buffer.byteLength(json);
  const headBytes = JSON_AT + jsonBytes + (texts.text ?? 0) + (texts.html ?? 0) + (texts.amp ?? 0);
  const bytes = Buffer.allocUnsafe(headBytes + sizeOf(files));
  bytes.writeUInt32BE(headBytes - LENGTH_BYTES);
  bytes[LENGTH_BYTES] = TEXTS_FOLLOW;
  bytes.writeUInt32BE(jsonBytes, LENGTH_BYTES + 1);
  let at = JSON_AT + bytes.write(json, JSON_AT);
  for (const field of TEXTS) at += bytes.write(content[field] ?? '', at);
  return append(bytes, files, at);
}

const sizeOf = (pieces: readonly Uint8Array[]): number => pieces.reduce((sum, { length }) => sum + length, 0);

/** In one buffer, so that small content is copied once. */
function framed(head: object, rest: readonly Uint8Array[]): Buffer {
  const json = JSON.stringify(head);
  const jsonBytes = Buffer.byteLength(json);
  const bytes = Buffer.allocUnsafe(LENGTH_BYTES + jsonBytes + sizeOf(rest));
  bytes.writeUInt32BE(jsonBytes);
  return append(bytes, rest, LENGTH_BYTES + bytes.write(json, LENGTH_BYTES));
}

function append(bytes: Buffer, pieces: readonly Uint8Array[], start: number): Buffer {
  let at = start;
  for (const piece of pieces) {
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

/** A literal message that all recipients share keeps its earlier format, so that every release can send it. */
function isOneMessage({ to, messageId, rendering, preheader, recipients }: RequestContent): boolean {
  return to !== undefined && messageId !== undefined && !rendering && !preheader && !recipients;
}

/** The range of an attachment within the stored bytes. */
export interface StoredFile {
  readonly contentType: string;
  readonly start: number;
  readonly size: number;
}

/** The bytes of a stored content before its attachments or its raw message. @param start its first four bytes */
export const headLength = (start: Buffer): number => LENGTH_BYTES + start.readUInt32BE(0);

/**
 * Reads a content without its attachments, which the caller fetches where it needs them.
 * @param head the first `headLength` bytes
 * @returns undefined for a raw message @throws as `readRequestContent`
 */
export function readContentHead(
  head: Buffer,
): { files: StoredFile[]; withFiles: (contents: readonly Buffer[]) => RequestContent } | undefined {
  const read = readHead(head);
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
  const end = headLength(bytes);
  const head = readHead(bytes.subarray(0, end));
  return head.v === 3 ? rawOf(bytes.subarray(end), head) : requestOf(bytes.subarray(end), head);
}

type ReadHead = z.infer<typeof Head> | z.infer<typeof WithTexts>;

/** @param head the first `headLength` bytes */
function readHead(head: Buffer): ReadHead | z.infer<typeof RawHead> {
  if (head[LENGTH_BYTES] !== TEXTS_FOLLOW)
    return AnyHead.parse(parseHead(head.toString('utf8', LENGTH_BYTES)));
  let at = JSON_AT + head.readUInt32BE(LENGTH_BYTES + 1);
  const read = WithTexts.parse(parseHead(head.toString('utf8', JSON_AT, at)));
  for (const field of TEXTS) {
    const bytes = read.texts[field];
    if (bytes === undefined) continue;
    if (at + bytes > head.length) throw new RangeError('a stored content is cut short');
    read[field] = head.toString('utf8', at, (at += bytes));
  }
  return read;
}

/** Values keep the digits of their numbers; most messages have none. */
const parseHead = (json: string): unknown =>
  json.includes('"values":{') ? parseExactJson(json) : JSON.parse(json);

function rawOf(raw: Buffer, { size }: z.infer<typeof RawHead>): RawContent {
  if (raw.length !== size) throw new RangeError('a stored content is cut short');
  return { raw: [raw] };
}

function requestOf(files: Buffer, head: ReadHead): RequestContent {
  let at = 0;
  const contents = (head.attachments ?? []).map(({ size }) => {
    const content = files.subarray(at, (at += size));
    if (content.length !== size) throw new RangeError('a stored content is cut short');
    return content;
  });
  return withContents(head, contents);
}

function withContents(head: ReadHead, contents: readonly Buffer[]): RequestContent {
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
