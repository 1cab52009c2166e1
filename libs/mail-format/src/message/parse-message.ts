import PostalMime, { decodeWords } from 'postal-mime';
import type { Attachment as ParsedAttachment } from 'postal-mime';

/** `content_parsed` of a message (spec 2-messages §3). */
export interface ParsedMessage {
  parts: { content_type: string; content: string }[];
  attachments: { filename: string; content: string; content_type: string; content_id: string }[];
  /** names in the case of their first occurrence; values unfolded and decoded */
  headers: Record<string, string[]>;
}

// A message is at most 20 MiB. Only hostile messages nest this deep or have this many headers.
const LIMITS = { maxNestingDepth: 50, maxHeadersSize: 1024 * 1024, maxRfc822NestingDepth: 3 } as const;

/**
 * Parses a message. Texts are decoded; enclosed messages and files are attachments in base64.
 * @throws Error when the message exceeds the limits (nesting, header size)
 */
export async function parseMessage(raw: Uint8Array): Promise<ParsedMessage> {
  const email = await PostalMime.parse(raw, {
    ...LIMITS,
    attachmentEncoding: 'arraybuffer',
    forceRfc822Attachments: true,
  });
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
    filename: attachment.filename ?? '',
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
