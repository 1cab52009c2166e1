import type { Meter } from './limits.js';

const SLICE = 16_384;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const escapeHtml = (text: string): string =>
  /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character) : text;

/** Percent-encodes all but alphanumeric characters and `/.-_`, as MiniJinja does. */
export const encodeUrl = (text: string): string =>
  encodeURIComponent(text)
    .replace(/[!'()*~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%2F', '/');

/** Escapes characters with a meaning in HTML as JSON does: the result may be used in a script or an attribute. */
export const escapeJson = (json: string): string =>
  json.replace(/[<>&']/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);

/**
 * Rewrites a text that may grow several times, piece by piece, so that a limit is reached before all of it is in
 * memory.
 */
export function rewrite(text: string, map: (piece: string) => string, meter: Meter): string {
  let result = '';
  for (let from = 0; from < text.length;) {
    let to = from + SLICE;
    // not between the halves of a surrogate pair
    if (/[\ud800-\udbff]/.test(text[to - 1] ?? '')) to += 1;
    const piece = map(text.slice(from, to));
    meter.make(piece.length);
    result += piece;
    from = to;
  }
  return result;
}
