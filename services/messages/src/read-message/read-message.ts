import { Inject, Injectable } from '@nestjs/common';
import { BudgetExhausted, ByteBudget } from '@postmesh/concurrency';
import { ApiErrors, hasAnyOfFamily, hasDomainScope, Transient, type Principal } from '@postmesh/contracts';
import { parseMessage } from '@postmesh/mail-format';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { isTerminal } from '../message-status/message-status.rules.js';
import { readMessageReference } from './message-id.rules.js';
import { toMessageResource, type MessageResource, type ReadableContent } from './message.resource.js';
import { MessagesRepository, type StoredMessage } from './messages.repository.js';
import { StoredContents } from './stored-contents.js';

export interface ReadMessageQuery {
  principal: Principal;
  /** id or Message-ID, as it was given */
  reference: string;
}

// A message is in memory several times while it is composed, taken apart and written as JSON; small ones need no bound.
const LARGE_FROM_BYTES = 256 * 1024;
// Of one account, so that another finds room at once.
const ACCOUNT_SHARE = 2 / 3;
const MAX_WAITING_PER_ACCOUNT = 100;
// Within the 30 s for which a gateway waits.
const MAX_WAIT_MS = 20_000;

/** `GET …/messages/{message_id}` (spec 2-messages §2.2). */
@Injectable()
export class ReadMessage {
  private readonly large: ByteBudget;

  constructor(
    private readonly messages: MessagesRepository,
    private readonly contents: StoredContents,
    @Inject(SETTINGS) { largeBytes }: Settings,
  ) {
    this.large = new ByteBudget({
      maxBytes: largeBytes,
      maxPerKey: Math.floor(largeBytes * ACCOUNT_SHARE),
      freeBelow: LARGE_FROM_BYTES,
      maxWaiting: MAX_WAITING_PER_ACCOUNT,
      maxWaitMs: MAX_WAIT_MS,
    });
  }

  /** @throws ApiError 400, 403 or 404; Transient when too much large content is being read */
  async execute({ principal, reference }: ReadMessageQuery): Promise<MessageResource> {
    if (!hasAnyOfFamily(principal, 'messages:read')) throw ApiErrors.missingScope();
    const now = new Date();
    const message = await this.find(principal, reference, now);
    if (!hasDomainScope(principal, 'messages:read', message.domain)) throw ApiErrors.missingScope();
    const content = isReadable(message, now) ? await this.readInTurn(message) : undefined;
    return toMessageResource(message, content, now);
  }

  /** A message of the account that is still kept; of several with one Message-ID the first. */
  private async find(principal: Principal, text: string, now: Date): Promise<StoredMessage> {
    const reference = readMessageReference(text);
    if (!reference) throw ApiErrors.invalidParameter('message_id');
    const found = await this.messages.findReferred(principal.account_id, reference);
    const message = found.find(({ retainMetadataUntil }) => retainMetadataUntil > now);
    if (!message) throw ApiErrors.notFound('message');
    return message;
  }

  private async readInTurn(message: StoredMessage): Promise<ReadableContent | undefined> {
    try {
      return await this.large.within(message.accountId, message.size, () => this.readContent(message));
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

/** What came from somebody else may be nested or headed beyond what is taken apart. */
async function readable(raw: Buffer): Promise<ReadableContent> {
  const parsed = await parseMessage(raw).catch(() => ({ parts: [], attachments: [], headers: {} }));
  return { raw: raw.toString('utf8'), parsed };
}

/** Content can be read until its retention ends; with 0 days, while the message is being delivered never. */
function isReadable(message: StoredMessage, now: Date): boolean {
  if (message.hideWhenDone) return false;
  return message.retainDataUntil > now || !isTerminal(message.status);
}
