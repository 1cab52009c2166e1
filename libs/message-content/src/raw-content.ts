import type { RequestContent } from './request-content.js';

/**
 * A message that somebody else composed: the bytes as they were accepted, in CRLF lines, with our trace fields on top and
 * without what is for us alone (ADR 45). What it needs for each recipient is added when it is sent.
 */
export interface RawContent {
  /** in pieces while it is accepted, so that a large one is copied once; in one piece when it was read */
  readonly raw: readonly Buffer[];
}

/** What the blob store keeps of a send request: how to make its messages, or the message. */
export type StoredContent = RequestContent | RawContent;

export const isRaw = (content: StoredContent): content is RawContent => 'raw' in content;

/** In one piece. */
export const rawBytes = ({ raw: [first = Buffer.alloc(0), ...more] }: RawContent): Buffer =>
  more.length === 0 ? first : Buffer.concat([first, ...more]);
