import { setImmediate as breathe } from 'node:timers/promises';
import PostalMime, { decodeWords } from 'postal-mime';
import type { Attachment as ParsedAttachment, PostalMimeOptions } from 'postal-mime';
import { plainFileName } from '../mime/file-name.rules.js';

/** `content_parsed` of a message (spec 2-messages §3). */
export interface ParsedMessage {
  parts: { content_type: string; content: string }[];
  attachments: { filename: string; content: string; content_type: string; content_id: string }[];
  /** names in the case of their first occurrence; values unfolded and decoded */
  headers: Record<string, string[]>;
}

// A message is at most 20 MiB. Only hostile messages nest this deep or have this many headers.
const LIMITS = { maxNestingDepth: 50, maxHeadersSize: 1024 * 1024, maxRfc822NestingDepth: 3 } as const;

// In a message of 20 MiB lines of ten bytes; those of base64 have 78.
const MAX_LINES = 2_000_000;
// Forty microseconds each.
const MAX_PARTS = 10_000;
// Ends of base64 before the end of a line, where no composer puts them: five microseconds each.
const MAX_INNER_PADS = 10_000;
// Then others have their turn.
const TURN_MS = 10;
const MAX_PIECES = 4_096;
const LINE_FEED = Buffer.from('\n');
const PAD = 0x3d;

/** The parser has further members, which its types leave out. Its version is pinned, and tests ask whether they are there. */
interface Inside {
  /** of the part that a line belongs to; none once it is finished */
  readonly currentNode: {
    readonly contentDecoder: { chunks: (Uint8Array | string)[] } | null;
    readonly contentTransferEncoding: { readonly encoding: string };
  };
  processLine(line: Uint8Array, isFinal: boolean): Promise<void>;
}
const Parser = PostalMime as unknown as new (options: PostalMimeOptions) => PostalMime & Inside;

/**
 * The parser with bounds in time. By itself it takes a message apart in one turn of the process, and it puts a body that is
 * not encoded together from two pieces per line, which takes a minute for a megabyte of short lines.
 */
class BoundedParser extends Parser {
  private lines = 0;
  private parts = 0;
  private innerPads = 0;
  private lastNode: object | undefined;
  private turnSince = performance.now();
  /** pieces that were put together already, by decoder */
  private readonly joined = new WeakMap<object, number>();

  override async processLine(line: Uint8Array, isFinal: boolean): Promise<void> {
    this.lines += 1;
    if (this.lines > MAX_LINES) throw new Error(`a message of more than ${MAX_LINES} lines`);
    this.countPads(line);
    await super.processLine(line, isFinal);
    this.countParts();
    this.joinPieces();
    if (performance.now() - this.turnSince < TURN_MS) return;
    await breathe();
    this.turnSince = performance.now();
  }

  private countPads(line: Uint8Array): void {
    if (!/base64/i.test(this.currentNode.contentTransferEncoding.encoding)) return;
    for (let at = line.indexOf(PAD); at !== -1; at = line.indexOf(PAD, at + 1))
      if (at + 1 < line.length && line[at + 1] !== PAD) this.innerPads += 1;
    if (this.innerPads > MAX_INNER_PADS)
      throw new Error(`base64 that ends more than ${MAX_INNER_PADS} times`);
  }

  private countParts(): void {
    if (this.currentNode === this.lastNode) return;
    this.lastNode = this.currentNode;
    this.parts += 1;
    if (this.parts > MAX_PARTS) throw new Error(`a message of more than ${MAX_PARTS} parts`);
  }

  private joinPieces(): void {
    const decoder = this.currentNode.contentDecoder;
    if (!decoder) return;
    const joined = this.joined.get(decoder) ?? 0;
    if (decoder.chunks.length - joined < MAX_PIECES) return;
    const pieces = decoder.chunks.splice(joined);
    decoder.chunks.push(
      Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? LINE_FEED : piece))),
    );
    this.joined.set(decoder, joined + 1);
  }
}

/**
 * Parses a message, in turns of the process. Texts are decoded; enclosed messages and files are attachments in base64.
 * @throws Error when the message exceeds the limits (nesting, header size, lines, parts)
 */
export async function parseMessage(raw: Uint8Array): Promise<ParsedMessage> {
  const email = await new BoundedParser({
    ...LIMITS,
    attachmentEncoding: 'arraybuffer',
    forceRfc822Attachments: true,
  }).parse(raw);
  const parts: ParsedMessage['parts'] = [];
  if (email.text !== undefined) parts.push({ content_type: 'text/plain', content: email.text });
  const attachments: ParsedMessage['attachments'] = [];
  for (const attachment of email.attachments) {
    if (isAlternative(attachment)) {
      parts.push({ content_type: attachment.mimeType, content: bytesOf(attachment).toString('utf8') });
    } else {
      attachments.push(describe(attachment));
    }
  }
  if (email.html !== undefined) parts.push({ content_type: 'text/html', content: email.html });
  return { parts, attachments, headers: collectHeaders(email.headers) };
}

/** AMP is an alternative text of the message; the parser knows only plain text and HTML as such. */
function isAlternative(attachment: ParsedAttachment): boolean {
  return attachment.mimeType === 'text/x-amp-html' && attachment.disposition === null;
}

function describe(attachment: ParsedAttachment): ParsedMessage['attachments'][number] {
  return {
    filename: plainFileName(attachment.filename ?? ''),
    content: bytesOf(attachment).toString('base64'),
    content_type: attachment.mimeType,
    content_id: attachment.contentId?.replace(/^<|>$/g, '') ?? '',
  };
}

function bytesOf(attachment: ParsedAttachment): Buffer {
  const { content } = attachment;
  if (typeof content === 'string') return Buffer.from(content, 'utf8');
  return content instanceof Uint8Array
    ? Buffer.from(content.buffer, content.byteOffset, content.byteLength)
    : Buffer.from(content);
}

function collectHeaders(headers: readonly { key: string; originalKey: string; value: string }[]) {
  const names = new Map<string, string>();
  const collected = new Map<string, string[]>();
  for (const { key, originalKey, value } of headers) {
    const name = names.get(key) ?? originalKey;
    names.set(key, name);
    const values = collected.get(name) ?? [];
    values.push(decodeWords(value));
    collected.set(name, values);
  }
  return Object.fromEntries(collected);
}
