import { compile } from 'html-to-text';
import { marksOf } from './marks.js';

const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];

const toText = compile({
  // a break could come inside of a `{{ … }}`, and mail programs wrap text themselves
  wordwrap: false,
  // the thread has checked the depth
  limits: { maxInputLength: undefined },
  formatters: {
    cell(element, walk, builder) {
      walk(element.children, builder);
      builder.addInline(' ', {});
    },
    alternative: (element, _walk, builder) => builder.addInline(element.attribs.alt ?? '', {}),
  },
  selectors: [
    {
      selector: 'a',
      options: { linkBrackets: ['(', ')'], hideLinkHrefIfSameAsText: true, noAnchorUrl: true },
    },
    { selector: 'img', format: 'alternative' },
    // upper case would rename variables
    ...HEADINGS.map((selector) => ({ selector, options: { uppercase: false } })),
    { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    { selector: 'td', format: 'cell' },
    { selector: 'th', format: 'cell' },
    // preview texts
    { selector: '[style*="display:none"]', format: 'skip' },
    { selector: '[style*="display: none"]', format: 'skip' },
    { selector: 'head', format: 'skip' },
    { selector: 'style', format: 'skip' },
    { selector: 'script', format: 'skip' },
  ],
});

/**
 * The text part that is made from HTML: lines for blocks, `label (url)` for links, their alternative texts for
 * images. Template language stays as written. The same HTML always gives the same text.
 */
export function textOfHtml(html: string): string {
  const { text, kept } = takeMarks(html);
  return toText(text)
    .replaceAll(/[ \t]+$/gm, '')
    .replaceAll(/\uE000(\d+)\uE001/g, (placeholder, index) => kept[Number(index)] ?? placeholder)
    .replaceAll('\r\n', '\n')
    .trim();
}

/** Replaces template language by placeholders, which no converter changes. */
function takeMarks(html: string): { text: string; kept: string[] } {
  // the same mark has one placeholder: a link that shows its own URL is recognised
  const places = new Map<string, number>();
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of marksOf(html)) {
    const text = html.slice(start, end);
    const place = places.get(text) ?? places.size;
    places.set(text, place);
    parts.push(html.slice(from, start), `\uE000${place}\uE001`);
    from = end;
  }
  return { text: parts.join('') + html.slice(from), kept: [...places.keys()] };
}
