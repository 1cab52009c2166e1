import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { BlobStore } from '@postmesh/blob-store';
import { SingleFlight } from '@postmesh/concurrency';
import { Permanent, Poison } from '@postmesh/contracts';
import { messageBytes, needsSmtpUtf8, prepareBody, signMessage } from '@postmesh/mail-format';
import {
  hasCommonBody,
  isSharedMessage,
  RecipientMessages,
  type AllFields,
  type MessageFacts,
} from '@postmesh/message-content';
import { BLOB_STORE } from '@postmesh/service-host';
import type { ClaimedDelivery } from '../queue/deliveries.table.js';
import { RequestSources, type CommonBody, type RequestSource } from './request-sources.js';
import { SigningDirectory } from './signing-directory.js';

/** A message as it is sent, before dot-stuffing. */
export interface PreparedMessage {
  chunks: readonly Buffer[];
  size: number;
  eightBit: boolean;
  smtpUtf8: boolean;
}

/** The facts of a delivery that its message depends on. */
type DeliveryContent = Pick<
  ClaimedDelivery,
  | 'id'
  | 'recipient'
  | 'sendRequestId'
  | 'accountId'
  | 'campaignId'
  | 'domainId'
  | 'domain'
  | 'contentId'
  | 'returnPathHost'
  | 'recipients'
  | 'tracking'
> & {
  /** its server does not offer SMTPUTF8 */
  asciiHeader?: boolean | undefined;
};

interface Kept {
  message: PreparedMessage;
  domainId: string;
}

// Recipients of one request share the message; most of them are sent within seconds of each other. A retry comes
// minutes later and is signed again, with the key that is published then.
const KEEP_MS = 30_000;
const MAX_KEPT_BYTES = 64 * 1024 * 1024;
const MAX_KEPT_MESSAGES = 2_000;

/** Reads, composes and signs messages; once for all recipients that get the same bytes. */
@Injectable()
export class PreparedMessages {
  private readonly making = new SingleFlight<string, PreparedMessage>();
  private readonly kept = new LRUCache<string, Kept>({
    max: MAX_KEPT_MESSAGES,
    maxSize: MAX_KEPT_BYTES,
    sizeCalculation: ({ message }) => message.size,
    ttl: KEEP_MS,
    ttlAutopurge: true,
    ttlResolution: 0,
    perf: Date,
  });
  private readonly sources: RequestSources;
  private domainChanges = 0;

  constructor(
    private readonly signers: SigningDirectory,
    private readonly messages: RecipientMessages,
    @Inject(BLOB_STORE) blobs: BlobStore,
  ) {
    this.sources = new RequestSources(blobs);
  }

  /**
   * @throws Permanent when the domain is gone, Poison when the content is gone, broken or cannot be rendered, Transient
   * when content or key cannot be read, or the content cannot be rendered, at the moment
   */
  async prepare(delivery: DeliveryContent): Promise<PreparedMessage> {
    if (delivery.recipients === 1) return this.make(delivery, await this.read(delivery));
    const id = keyOf(delivery);
    const known = this.kept.get(id);
    if (known) return known.message;
    const source = await this.read(delivery);
    // the content decides, not the delivery: no recipient gets the message of another one
    if (!isSharedMessage(source.content, delivery.tracking)) return this.makeOneOfMany(delivery, source);
    return this.making.run(id, () => this.makeAndKeep(delivery, source));
  }

  /** The domain changed: its messages are signed again, or not at all. */
  forgetDomain(domainId: string): void {
    for (const [id, entry] of this.kept.entries()) if (entry.domainId === domainId) this.kept.delete(id);
    // A message in progress may be signed with the old key: others must neither join nor keep it.
    this.making.forgetAll();
    this.domainChanges++;
  }

  /** Changes of domains may have been missed. */
  forgetAll(): void {
    this.kept.clear();
    this.making.forgetAll();
    this.domainChanges++;
  }

  private async read({ contentId, recipients }: DeliveryContent): Promise<RequestSource> {
    // without other recipients the message is not requested again
    const source = await (recipients === 1
      ? this.sources.read(contentId)
      : this.sources.readAndKeep(contentId));
    if (!source) throw new Poison('the content of the message is gone');
    return source;
  }

  private async makeAndKeep(delivery: DeliveryContent, source: RequestSource): Promise<PreparedMessage> {
    const { domainChanges } = this;
    const message = await this.make(delivery, source);
    if (domainChanges === this.domainChanges) {
      this.kept.set(keyOf(delivery), { message, domainId: delivery.domainId });
    }
    return message;
  }

  /** The body is encoded and hashed once where only the headers differ. */
  private async makeOneOfMany(delivery: DeliveryContent, source: RequestSource): Promise<PreparedMessage> {
    const { content } = source;
    if (!hasCommonBody(content, delivery.tracking)) return this.make(delivery, source);
    source.body ??= this.messages
      .composeBody(content, factsOf(delivery, null))
      .then((composed) => ({ composed, hash: prepareBody(composed.chunks) }));
    return this.make(delivery, source, await source.body);
  }

  private async make(
    delivery: DeliveryContent,
    { content }: RequestSource,
    body?: CommonBody,
  ): Promise<PreparedMessage> {
    const signer = await this.signers.find(delivery.domainId);
    if (!signer) throw new Permanent(`the sending domain ${delivery.domain} was deleted`);
    const message = await this.messages.compose(
      content,
      factsOf(delivery, signer.trackingHost),
      body?.composed,
    );
    const signature = await signMessage(message, { ...signer, body: body?.hash });
    return {
      chunks: messageBytes(message, [signature]),
      size: message.size + signature.length,
      eightBit: message.eightBit,
      smtpUtf8: message.smtpUtf8,
    };
  }
}

/** Recipients that are reached with SMTPUTF8 get the addresses of all in full, the others a copy in ASCII. */
const keyOf = ({ sendRequestId, recipient, asciiHeader }: DeliveryContent): string =>
  `${sendRequestId}${needsSmtpUtf8(recipient) ? ' SMTPUTF8' : ''}${asciiHeader ? ' ASCII' : ''}`;

// written out: a copy of the whole delivery costs more than signing its fields
const factsOf = (delivery: DeliveryContent, trackingHost: string | null): AllFields<MessageFacts> => ({
  id: delivery.id,
  email: delivery.recipient,
  domain: delivery.domain,
  accountId: delivery.accountId,
  campaignId: delivery.campaignId,
  sendRequestId: delivery.sendRequestId,
  domainId: delivery.domainId,
  returnPathHost: delivery.returnPathHost,
  trackingHost,
  tracking: delivery.tracking,
  asciiHeader: delivery.asciiHeader,
});
