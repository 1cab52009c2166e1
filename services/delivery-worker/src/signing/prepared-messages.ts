import { Inject, Injectable } from '@nestjs/common';
import { Permanent, Poison } from '@postmesh/contracts';
import {
  composeMessage,
  messageBytes,
  readStoredContent,
  signMessage,
  type MessageContent,
} from '@postmesh/mail-format';
import { BLOB_STORE } from '@postmesh/service-host';
import type { BlobStore } from '@postmesh/blob-store';
import type { ClaimedDelivery } from '../claim/delivery-claims.js';
import { GatheredReads } from './gathered-reads.js';
import { SigningDirectory } from './signing-directory.js';

/** A message as it goes over the wire, before dot-stuffing. */
export interface PreparedMessage {
  chunks: readonly Buffer[];
  size: number;
  eightBit: boolean;
}

interface Kept {
  message: Promise<PreparedMessage>;
  domainId: string;
  /** 0 until it is made */
  size: number;
  until: number;
}

// Recipients of one request share the message; most of them are sent within seconds of each other. A retry comes
// minutes later and is signed anew, by the key that is published then.
const KEEP_MS = 30_000;
const MAX_KEPT_BYTES = 64 * 1024 * 1024;
const MAX_KEPT_MESSAGES = 2_000;

/** Reads, composes and signs a message once for all recipients that get the same bytes. */
@Injectable()
export class PreparedMessages {
  /** oldest first */
  private readonly kept = new Map<string, Kept>();
  private keptBytes = 0;
  private readonly contents: GatheredReads<Buffer>;

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
  prepare(delivery: ClaimedDelivery): Promise<PreparedMessage> {
    this.forgetOld();
    return this.kept.get(delivery.send_request_id)?.message ?? this.keep(delivery);
  }

  /** The domain changed: its messages are signed anew, or not at all. */
  forgetDomain(domainId: string): void {
    for (const [id, entry] of this.kept) if (entry.domainId === domainId) this.drop(id, entry);
  }

  private keep(delivery: ClaimedDelivery): Promise<PreparedMessage> {
    const { send_request_id: id, domain_id: domainId } = delivery;
    const message = this.make(delivery);
    const entry = { message, domainId, size: 0, until: Date.now() + KEEP_MS };
    this.kept.set(id, entry);
    message.then(
      ({ size }) => this.weigh(id, entry, size),
      () => this.drop(id, entry),
    );
    return message;
  }

  private async make(delivery: ClaimedDelivery): Promise<PreparedMessage> {
    const [signer, bytes] = await Promise.all([
      this.signers.find(delivery.domain_id),
      this.contents.read(delivery.content_id),
    ]);
    if (!signer) throw new Permanent(`the sending domain ${delivery.domain} was deleted`);
    if (!bytes) throw new Poison('the content of the message is gone');
    const message = await composeMessage(withServiceHeaders(readContent(bytes), delivery));
    const signature = await signMessage(message, signer);
    return {
      chunks: messageBytes(message, [signature]),
      size: message.size + signature.length,
      eightBit: message.eightBit,
    };
  }

  /** One that was dropped while it was made counts no more. */
  private weigh(id: string, entry: Kept, size: number): void {
    if (this.kept.get(id) !== entry) return;
    entry.size = size;
    this.keptBytes += size;
    this.forgetOld();
  }

  private drop(id: string, entry: Kept): void {
    if (this.kept.get(id) !== entry) return;
    this.kept.delete(id);
    this.keptBytes -= entry.size;
  }

  private forgetOld(): void {
    const now = Date.now();
    for (const [id, entry] of this.kept) {
      const fits = this.keptBytes <= MAX_KEPT_BYTES && this.kept.size <= MAX_KEPT_MESSAGES;
      if (fits && entry.until > now) return;
      this.drop(id, entry);
    }
  }
}

function readContent(bytes: Buffer): MessageContent {
  try {
    return readStoredContent(bytes);
  } catch (error) {
    throw new Poison('the content of the message is broken', { cause: error });
  }
}

/** Lets mailbox providers tell the sender's complaint rates apart (Feedback-ID: campaign, customer, mail type, sender). */
function withServiceHeaders(content: MessageContent, delivery: ClaimedDelivery): MessageContent {
  const feedbackId = `${delivery.domain_id.slice(0, 8)}:${delivery.account_id}:transactional:postmesh`;
  return { ...content, headers: [...(content.headers ?? []), { name: 'Feedback-ID', value: feedbackId }] };
}
