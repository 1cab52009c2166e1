import { readHeaders, textOf, type Part, type ReadFields } from '@postmesh/mail-format';
import type { OwnText } from './own-text.js';
import type { EnclosedMessage } from './report.js';

const MAX_BYTES = 64 * 1024;
/** Texts that may be the headers of our message: writers put them second or third. */
const MAX_CANDIDATES = 5;

/** The message that a report is about: a part of its own, a text with its headers, or the end of the writer's text. */
export function findEnclosed(parts: readonly Part[], text: OwnText): Part | undefined {
  const part = parts.find(({ enclosed }) => enclosed !== undefined)?.enclosed;
  if (part !== undefined) return part;
  const candidates = [
    ...parts
      .slice(1)
      .filter(({ type }) => type === 'text/plain')
      .slice(0, MAX_CANDIDATES)
      .map((each) => textOf(each, MAX_BYTES)),
    text.quoted,
  ];
  return candidates.map(asMessage).find((message) => message !== undefined);
}

/** A text is a message when it begins with a header that our messages have. */
function asMessage(text: string): Part | undefined {
  const { fields, body } = readHeaders(Buffer.from(text.slice(0, MAX_BYTES).trimStart(), 'utf8'));
  if (fields.first('from') === undefined && fields.first('message-id') === undefined) return undefined;
  return { type: 'text/plain', parameters: new Map(), encoding: '', fields, body, parts: [] };
}

/** The fields that a report shows of the message that it is about. */
export function readEnclosed(fields: ReadFields): EnclosedMessage | undefined {
  if (fields.list.length === 0) return undefined;
  const unsubscribe = fields.first('list-unsubscribe')?.slice(0, 4_000) ?? '';
  return {
    messageId: /<[^<>\s]{1,900}>/.exec(fields.first('message-id') ?? '')?.[0],
    from: fields.words('from'),
    to: fields.words('to'),
    subject: fields.words('subject'),
    date: fields.first('date'),
    listUnsubscribe: [...unsubscribe.matchAll(/<([^<>]{1,2000})>/g)].map(([, uri]) => uri?.trim() ?? ''),
  };
}
