import { leavesOf, textOf, type Part } from '@postmesh/mail-format';
import { Parser } from 'htmlparser2';

/** Writers of reports are brief; the rest is our own message. */
const MAX_TEXT_BYTES = 64 * 1024;

/** The own text of the writer of a message, and its quotes of ours. */
export interface OwnText {
  /** without our message and without quoted lines */
  readonly says: string;
  /** our message, from its header on; empty when there is none */
  readonly quoted: string;
  /** both, in case the line between them names the writer */
  readonly whole: string;
}

/** @param root of a message; its plain text, else the text of its HTML */
export function readOwnText(root: Part): OwnText {
  const parts = leavesOf(root);
  const plain = joined(parts, 'text/plain');
  const whole = (plain.trim() === '' ? textOfHtml(joined(parts, 'text/html')) : plain).replaceAll(
    '\r\n',
    '\n',
  );
  const { ends, quotedFrom } = findQuoted(whole);
  return {
    says: withoutQuotes(whole.slice(0, ends)),
    quoted: whole.slice(quotedFrom),
    whole: withoutQuotes(whole),
  };
}

function joined(parts: readonly Part[], type: string): string {
  let text = '';
  for (const part of parts) {
    if (part.type !== type || text.length >= MAX_TEXT_BYTES) continue;
    text += `${textOf(part, MAX_TEXT_BYTES - text.length)}\n`;
  }
  return text;
}

/** Lines before the returned message. */
const SEPARATOR =
  /^[ \t]{0,10}(?:-{2,20} ?(?:below this line is a copy|this is a copy of|the header of the original|original message|returned message|unsent message|message header|undelivered message|included is a copy|the following is a copy|original headers)|(?:original message (?:headers|follows)|below is a copy of the original message|message details:|header of the original message|original-?kopfzeilen|ursprüngliche nachrichtenkopfzeilen|en-?têtes de message d'origine|encabezados de mensaje originales|исходные заголовки сообщения)).{0,200}$/im;
/** A message that begins without such a line. */
const HEADER_LINE = /^(?:return-path: ?<|received: (?:from|by) |dkim-signature: v=|x-original-to: )/im;

function findQuoted(text: string): { ends: number; quotedFrom: number } {
  const separator = SEPARATOR.exec(text);
  const header = HEADER_LINE.exec(text);
  if (separator !== null && separator.index <= (header?.index ?? Infinity)) {
    const after = separator.index + separator[0].length;
    // empty lines and rulers between the separator and the message
    const [gap = ''] = /^(?:[ \t]{0,20}-{0,80}\n){0,5}/.exec(text.slice(after, after + 500)) ?? [];
    return { ends: separator.index, quotedFrom: after + gap.length };
  }
  const at = header?.index ?? text.length;
  return { ends: at, quotedFrom: at };
}

/** Quoted lines have another author; `>>> RCPT TO` is a transcript. */
const withoutQuotes = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !/^[ \t]{0,10}(?:>(?!>>)|\|)/.test(line))
    .join('\n');

const BREAKS_LINE = new Set([
  'br',
  'p',
  'div',
  'tr',
  'li',
  'h1',
  'h2',
  'h3',
  'h4',
  'hr',
  'pre',
  'table',
  'ul',
]);
const UNSEEN = new Set(['style', 'script', 'title', 'head']);

function textOfHtml(html: string): string {
  if (html.trim() === '') return '';
  const pieces: string[] = [];
  const inside = { unseen: 0, pre: 0 };
  const enter = (name: string, by: 1 | -1) => {
    if (UNSEEN.has(name)) inside.unseen = Math.max(0, inside.unseen + by);
    if (name === 'pre') inside.pre = Math.max(0, inside.pre + by);
    if (BREAKS_LINE.has(name)) pieces.push('\n');
  };
  const parser = new Parser({
    onopentagname: (name) => enter(name, 1),
    onclosetag: (name) => enter(name, -1),
    ontext: (text) => {
      if (inside.unseen === 0) pieces.push(inside.pre > 0 ? text : text.replace(/\s{1,1000}/g, ' '));
    },
  });
  parser.end(html);
  return pieces.join('');
}
