import { Inject, Injectable } from '@nestjs/common';
import type { BlobStore } from '@postmesh/blob-store';
import { messageBytes } from '@postmesh/mail-format';
import { readRequestContent, RecipientMessages, type MessageFacts } from '@postmesh/message-content';
import { BLOB_STORE } from '@postmesh/service-host';
import { DomainDirectory } from '../domain-changes/domain-directory.js';
import type { StoredMessage } from './messages.repository.js';

/** Messages as they went out, made once more from what is stored; inbound ones as they came. */
@Injectable()
export class StoredContents {
  constructor(
    private readonly domains: DomainDirectory,
    private readonly recipientMessages: RecipientMessages,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
  ) {}

  /** @returns undefined when its content is gone. @throws RenderFailed, Transient, UnsafeMessage as `RecipientMessages` */
  async read(message: StoredMessage): Promise<Buffer | undefined> {
    const { contentId } = message;
    if (contentId === null) return undefined;
    const stored = (await this.blobs.get([contentId])).get(contentId);
    if (!stored || message.kind === 'inbound') return stored;
    const content = readRequestContent(stored);
    const composed = await this.recipientMessages.compose(content, await this.factsOf(message));
    return Buffer.concat(messageBytes(composed));
  }

  /** The hosts are those of today: where they have changed since, links and complaints point to the new ones. */
  private async factsOf(message: StoredMessage): Promise<MessageFacts> {
    const domain = await this.domains.find(message.accountId, message.domain);
    return {
      id: message.id,
      email: message.recipient,
      accountId: message.accountId,
      sendRequestId: message.sendRequestId,
      domainId: message.domainId,
      domain: message.domain,
      returnPathHost: domain?.return_path_host ?? null,
      trackingHost: domain?.tracking_host ?? null,
      tracking: { open: message.trackOpens, click: message.trackClicks },
    };
  }
}
