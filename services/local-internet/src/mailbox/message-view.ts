import { bodyBytes, bodyText, readLeaves, readParts, type AttachedPart } from '@postmesh/mail-format';
import { headerFields, type HeaderField } from '../messages/message.rules.js';

export interface MessagePart {
  name: string;
  contentType: string;
  content: Buffer;
}

/** A message parsed for display. */
export interface MessageView {
  headers: HeaderField[];
  text: string;
  /** Undefined when the message has no HTML part. */
  html: string | undefined;
  attachments: MessagePart[];
  /** Parts that the HTML can show, by Content-ID. */
  inline: Map<string, MessagePart>;
}

// More than a person reads; the source has the whole text.
const MAX_TEXT_LENGTH = 1024 * 1024;
const MAX_HEADERS = 500;
const MAX_INLINE_IMAGE_BYTES = 5 * 1024 * 1024;
const IMAGE = /^image\/(?:png|jpe?g|gif|webp|avif|bmp|svg\+xml)$/i;

/** @throws never for malformed messages: all readable parts are shown */
export function viewMessage(raw: Buffer): MessageView {
  const { root } = readParts(raw);
  const { bodies, attachments } = readLeaves(root, ['text/plain', 'text/html']);
  const html = bodies.filter(({ type }) => type === 'text/html').map(bodyText);
  const text = bodies.filter(({ type }) => type === 'text/plain').map(bodyText);
  const parts = attachments.map(messagePart);
  return {
    headers: headerFields(raw).slice(0, MAX_HEADERS),
    text: text.join('\n').replaceAll('\r\n', '\n').slice(0, MAX_TEXT_LENGTH),
    html: html.length === 0 ? undefined : html.join('\n'),
    attachments: parts,
    inline: new Map(
      parts.flatMap((part, at) => {
        const contentId = attachments[at]?.contentId ?? '';
        return contentId === '' ? [] : [[contentId.replace(/^<|>$/g, ''), part] as const];
      }),
    ),
  };
}

const messagePart = ({ filename, contentType, part }: AttachedPart, at: number): MessagePart => ({
  name: filename === '' ? `part-${at + 1}` : filename,
  contentType,
  content: bodyBytes(part),
});

/**
 * The page of a message's HTML. `htmlPolicy` decides what it may run and load, and the message is not changed; only
 * its own images (`cid:`, RFC 2392) are put in place, and links open in another window.
 */
export function htmlDocument(html: string, inline: ReadonlyMap<string, MessagePart>): string {
  const withImages = html.replace(/\bcid:([^"'\s)>]+)/gi, (reference, id: string) => {
    const part = inline.get(id) ?? inline.get(safeDecode(id));
    if (part === undefined || !IMAGE.test(part.contentType)) return reference;
    if (part.content.length > MAX_INLINE_IMAGE_BYTES) return reference;
    return `data:${part.contentType};base64,${part.content.toString('base64')}`;
  });
  const base = '<base target="_blank">';
  // In the head where there is one, since text before the doctype changes the layout of the page.
  const head = /<head(?:\s[^>]*)?>|<html(?:\s[^>]*)?>|<!doctype[^>]*>/gi;
  const at = [...withImages.slice(0, 4096).matchAll(head)].at(-1);
  const end = at === undefined ? 0 : at.index + at[0].length;
  return `${withImages.slice(0, end)}${base}${withImages.slice(end)}`;
}

/** No scripts, no forms, no origin of its own; images from outside only when the reader asks for them. */
export function htmlPolicy(withRemoteImages: boolean): string {
  const images = withRemoteImages ? 'img-src data: http: https:' : 'img-src data:';
  return [
    'sandbox allow-popups allow-popups-to-escape-sandbox',
    "default-src 'none'",
    images,
    "style-src 'unsafe-inline'",
    'font-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
}

/** Whether the message refers to content from outside. */
export function hasRemoteImages(html: string): boolean {
  return /<img[^>]+src\s*=\s*["']?\s*https?:/i.test(html) || /url\(\s*["']?\s*https?:/i.test(html);
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
