import { marksOf } from '../thread/marks.js';
import { isLink } from './blocks.schema.js';

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text as HTML; template language stays as it is, since it becomes text at sending. */
export function escapeText(text: string, mark = (source: string) => source): string {
  const parts: string[] = [];
  let from = 0;
  const escaped = (part: string) => part.replaceAll(/[&<>"]/g, (char) => ENTITIES[char] ?? char);
  for (const { start, end } of marksOf(text)) {
    parts.push(escaped(text.slice(from, start)), mark(text.slice(start, end)));
    from = end;
  }
  return [...parts, escaped(text.slice(from))].join('');
}

/** The value of an attribute in quotes: strings of template language, which has both kinds, get the other ones. */
export const escapeAttribute = (text: string): string =>
  escapeText(text, (mark) =>
    mark.includes("'") ? mark.replaceAll('"', '&quot;') : mark.replaceAll('"', "'"),
  );

// Template language first: its stars are no markup. Bounded, and without nesting, so that no text is slow to match.
const SPAN =
  /(\{[{%#][^\n]{0,1000}?[}%#]\})|\*\*([^*\n]{1,2000})\*\*|\*([^*\s](?:[^*\n]{0,2000}[^*\s])?)\*|\[([^[\]\n]{1,500})\]\(((?:\{\{[^{}\n]{0,500}\}\}|[^()\s]{1,2000}))\)/;

/** Bold, italic and links of one line. */
function spans(line: string, linkStyle: string): string {
  const parts: string[] = [];
  let rest = line;
  for (let match = SPAN.exec(rest); match; match = SPAN.exec(rest)) {
    const [whole, mark, bold, italic, label, target] = match;
    parts.push(escapeText(rest.slice(0, match.index)));
    if (mark !== undefined) parts.push(mark);
    else if (bold !== undefined) parts.push(`<strong>${spans(bold, linkStyle)}</strong>`);
    else if (italic !== undefined) parts.push(`<em>${spans(italic, linkStyle)}</em>`);
    else if (label !== undefined && target !== undefined && isLink(target))
      parts.push(`<a href="${escapeAttribute(target)}" style="${linkStyle}">${spans(label, linkStyle)}</a>`);
    else parts.push(escapeText(whole));
    rest = rest.slice(match.index + whole.length);
  }
  return parts.join('') + escapeText(rest);
}

/** Paragraphs of HTML, on one line. */
export function htmlOfMarkup(text: string, linkStyle: string): string {
  const paragraphs = text
    .replaceAll('\r\n', '\n')
    .split(/\n[ \t]*\n\s*/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '');
  return paragraphs
    .map((paragraph, nth) => {
      const lines = paragraph.split('\n').map((line) => spans(line, linkStyle));
      const space = nth === paragraphs.length - 1 ? '0' : '0 0 16px';
      return `<p style="margin:${space}">${lines.join('<br />')}</p>`;
    })
    .join('');
}
