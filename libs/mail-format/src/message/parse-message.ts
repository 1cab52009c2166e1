import { setImmediate as breathe } from 'node:timers/promises';
import { decodeWords } from '../read/encoded-words.js';
import type { ReadFields } from '../read/header-fields.js';
import { bodyText, readLeaves } from '../read/leaves.js';
import { readParts, type Part } from '../read/parts.js';
import { base64Of } from '../read/transfer-encodings.js';

/** `content_parsed` of a message (spec 2-messages §3). */
export interface ParsedMessage {
  parts: { content_type: string; content: string }[];
  attachments: { filename: string; content: string; content_type: string; content_id: string }[];
  /** names in the case of their first occurrence; values unfolded and decoded */
  headers: Record<string, string[]>;
}

const SHOWN = ['text/plain', 'text/x-amp-html', 'text/html'];
// After this time other work gets the event loop.
const TURN_MS = 10;

/**
 * Parses a message within the bounds of `readParts`, yielding to the event loop. Texts are decoded, their lines ended
 * by LF; enclosed messages and files are attachments in base64.
 */
export async function parseMessage(raw: Buffer): Promise<ParsedMessage> {
  const { root } = readParts(raw);
  const { bodies, attachments } = readLeaves(root, SHOWN);
  const parsed: ParsedMessage = { parts: [], attachments: [], headers: headersOf(root.fields) };
  let turnSince = performance.now();
  const takeTurns = async () => {
    if (performance.now() - turnSince < TURN_MS) return;
    await breathe();
    turnSince = performance.now();
  };
  for (const part of bodies) {
    const content = shownText(part);
    if (part !== root || content !== '') parsed.parts.push({ content_type: part.type, content });
    await takeTurns();
  }
  for (const { filename, contentType, contentId, part } of attachments) {
    const pieces: string[] = [];
    for (const piece of base64Of(part.body, part.encoding)) {
      pieces.push(piece);
      await takeTurns();
    }
    parsed.attachments.push({
      filename,
      content: pieces.join(''),
      content_type: contentType,
      content_id: contentId.replace(/^<|>$/g, ''),
    });
  }
  return parsed;
}

/** A text with more lines stays as it is: an array of millions would cost too much memory. */
const MAX_FLOWED_LINES = 100_000;

function shownText(part: Part): string {
  const text = bodyText(part).replaceAll('\r\n', '\n');
  const isFlowed = part.type === 'text/plain' && part.parameters.get('format')?.toLowerCase() === 'flowed';
  return isFlowed ? unflowed(text, part.parameters.get('delsp')?.toLowerCase() === 'yes') : text;
}

/** Joins the lines of a paragraph (RFC 3676 §4.1 to §4.4): one that ends in a blank continues in the next. */
function unflowed(text: string, deletesBlank: boolean): string {
  const lines = text.split('\n', MAX_FLOWED_LINES + 1);
  if (lines.length > MAX_FLOWED_LINES) return text;
  const pieces: string[] = [];
  let before: string | undefined;
  for (const [nth, line] of lines.entries()) {
    const quote = /^>{0,100}/.exec(line)?.[0] ?? '';
    const rest = line.slice(quote.length).replace(/^ /, '');
    const goesOn = rest.endsWith(' ') && rest !== '-- ';
    if (before !== quote) pieces.push(nth === 0 ? '' : '\n', quote === '' ? '' : `${quote} `);
    pieces.push(goesOn && deletesBlank ? rest.slice(0, -1) : rest);
    before = goesOn ? quote : undefined;
  }
  return pieces.join('');
}

function headersOf({ list }: ReadFields): Record<string, string[]> {
  const byName = new Map<string, { written: string; values: string[] }>();
  for (const { name, written, value } of list) {
    const field = byName.get(name) ?? { written, values: [] };
    field.values.push(decodeWords(value));
    byName.set(name, field);
  }
  return Object.fromEntries([...byName.values()].map(({ written, values }) => [written, values]));
}
