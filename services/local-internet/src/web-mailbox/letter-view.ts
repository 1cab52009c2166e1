import PostalMime, { type Attachment, type Email } from 'postal-mime';
import { headerLines, type HeaderLine } from '../letters/header-lines.rules.js';

export interface LetterPart {
  name: string;
  contentType: string;
  content: Buffer;
}

/** A letter taken apart for people to read. */
export interface LetterView {
  headers: HeaderLine[];
  text: string;
  /** Undefined when the letter has no HTML part. */
  html: string | undefined;
  attachments: LetterPart[];
  inline: Map<string, LetterPart>;
}

// More than anybody reads; the whole stands in the source.
const LONGEST_TEXT = 1024 * 1024;
const MOST_HEADERS = 500;

/** @throws never for odd letters: the parser takes what there is */
export async function viewLetter(raw: Buffer): Promise<LetterView> {
  const email: Email = await PostalMime.parse(raw, { attachmentEncoding: 'arraybuffer' });
  const parts = email.attachments.map((attachment, at) => ({ attachment, part: partOf(attachment, at) }));
  return {
    headers: headerLines(raw).slice(0, MOST_HEADERS),
    text: (email.text ?? '').slice(0, LONGEST_TEXT),
    html: email.html,
    attachments: parts.map(({ part }) => part),
    inline: new Map(
      parts.flatMap(({ attachment: { contentId }, part }) =>
        contentId === undefined ? [] : [[contentId.replace(/^<|>$/g, ''), part] as const],
      ),
    ),
  };
}

function partOf(attachment: Attachment, at: number): LetterPart {
  const { content } = attachment;
  return {
    name: attachment.filename ?? `part-${at + 1}`,
    contentType: attachment.mimeType,
    content: typeof content === 'string' ? Buffer.from(content) : Buffer.from(new Uint8Array(content)),
  };
}
