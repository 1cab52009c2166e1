import { Inject, Injectable } from '@nestjs/common';
import { BlobMissing, type BlobStore } from '@postmesh/blob-store';
import { messageBytes, type MessageContent } from '@postmesh/mail-format';
import {
  headLength,
  isRaw,
  messageContentOf,
  MessageRenderer,
  readContentHead,
  readRequestContent,
  RecipientMessages,
  type MessageFacts,
  type StoredFile,
} from '@postmesh/message-content';
import { BLOB_STORE } from '@postmesh/service-host';
import { DomainDirectory } from '@postmesh/domains-contract';
import {
  composedOutline,
  mayBeGap,
  newMarker,
  outlineOf,
  storedGap,
  StoredBytes,
  type Gap,
  type Outline,
} from './message-outline.js';
import type { StoredMessage } from './messages.repository.js';

// A stored content begins with the length of its head.
const HEAD_START = { start: 0, size: 4 };

/** Messages as sent, composed again from the stored content; inbound ones as received. */
@Injectable()
export class StoredContents {
  constructor(
    private readonly domains: DomainDirectory,
    private readonly recipientMessages: RecipientMessages,
    private readonly renderer: MessageRenderer,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
  ) {}

  /** @returns undefined when its content is gone. @throws RenderFailed, Transient, UnsafeMessage as `RecipientMessages` */
  async read(message: StoredMessage): Promise<Buffer | undefined> {
    const stored = await this.stored(message);
    if (!stored || message.kind === 'inbound') return stored;
    const content = readRequestContent(stored);
    const composed = await this.recipientMessages.compose(content, await this.factsOf(message));
    return Buffer.concat(messageBytes(composed));
  }

  /**
   * The same for a large message, without its attachments: those of a message that is composed here stay in the store
   * until they are needed; any other is in memory once.
   * @returns undefined when its content is gone. @throws like `read`
   */
  async outline(message: StoredMessage): Promise<Outline | undefined> {
    if (message.contentId === null) return undefined;
    const composed =
      message.kind === 'inbound' ? undefined : await this.composedOutline(message, message.contentId);
    if (composed) return composed;
    const raw = await this.read(message);
    return raw && outlineOf(raw);
  }

  /** @returns undefined when it is not composed here, or gone */
  private async composedOutline(message: StoredMessage, contentId: string): Promise<Outline | undefined> {
    const stored = new StoredBytes(this.blobs, contentId);
    try {
      const size = headLength(await stored.readWhole(HEAD_START));
      const head = readContentHead(await stored.readWhole({ start: 0, size }));
      if (!head) {
        stored.close();
        return undefined;
      }
      const gaps: Gap[] = [];
      const contents = await eachInOrder(head.files, (file) => contentOrMarker(file, stored, gaps));
      const facts = await this.factsOf(message);
      const composed = await this.recipientMessages.compose(head.withFiles(contents), facts);
      return composedOutline(Buffer.concat(messageBytes(composed)), gaps, stored);
    } catch (error) {
      stored.close();
      if (error instanceof BlobMissing) return undefined;
      throw error;
    }
  }

  /**
   * Subject and texts as written for the recipient, without tracking. For messages that are composed here.
   * @returns undefined when its content is gone. @throws RenderFailed, Transient
   */
  async readTexts(
    message: StoredMessage,
  ): Promise<Pick<MessageContent, 'subject' | 'html' | 'text'> | undefined> {
    const stored = await this.stored(message);
    const content = stored && readRequestContent(stored);
    if (!content || isRaw(content)) return undefined;
    return messageContentOf(content, await this.factsOf(message), this.renderer);
  }

  private async stored({ contentId }: StoredMessage): Promise<Buffer | undefined> {
    return contentId === null ? undefined : (await this.blobs.get([contentId])).get(contentId);
  }

  /** The hosts are the current ones: after a change, links and complaints point to the new ones. */
  private async factsOf(message: StoredMessage): Promise<MessageFacts> {
    const domain = await this.domains.find(message.accountId, message.domain);
    return {
      id: message.id,
      email: message.recipient,
      accountId: message.accountId,
      campaignId: message.campaignId,
      sendRequestId: message.sendRequestId,
      domainId: message.domainId,
      domain: message.domain,
      returnPathHost: domain?.return_path_host ?? null,
      trackingHost: domain?.tracking_host ?? null,
      tracking: { open: message.trackOpens, click: message.trackClicks },
    };
  }
}

/** In sequence: they are read from one stream. */
async function eachInOrder<T, R>(items: readonly T[], step: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await step(item));
  return results;
}

/** The attachment in an outline; a large one becomes a gap. */
async function contentOrMarker(file: StoredFile, stored: StoredBytes, gaps: Gap[]): Promise<Buffer> {
  if (!mayBeGap(file.contentType, file.size)) return stored.readWhole(file);
  const marker = newMarker();
  gaps.push(storedGap(marker, stored, file));
  return marker;
}
