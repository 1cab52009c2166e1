import type { LetterPart } from './letter-view.js';

const LARGEST_INLINE_IMAGE = 5 * 1024 * 1024;
const IMAGE = /^image\/(?:png|jpe?g|gif|webp|avif|bmp|svg\+xml)$/i;

/**
 * The page of a letter's HTML. What runs or loads in it is decided by `htmlPolicy`, not by changing the letter;
 * only images that the letter brings along (`cid:`, RFC 2392) are put in place, and links open elsewhere.
 */
export function htmlDocument(html: string, inline: ReadonlyMap<string, LetterPart>): string {
  const withImages = html.replace(/\bcid:([^"'\s)>]+)/gi, (reference, id: string) => {
    const part = inline.get(id) ?? inline.get(safeDecode(id));
    if (part === undefined || !IMAGE.test(part.contentType)) return reference;
    if (part.content.length > LARGEST_INLINE_IMAGE) return reference;
    return `data:${part.contentType};base64,${part.content.toString('base64')}`;
  });
  const base = '<base target="_blank">';
  // In the head where there is one, since anything before the doctype changes how the page is laid out.
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

/** Whether the letter would load anything from outside if it could. */
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
