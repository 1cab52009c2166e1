import { STORED_STATUSES, type StoredStatus } from '../message-status/message-status.rules.js';
import { writeHashedPositions, writePositions } from './position-sets.rules.js';
import {
  domainToken,
  recipientToken,
  senderToken,
  statusToken,
  subjectTokens,
  tagToken,
  type SearchedMessage,
} from './search-tokens.rules.js';

/**
 * Messages per segment. A rare match among ten million is found by one row per token in 1,200 segments, and at most
 * this many messages (and those of the last minutes) are checked row by row.
 */
export const SEGMENT_SIZE = 8_192;
export const ID_BYTES = 16;

export interface SegmentMessage extends SearchedMessage {
  id: string;
  status: StoredStatus;
}

export interface Posting {
  token: string;
  positions: Buffer;
}

/** Builds a segment, message by message, newest first. */
export class SegmentBuilder {
  private size = 0;
  private readonly ids: Buffer;
  private readonly statuses: Buffer;
  private readonly plain = new Map<string, number[]>();
  private readonly recipients = new Map<string, { position: number; hash: number }[]>();
  /** most messages of an account share few subjects */
  private readonly subjects = new Map<string, readonly string[]>();

  constructor(messages: number) {
    this.ids = Buffer.alloc(messages * ID_BYTES);
    this.statuses = Buffer.alloc(messages);
  }

  add(message: SegmentMessage): void {
    const position = this.size++;
    this.ids.write(message.id.replaceAll('-', ''), position * ID_BYTES, 'hex');
    this.statuses[position] = statusCode(message.status);
    for (const token of this.tokensOf(message)) put(this.plain, token, position);
    const { token, hash } = recipientToken(message.recipient);
    put(this.recipients, token, { position, hash });
  }

  /** @returns the rows to be written; the postings in the order of their key */
  finish(): { ids: Buffer; statuses: Buffer; postings: Posting[] } {
    const postings = [...this.plain].map(([token, positions]) => ({
      token,
      positions: writePositions(positions, this.size),
    }));
    for (const [token, entries] of this.recipients)
      postings.push({ token, positions: writeHashedPositions(entries) });
    postings.push(...statusPostings(this.statuses));
    postings.sort((a, b) => (a.token < b.token ? -1 : 1));
    return { ids: this.ids, statuses: this.statuses, postings };
  }

  private tokensOf({ domain, sender, subject, tags }: SegmentMessage): Iterable<string> {
    const grams = this.subjects.get(subject) ?? subjectTokens(subject);
    this.subjects.set(subject, grams);
    return [domainToken(domain), senderToken(sender), ...new Set(tags.map(tagToken)), ...grams];
  }
}

function put<T>(lists: Map<string, T[]>, token: string, entry: T): void {
  const list = lists.get(token);
  if (list) list.push(entry);
  else lists.set(token, [entry]);
}

/** The byte of a status. Stored, so `STORED_STATUSES` may only grow at its end. */
export const statusCode = (status: StoredStatus): number => STORED_STATUSES.indexOf(status);

/** The tokens of all statuses. */
export const STATUS_TOKENS: readonly string[] = STORED_STATUSES.map(statusToken);

/** The positions of each status that occurs. @param statuses a byte per position */
export function statusPostings(statuses: Uint8Array): Posting[] {
  const positions = new Map<number, number[]>();
  statuses.forEach((code, position) => {
    const list = positions.get(code);
    if (list) list.push(position);
    else positions.set(code, [position]);
  });
  return [...positions].map(([code, list]) => ({
    token: STATUS_TOKENS[code] ?? '',
    positions: writePositions(list, statuses.length),
  }));
}
