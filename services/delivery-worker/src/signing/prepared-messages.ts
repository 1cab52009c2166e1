import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { BlobStore } from '@postmesh/blob-store';
import { SingleFlight } from '@postmesh/concurrency';
import { Permanent, Poison, Transient } from '@postmesh/contracts';
import {
  composeMessage,
  messageBytes,
  signMessage,
  type MessageContent,
} from '@postmesh/mail-format';
import {
  messageContentOf,
  readRequestContent,
  type PartsRenderer,
  type RequestContent,
} from '@postmesh/message-content';
import { BLOB_STORE } from '@postmesh/service-host';
import type { ClaimedDelivery } from '../queue/deliveries.table.js';
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
  'id' | 'recipient' | 'sendRequestId' | 'accountId' | 'domainId' | 'domain' | 'contentId' | 'recipients'
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

/** Reads, composes and signs a message once for all recipients that get the same bytes. */
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
  private readonly contents: GatheredReads<Buffer>;
  private domainChanges = 0;

  constructor(
    private readonly signers: SigningDirectory,
    @Inject(BLOB_STORE) blobs: BlobStore,
  ) {
    this.contents = new GatheredReads((ids) => blobs.get(ids));
  }

  /**
   * @throws Permanent when the domain is gone, Poison when the content is gone or broken, Transient when
   * content or key cannot be read now
   */
  async prepare(delivery: DeliveryContent): Promise<PreparedMessage> {
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
    // Without other recipients nobody asks again: keeping it would only move its buffers to the old generation.
    if (delivery.recipients !== 1 && domainChanges === this.domainChanges) {
      this.kept.set(delivery.sendRequestId, { message, domainId: delivery.domainId });
    }
    return message;
  }

  private async make(delivery: DeliveryContent): Promise<PreparedMessage> {
    const [signer, bytes] = await Promise.all([
      this.signers.find(delivery.domainId),
      this.contents.read(delivery.contentId),
    ]);
    if (!signer) throw new Permanent(`the sending domain ${delivery.domain} was deleted`);
    if (!bytes) throw new Poison('the content of the message is gone');
    const recipient = { ...delivery, email: delivery.recipient };
    const content = await messageContentOf(readContent(bytes), recipient, NO_RENDERER);
    const message = await composeMessage(withServiceHeaders(content, delivery));
    const signature = await signMessage(message, signer);
    return {
      chunks: messageBytes(message, [signature]),
      size: message.size + signature.length,
      eightBit: message.eightBit,
    };
  }
}

const NO_RENDERER: PartsRenderer = { render: () => Promise.reject(new Transient('nothing renders yet')) };

function readContent(bytes: Buffer): RequestContent {
  try {
    return readRequestContent(bytes);
  } catch (error) {
    throw new Poison('the content of the message is broken', { cause: error });
  }
}

/** Lets mailbox providers tell the sender's complaint rates apart (Feedback-ID: campaign, customer, mail type, sender). */
function withServiceHeaders(content: MessageContent, delivery: DeliveryContent): MessageContent {
  const feedbackId = `${delivery.domainId.slice(0, 8)}:${delivery.accountId}:transactional:postmesh`;
  return { ...content, headers: [...(content.headers ?? []), { name: 'Feedback-ID', value: feedbackId }] };
}

interface Waiter<V> {
  resolve: (value: V | undefined) => void;
  reject: (error: unknown) => void;
}

/** Reads of the same turn of the event loop become one statement. */
class GatheredReads<V> {
  private waiting = new Map<string, Waiter<V>[]>();

  constructor(private readonly readAll: (ids: readonly string[]) => Promise<ReadonlyMap<string, V>>) {}

  /** @returns undefined when there is nothing under this id; rejects when the common read does */
  read(id: string): Promise<V | undefined> {
    return new Promise((resolve, reject) => {
      if (this.waiting.size === 0) setImmediate(() => void this.readWaiting());
      const waiter = { resolve, reject };
      const others = this.waiting.get(id);
      if (others) others.push(waiter);
      else this.waiting.set(id, [waiter]);
    });
  }

  private async readWaiting(): Promise<void> {
    const { waiting } = this;
    this.waiting = new Map();
    try {
      const found = await this.readAll([...waiting.keys()]);
      for (const [id, waiters] of waiting) waiters.forEach(({ resolve }) => resolve(found.get(id)));
    } catch (error) {
      for (const waiters of waiting.values()) waiters.forEach(({ reject }) => reject(error));
    }
  }
}
