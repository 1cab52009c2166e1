import { Inject, Injectable } from '@nestjs/common';
import { Readable } from 'node:stream';
import { BudgetExhausted, ByteBudget, type Release } from '@postmesh/concurrency';
import {
  ApiErrors,
  domainScopes,
  hasAnyOfFamily,
  hasDomainScope,
  mayReadContents,
  Transient,
  type AccountId,
  type Principal,
} from '@postmesh/contracts';
import { decodeCharset, parseMessage, type ParsedMessage } from '@postmesh/mail-format';
import { SETTINGS, uploadPace, type UploadPace } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { addressOf } from '../list-messages/message-filters.rules.js';
import { isTerminal } from '../message-status/message-status.rules.js';
import { readMessageReference } from './message-id.rules.js';
import { toMessageResource, type MessageResource, type ReadableContent } from './message.resource.js';
import { MessagesRepository, type StoredMessage } from './messages.repository.js';
import { withoutGaps, type Outline } from './message-outline.js';
import { StoredContents } from './stored-contents.js';
import { writeMessage, type LargeMessage } from './write-message.js';

export interface ReadMessageQuery {
  principal: Principal;
  /** id or Message-ID, as in the request */
  reference: string;
  /** address of a recipient, as in the request: selects theirs among several records with one Message-ID */
  recipient?: string | undefined;
}

/** A large message is a stream of its JSON text; its memory budget is released at the end. */
export type ReadResult = { message: MessageResource } | { json: Readable };

// A small message is in memory several times while it is composed, parsed and written as JSON; it needs no bound.
const LARGE_FROM_BYTES = 256 * 1024;
// The share of one account, so that another one finds free memory at once.
const ACCOUNT_SHARE = 2 / 3;
const MAX_WAITING_PER_ACCOUNT = 100;
// Below the 30 s after which a gateway gives up.
const MAX_WAIT_MS = 20_000;

const FAMILY = 'messages:read';

/** `GET …/messages/{message_id}` (spec 2-messages §2.2). */
@Injectable()
export class ReadMessage {
  private readonly large: ByteBudget;
  /** aborts slow readers */
  private readonly pace: UploadPace;

  constructor(
    private readonly messages: MessagesRepository,
    private readonly contents: StoredContents,
    @Inject(SETTINGS) settings: Settings,
  ) {
    const { largeBytes } = settings;
    this.pace = uploadPace(settings);
    this.large = new ByteBudget({
      maxBytes: largeBytes,
      maxPerKey: Math.floor(largeBytes * ACCOUNT_SHARE),
      freeBelow: LARGE_FROM_BYTES,
      maxWaiting: MAX_WAITING_PER_ACCOUNT,
      maxWaitMs: MAX_WAIT_MS,
    });
  }

  /** @throws ApiError 400, 403 or 404; Transient when too much large content is being read */
  async execute(query: ReadMessageQuery): Promise<ReadResult> {
    const { principal } = query;
    const now = new Date();
    const message = await this.stored(query, now);
    const readable = mayReadContents(principal) && isReadable(message, now);
    if (readable && message.size >= LARGE_FROM_BYTES) return this.readLarge(message, now);
    const content = readable ? await this.readContent(message) : undefined;
    return { message: toMessageResource(message, content, now) };
  }

  /** Without its content. @throws ApiError 400, 403 or 404 */
  async stored(query: ReadMessageQuery, now: Date): Promise<StoredMessage> {
    const { principal } = query;
    if (!hasAnyOfFamily(principal, FAMILY)) throw ApiErrors.missingScope(domainScopes(FAMILY));
    const message = await this.find(query, now);
    // the domain is not in the error: the key may not read the owner of the message
    if (!hasDomainScope(principal, FAMILY, message.domain))
      throw ApiErrors.missingScope(domainScopes(FAMILY));
    return message;
  }

  /** @throws Transient when too much large content is being read */
  private async readLarge(message: StoredMessage, now: Date): Promise<ReadResult> {
    const room = await this.enter(message);
    try {
      const content = await this.takeApart(message);
      const resource = toMessageResource(message, undefined, now);
      if (content) {
        room.keepOnly(content.outline.heldBytes);
        return { json: this.streamed({ resource, ...content }, message.accountId, room) };
      }
      room();
      return { message: resource };
    } catch (error) {
      room();
      throw error;
    }
  }

  private async takeApart(message: StoredMessage): Promise<Omit<LargeMessage, 'resource'> | undefined> {
    const outline = await this.contents.outline(message);
    if (!outline) return undefined;
    const parsed = await parseMessage(outline.bytes);
    if (areFound(outline, parsed)) return { outline, parsed };
    // above the bounds of the parser
    outline.close();
    const bytes = await this.contents.read(message);
    return bytes && { outline: withoutGaps(bytes), parsed: await parseMessage(bytes) };
  }

  /** Ends with its reader; a slow one that blocks others is aborted. */
  private streamed(message: LargeMessage, accountId: AccountId, room: Release): Readable {
    const json = Readable.from(writeMessage(message), { objectMode: false });
    const watched = this.pace.watch(() => json.destroy(), {
      isWaitedFor: () => this.large.othersWait(accountId),
      mayStall: true,
    });
    // also when the reader disconnects before the first piece
    return json.once('close', () => {
      watched.stop();
      message.outline.close();
      room();
    });
  }

  /** A message of the account within its retention; of several with one Message-ID the first, or the recipient's. */
  private async find({ principal, ...query }: ReadMessageQuery, now: Date): Promise<StoredMessage> {
    const reference = readMessageReference(query.reference);
    if (!reference) throw ApiErrors.invalidParameter('message_id');
    const recipient = addressOf(query.recipient);
    const found = await this.messages.findReferred(principal.account_id, reference);
    const message = found.find(
      (one) => one.retainMetadataUntil > now && (recipient === undefined || one.recipient === recipient),
    );
    if (!message) throw ApiErrors.notFound('message');
    return message;
  }

  /** Bytes of large messages in memory. */
  get bytesInUse(): number {
    return this.large.bytes;
  }

  /**
   * Reads within the memory budget for large content.
   * @throws Transient when it is exhausted
   */
  async inTurn<T>(message: Pick<StoredMessage, 'accountId' | 'size'>, read: () => Promise<T>): Promise<T> {
    const room = await this.enter(message);
    try {
      return await read();
    } finally {
      room();
    }
  }

  private async enter({ accountId, size }: Pick<StoredMessage, 'accountId' | 'size'>): Promise<Release> {
    try {
      return await this.large.enter(accountId, size);
    } catch (error) {
      if (error instanceof BudgetExhausted) throw new Transient(error.message, undefined, { cause: error });
      throw error;
    }
  }

  private async readContent(message: StoredMessage): Promise<ReadableContent | undefined> {
    const bytes = await this.contents.read(message);
    return bytes && readable(bytes);
  }
}

const readable = async (raw: Buffer): Promise<ReadableContent> => ({
  raw: decodeCharset(raw, ''),
  parsed: await parseMessage(raw),
});

/** Each gap is the content of one attachment. */
function areFound({ gaps }: Outline, { attachments }: ParsedMessage): boolean {
  const contents = new Set(attachments.map(({ content }) => content));
  return gaps.every(({ marker }) => contents.has(marker));
}

/** Content can be read until its retention ends, and later while its message is open; with 0 days never. */
export function isReadable(message: StoredMessage, now: Date): boolean {
  if (message.hideWhenDone) return false;
  return message.retainDataUntil > now || !isTerminal(message.status);
}
