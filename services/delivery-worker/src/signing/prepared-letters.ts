import { Inject, Injectable } from '@nestjs/common';
import type { BlobStore } from '@postmesh/blob-store';
import { Permanent, Poison } from '@postmesh/contracts';
import {
  composeLetter,
  letterBytes,
  readStoredLetter,
  signLetter,
  type LetterContent,
} from '@postmesh/mail-format';
import { BLOB_STORE } from '@postmesh/service-host';
import type { ClaimedDelivery } from '../claim/delivery-claims.js';
import { SigningDirectory } from './signing-directory.js';

/** A letter as it goes over the wire, before dot-stuffing. */
export interface PreparedLetter {
  chunks: readonly Buffer[];
  size: number;
  eightBit: boolean;
}

// Recipients of one request share the letter; most of them are sent within seconds of each other.
const MAX_KEPT_BYTES = 64 * 1024 * 1024;
const MAX_KEPT_LETTERS = 2_000;

/** Reads, composes and signs a letter once for all recipients that get the same bytes. */
@Injectable()
export class PreparedLetters {
  private readonly kept = new Map<string, { letter: Promise<PreparedLetter>; size: number }>();
  private keptBytes = 0;
  private wanted = new Map<string, ((bytes: Buffer | Error) => void)[]>();
  private fetching = false;

  constructor(
    private readonly signers: SigningDirectory,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
  ) {}

  /**
   * @throws Permanent when the domain is gone, Poison when the content is gone or broken, Transient when
   * content or key cannot be read now
   */
  prepare(delivery: ClaimedDelivery): Promise<PreparedLetter> {
    const known = this.kept.get(delivery.submission_id);
    if (known) return known.letter;
    const letter = this.make(delivery);
    const entry = { letter, size: 0 };
    this.kept.set(delivery.submission_id, entry);
    letter.then(
      ({ size }) => this.account(entry, size),
      () => this.kept.delete(delivery.submission_id),
    );
    return letter;
  }

  private async make(delivery: ClaimedDelivery): Promise<PreparedLetter> {
    const [signer, bytes] = await Promise.all([
      this.signers.find(delivery.domain_id),
      this.fetch(delivery.content_id),
    ]);
    if (!signer) throw new Permanent(`the sending domain ${delivery.domain} was deleted`);
    const letter = await composeLetter(withServiceHeaders(readContent(bytes), delivery));
    const signature = await signLetter(letter, signer);
    return {
      chunks: letterBytes(letter, [signature]),
      size: letter.size + signature.length,
      eightBit: letter.eightBit,
    };
  }

  private account(entry: { size: number }, size: number): void {
    entry.size = size;
    this.keptBytes += size;
    for (const [id, oldest] of this.kept) {
      if (this.keptBytes <= MAX_KEPT_BYTES && this.kept.size <= MAX_KEPT_LETTERS) break;
      this.kept.delete(id);
      this.keptBytes -= oldest.size;
    }
  }

  /** Letters that are wanted in the same turn are read with one statement. */
  private fetch(contentId: string): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const settle = (bytes: Buffer | Error) => (bytes instanceof Error ? reject(bytes) : resolve(bytes));
      const waiting = this.wanted.get(contentId);
      if (waiting) waiting.push(settle);
      else this.wanted.set(contentId, [settle]);
      if (!this.fetching) {
        this.fetching = true;
        setImmediate(() => void this.fetchWanted());
      }
    });
  }

  private async fetchWanted(): Promise<void> {
    const wanted = this.wanted;
    this.wanted = new Map();
    this.fetching = false;
    try {
      const found = await this.blobs.get([...wanted.keys()]);
      for (const [id, settles] of wanted) {
        const bytes = found.get(id) ?? new Poison('the content of the letter is gone');
        settles.forEach((settle) => settle(bytes));
      }
    } catch (error) {
      const reason = error instanceof Error ? error : new Error(String(error));
      for (const settles of wanted.values()) settles.forEach((settle) => settle(reason));
    }
  }
}

function readContent(bytes: Buffer): LetterContent {
  try {
    return readStoredLetter(bytes);
  } catch (error) {
    throw new Poison('the content of the letter is broken', { cause: error });
  }
}

/** Lets mailbox providers tell the sender's complaint rates apart (Feedback-ID: campaign, customer, mail type, sender). */
function withServiceHeaders(content: LetterContent, delivery: ClaimedDelivery): LetterContent {
  const feedbackId = `${delivery.domain_id.slice(0, 8)}:${delivery.account_id}:transactional:postmesh`;
  return { ...content, headers: [...(content.headers ?? []), { name: 'Feedback-ID', value: feedbackId }] };
}
