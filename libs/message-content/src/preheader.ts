// Hidden in every mail program, and shown in the list of messages behind the subject.
const HIDDEN =
  'display:none;font-size:1px;line-height:1px;max-height:0;max-width:0;opacity:0;overflow:hidden;mso-hide:all';

/**
 * The HTML with its preview text, hidden right behind `<body>`; at the beginning of the content where there is no such
 * tag (spec 2-messages §6.4 rule 10).
 * @param preheader plain text
 */
export function withPreheader(html: string, preheader: string): string {
  if (preheader.trim() === '') return html;
  const at = contentStart(html);
  return `${html.slice(0, at)}<div style="${HIDDEN}">${escapeHtml(preheader)}</div>${html.slice(at)}`;
}

const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPED[character] ?? '');

// What ends where content begins, and what may hide a tag that is none.
const MARKUP = /<(?:!--|!doctype\b|(\/?[a-z][\w:-]*)(?=[\s/>]))/gi;
const RAW_TEXT = new Set(['script', 'style', 'title', 'textarea']);
/** before the content of a document without `<body>` */
const BEFORE_CONTENT = new Set(['html', '/head']);

/** One pass: each step goes on behind what it has read, so hostile HTML costs no more than its length. */
function contentStart(html: string): number {
  let start = 0;
  MARKUP.lastIndex = 0;
  for (let found = MARKUP.exec(html); found !== null; found = MARKUP.exec(html)) {
    const name = found[1]?.toLowerCase();
    // `<!-->` is a whole comment: its end may share the dashes of its beginning
    const end = found[0] === '<!--' ? endOf(html, '-->', MARKUP.lastIndex - 2) : tagEnd(html, MARKUP.lastIndex);
    if (end === undefined) return start;
    if (name === 'body') return end;
    if (name === undefined ? found[0] !== '<!--' : BEFORE_CONTENT.has(name)) start = end;
    const next = name !== undefined && RAW_TEXT.has(name) ? closingTag(html, name, end) : end;
    if (next === undefined) return start;
    MARKUP.lastIndex = next;
  }
  return start;
}

function endOf(html: string, mark: string, from: number): number | undefined {
  const at = html.indexOf(mark, from);
  return at < 0 ? undefined : at + mark.length;
}

/** Behind the `>` that is not inside a quoted attribute. */
function tagEnd(html: string, from: number): number | undefined {
  let quote = '';
  for (let at = from; at < html.length; at++) {
    const character = html[at];
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '"' || character === "'") {
      quote = character;
    } else if (character === '>') {
      return at + 1;
    }
  }
  return undefined;
}

function closingTag(html: string, name: string, from: number): number | undefined {
  const closing = new RegExp(`</${name}(?=[\\s/>])`, 'gi');
  closing.lastIndex = from;
  return closing.exec(html)?.index;
}
