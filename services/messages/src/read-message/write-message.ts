import { setImmediate as breathe } from 'node:timers/promises';
import type { ParsedMessage } from '@postmesh/mail-format';
import { escapedText, escapedUtf8 } from './escaped-text.js';
import type { Gap, Outline } from './message-outline.js';
import type { MessageResource } from './message.resource.js';

// Some milliseconds of this process; other work runs in between.
const PIECES_AT_ONCE = 8;

export interface LargeMessage {
  /** without contents */
  readonly resource: MessageResource;
  readonly outline: Outline;
  /** of the outline */
  readonly parsed: ParsedMessage;
}

/** The JSON text of a message with its contents, in pieces of some 100 KiB up to a megabyte: no whole copy is made. */
export async function* writeMessage(message: LargeMessage): AsyncGenerator<Buffer> {
  let pieces = 0;
  for await (const piece of piecesOf(message)) {
    if (++pieces % PIECES_AT_ONCE === 0) await breathe();
    if (piece !== '') yield Buffer.from(piece);
  }
}

async function* piecesOf({ resource, outline, parsed }: LargeMessage): AsyncGenerator<string> {
  // ends with `}`: the following fields are in it too
  yield JSON.stringify(resource).slice(0, -1);
  yield ',"content":"';
  yield* rawText(outline);
  yield '","content_parsed":{"parts":[';
  for (const [nth, { content_type, content }] of parsed.parts.entries()) {
    yield `${nth === 0 ? '' : ','}{"content_type":${JSON.stringify(content_type)},"content":"`;
    yield* escapedText(content);
    yield '"}';
  }
  yield '],"attachments":[';
  const gaps = new Map(outline.gaps.map((gap) => [gap.marker, gap]));
  for (const [nth, attachment] of parsed.attachments.entries()) {
    if (nth > 0) yield ',';
    yield* attachmentText(attachment, gaps.get(attachment.content));
  }
  yield `],"headers":${JSON.stringify(parsed.headers)}}}`;
}

async function* rawText({ bytes, gaps }: Outline): AsyncGenerator<string> {
  let from = 0;
  for (const gap of gaps) {
    const at = bytes.indexOf(gap.place, from, 'latin1');
    yield* escapedUtf8(bytes.subarray(from, at));
    for await (const piece of gap.lines()) yield* escapedUtf8(piece);
    from = at + gap.place.length;
  }
  yield* escapedUtf8(bytes.subarray(from));
}

async function* attachmentText(
  { filename, content, content_type, content_id }: ParsedMessage['attachments'][number],
  gap: Gap | undefined,
): AsyncGenerator<string> {
  yield `{"filename":${JSON.stringify(filename)},"content":"`;
  if (gap) yield* gap.base64();
  else yield* escapedText(content);
  yield `","content_type":${JSON.stringify(content_type)},"content_id":${JSON.stringify(content_id)}}`;
}
