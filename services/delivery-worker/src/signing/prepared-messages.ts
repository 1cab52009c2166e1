import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { BlobStore } from '@postmesh/blob-store';
import { SingleFlight } from '@postmesh/concurrency';
import { Permanent, Poison } from '@postmesh/contracts';
import { messageBytes, prepareBody, signMessage } from '@postmesh/mail-format';
import { hasCommonBody, RecipientMessages, type MessageFacts } from '@postmesh/message-content';
import { BLOB_STORE } from '@postmesh/service-host';
import type { ClaimedDelivery } from '../queue/deliveries.table.js';
import { RequestSources, type RequestSource, type SharedBody } from './request-sources.js';
import { SigningDirectory } from './signing-directory.js';

/** A message as it is sent, before dot-stuffing. */
export interface PreparedMessage {
  chunks: readonly Buffer[];
  size: number;
  eightBit: boolean;
}

/** The facts of a delivery that its message depends on. */
type DeliveryContent = Pick<
  ClaimedDelivery,
  | 'id'
  | 'recipient'
  | 'sendRequestId'
  | 'accountId'
  | 'domainId'
  | 'domain'
  | 'contentId'
  | 'returnPathHost'
  | 'recipients'
  | 'ownMessage'
  | 'tracking'
>;

interface Kept {
  message: PreparedMessage;
  domainId: string;
}

// Recipients of one request share the message; most of them are sent within seconds of each other. A retry comes
// minutes later and is signed anew, with the key that is published then.
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
   * when content or key cannot be read, or the content not be rendered, now
   */
  async prepare(delivery: DeliveryContent): Promise<PreparedMessage> {
    if (!sharesBytes(delivery)) return this.make(delivery);
    const id = delivery.sendRequestId;
    return this.kept.get(id)?.message ?? this.making.run(id, () => this.makeAndKeep(delivery));
  }

  /** The domain changed: its messages are signed anew, or not at all. */
  forgetDomain(domainId: string): void {
    for (const [id, entry] of this.kept.entries()) if (entry.domainId === domainId) this.kept.delete(id);
    // One that is being made may be signed with the old key: others must neither join nor keep it.
    this.making.forgetAll();
    this.domainChanges++;
  }

  /** Changes of domains may have been missed. */
  forgetAll(): void {
    this.kept.clear();
    this.making.forgetAll();
    this.domainChanges++;
  }

  private async makeAndKeep(delivery: DeliveryContent): Promise<PreparedMessage> {
    const { domainChanges } = this;
    const message = await this.make(delivery);
    if (domainChanges === this.domainChanges) {
      this.kept.set(delivery.sendRequestId, { message, domainId: delivery.domainId });
    }
    return message;
  }

  private async make(delivery: DeliveryContent): Promise<PreparedMessage> {
    const [signer, source] = await Promise.all([
      this.signers.find(delivery.domainId),
      isOneOfMany(delivery)
        ? this.sources.readAndKeep(delivery.contentId)
        : this.sources.read(delivery.contentId),
    ]);
    if (!signer) throw new Permanent(`the sending domain ${delivery.domain} was deleted`);
    if (!source) throw new Poison('the content of the message is gone');
    const facts = { ...delivery, email: delivery.recipient, trackingHost: signer.trackingHost };
    const body = isOneOfMany(delivery) ? await this.commonBody(source, facts) : undefined;
    const message = await this.messages.compose(source.content, facts, body?.composed);
    const signature = await signMessage(message, { ...signer, body: body?.hash });
    return {
      chunks: messageBytes(message, [signature]),
      size: message.size + signature.length,
      eightBit: message.eightBit,
    };
  }

  /** Encoded and hashed once where only the headers differ. */
  private async commonBody(source: RequestSource, facts: MessageFacts): Promise<SharedBody | undefined> {
    if (!hasCommonBody(source.content, facts.tracking)) return undefined;
    source.body ??= this.messages
      .composeBody(source.content, facts)
      .then((composed) => ({ composed, hash: prepareBody(composed.chunks) }));
    return source.body;
  }
}

/** Other recipients get the same bytes. Without other recipients nobody asks again, so nothing is kept. */
const sharesBytes = ({ recipients, ownMessage, tracking }: DeliveryContent): boolean =>
  recipients !== 1 && !ownMessage && !tracking;

/** Other recipients have messages of their own from the same content. */
const isOneOfMany = (delivery: DeliveryContent): boolean =>
  delivery.recipients !== 1 && !sharesBytes(delivery);
