import { createHash } from 'node:crypto';
import { attachmentPart } from '../mime/attachment-part.js';
import type { Attachment } from '../mime/attachment.rules.js';
import { Boundaries, multipart } from '../mime/mime-part.js';
import type { MimePart } from '../mime/mime-part.js';
import { textPart } from '../mime/text-part.js';
import type { ComposedBody, MessageBody } from './message-content.js';

const CRLF = Buffer.from('\r\n', 'latin1');
// Small bodies are joined: one buffer to hash and to write. Big ones are not copied again.
const JOIN_UP_TO = 256 * 1024;

/**
 * The MIME tree of spec 2-messages §5.1.2: mixed(related(alternative(text, AMP, HTML), inline), attachments);
 * levels with one child collapse.
 * @param seed what the boundaries are made from: the Message-ID, or the send request for a body that messages share
 */
export async function composeBody(content: MessageBody, seed: string): Promise<ComposedBody> {
  const boundaries = new Boundaries(createHash('sha256').update(seed).digest('hex').slice(0, 32));
  const attachments = content.attachments ?? [];
  if (attachments.length === 0) return finish(alternatives(content, boundaries));
  const inline = attachments.filter((attachment) => isInlineOf(content, attachment));
  const attached = attachments.filter((attachment) => !inline.includes(attachment));
  const hasText = attached.length === 0 || [content.text, content.html, content.amp].some(isPresent);
  const related = hasText
    ? [multipart('related', [alternatives(content, boundaries), ...(await partsOf(inline))], boundaries)]
    : [];
  return finish(multipart('mixed', [...related, ...(await partsOf(attached))], boundaries));
}

/** Inline parts belong to the HTML that shows them; without HTML they are plain attachments. */
function isInlineOf(content: MessageBody, attachment: Attachment): boolean {
  return isPresent(content.html) && attachment.disposition === 'inline' && attachment.contentId !== undefined;
}

function alternatives(content: MessageBody, boundaries: Boundaries): MimePart {
  const parts: MimePart[] = [];
  if (isPresent(content.text)) parts.push(textPart('text/plain', content.text));
  if (isPresent(content.amp)) parts.push(textPart('text/x-amp-html', content.amp));
  if (isPresent(content.html)) parts.push(textPart('text/html', content.html));
  if (parts.length === 0) parts.push(textPart('text/plain', ''));
  return multipart('alternative', parts, boundaries);
}

/** One after the other: the memory of one encoder at a time. */
async function partsOf(attachments: readonly Attachment[]): Promise<MimePart[]> {
  const parts: MimePart[] = [];
  for (const attachment of attachments) parts.push(await attachmentPart(attachment));
  return parts;
}

function finish(part: MimePart): ComposedBody {
  const chunks = [...part.body];
  if (!endsInCrlf(chunks.at(-1))) chunks.push(CRLF);
  const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const joined = chunks.length > 1 && size <= JOIN_UP_TO ? [Buffer.concat(chunks, size)] : chunks;
  return { contentHeaders: part.headers, chunks: joined, size };
}

function endsInCrlf(chunk: Buffer | undefined): boolean {
  return chunk !== undefined && chunk.at(-1) === 0x0a && chunk.at(-2) === 0x0d;
}

function isPresent(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}
