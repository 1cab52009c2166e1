import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { backoffMs, eachBounded, pause, Permits } from '@postmesh/concurrency';
import { Transient } from '@postmesh/contracts';
import {
  BlobMissing,
  checkIds,
  isOfSpan,
  placeOf,
  type BlobStore,
  type Content,
  type Span,
} from '../blob-store.port.js';
import { openS3Client, REQUESTS_AT_ONCE, TRIES, type S3Access } from './s3-client.js';
import { isBeyondEnd, isMissing, isPassing } from './s3-failure.rules.js';

export interface S3BlobStoreOptions extends S3Access {
  /** must exist */
  bucket: string;
  /** before the id in the name of every object */
  prefix: string;
}

// Concurrent requests of one call: several callers share the client's requests.
const WIDTH = 16;
// S3's limit of keys in one DeleteObjects, and of a page of a list.
const KEYS_AT_ONCE = 1_000;
// Includes all tries of one request. 20 MiB in half a minute are 6 Mbit/s.
const REQUEST_LIMIT_MS = 30_000;
const READY_LIMIT_MS = 2_000;
const BETWEEN_READS = { firstMs: 100, maxMs: 1_000, spread: 0.5 };

/**
 * Content as objects of a bucket. The client is Amazon's, with its signatures, retries, backoff and connections; a
 * failed transfer of a body, which it does not retry, is retried here.
 */
export class S3BlobStore implements BlobStore {
  readonly transactional = false;
  private readonly requests = new Permits<'all'>(REQUESTS_AT_ONCE);
  private closed = false;

  private constructor(
    private readonly client: S3Client,
    private readonly bucket: string,
    private readonly prefix: string,
  ) {}

  /** @throws Error that names the bucket when it cannot be used */
  static async open({ bucket, prefix, ...about }: S3BlobStoreOptions): Promise<S3BlobStore> {
    const store = new S3BlobStore(openS3Client(about), bucket, prefix);
    try {
      await store.headBucket(REQUEST_LIMIT_MS);
    } catch (error) {
      await store.close();
      throw new Error(`the bucket '${bucket}' of the blob store cannot be used`, { cause: error });
    }
    return store;
  }

  async put(contents: readonly Content[]): Promise<void> {
    checkIds(contents.map(({ id }) => id));
    await eachBounded(contents, WIDTH, ({ id, bytes }) =>
      this.ask(async (abortSignal) => {
        const object = { ...this.objectOf(id), Body: bytes, ContentLength: bytes.length };
        await this.client.send(new PutObjectCommand(object), { abortSignal });
      }),
    );
  }

  async get(ids: readonly string[]): Promise<Map<string, Buffer>> {
    checkIds(ids);
    const found = new Map<string, Buffer>();
    await eachBounded(new Set(ids), WIDTH, async (id) => {
      const bytes = await this.read(id);
      if (bytes !== undefined) found.set(id, bytes);
    });
    return found;
  }

  stream(id: string, from = 0): Readable {
    checkIds([id]);
    return Readable.from(this.slicesOf(id, from), { objectMode: false });
  }

  async delete(ids: readonly string[]): Promise<void> {
    checkIds(ids);
    const distinct = [...new Set(ids)];
    for (let at = 0; at < distinct.length; at += KEYS_AT_ONCE) {
      const Objects = distinct.slice(at, at + KEYS_AT_ONCE).map((id) => ({ Key: this.prefix + id }));
      const command = { Bucket: this.bucket, Delete: { Objects, Quiet: true } };
      const { Errors: failures } = await this.ask((abortSignal) =>
        this.client.send(new DeleteObjectsCommand(command), { abortSignal }),
      );
      const [first] = failures ?? [];
      if (first) throw new Transient(`${failures?.length} contents were not deleted: ${first.Code}`);
    }
  }

  /** Names are listed in their order, so that the list begins and ends with the span. */
  async *idsOf(span: Span): AsyncGenerator<string[]> {
    const end = this.prefix + placeOf(span.to);
    let after: string | undefined = this.prefix + placeOf(span.from);
    while (after !== undefined) {
      const page = await this.list(after);
      yield page.names.map((name) => name.slice(this.prefix.length)).filter((id) => isOfSpan(id, span));
      const last = page.names.at(-1);
      after = page.goesOn && last !== undefined && last < end ? last : undefined;
    }
  }

  private async list(StartAfter: string): Promise<{ names: string[]; goesOn: boolean }> {
    const about = { Bucket: this.bucket, Prefix: this.prefix, MaxKeys: KEYS_AT_ONCE, StartAfter };
    const page = await this.ask((abortSignal) =>
      this.client.send(new ListObjectsV2Command(about), { abortSignal }),
    );
    const names = (page.Contents ?? []).flatMap(({ Key }) => Key ?? []);
    return { names, goesOn: page.IsTruncated === true };
  }

  async ready(): Promise<boolean> {
    return this.headBucket(READY_LIMIT_MS).then(
      () => true,
      () => false,
    );
  }

  async close(): Promise<void> {
    this.closed = true;
    this.client.destroy();
  }

  private async headBucket(limitMs: number): Promise<void> {
    const command = new HeadBucketCommand({ Bucket: this.bucket });
    await this.ask((abortSignal) => this.client.send(command, { abortSignal }), limitMs);
  }

  private objectOf(id: string) {
    return { Bucket: this.bucket, Key: this.prefix + id };
  }

  /** @returns undefined when there is no such content */
  private async read(id: string): Promise<Buffer | undefined> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.ask((abortSignal) => this.readOnce(id, abortSignal));
      } catch (error) {
        if (isMissing(error)) return undefined;
        if (!(error instanceof Transient) || tries >= TRIES) throw error;
        await pause(backoffMs(tries, BETWEEN_READS));
      }
    }
  }

  /** Reads into one buffer of its size, so that the whole is in memory once. */
  private async readOnce(id: string, abortSignal: AbortSignal): Promise<Buffer> {
    const { Body: body, ContentLength: length } = await this.client.send(
      new GetObjectCommand(this.objectOf(id)),
      { abortSignal },
    );
    // some proxies omit the length
    if (length === undefined) return buffer(body as Readable);
    const whole = Buffer.allocUnsafeSlow(length);
    let filled = 0;
    for await (const slice of body as Readable) filled += (slice as Buffer).copy(whole, filled);
    if (filled !== length) throw new Transient(`the content ${id} was cut off`);
    return whole;
  }

  private async *slicesOf(id: string, from: number): AsyncGenerator<Buffer> {
    this.refuseClosed();
    const Range = from > 0 ? `bytes=${from}-` : undefined;
    const body = await this.client
      .send(new GetObjectCommand({ ...this.objectOf(id), Range }), {
        abortSignal: AbortSignal.timeout(REQUEST_LIMIT_MS),
      })
      .then(({ Body, ContentRange }) => {
        if (Range === undefined || ContentRange !== undefined) return Body as Readable;
        (Body as Readable).destroy();
        throw new TypeError('the content store gives whole objects only');
      })
      .catch((error: unknown) => {
        if (isBeyondEnd(error)) return Readable.from([]);
        throw isMissing(error) ? new BlobMissing(id) : named(error);
      });
    try {
      for await (const slice of body) yield slice as Buffer;
    } finally {
      body.destroy();
    }
  }

  /** @throws Transient when a retry may succeed, else the server's error */
  private async ask<T>(
    request: (abort: AbortSignal) => Promise<T>,
    limitMs: number = REQUEST_LIMIT_MS,
  ): Promise<T> {
    this.refuseClosed();
    await this.requests.acquire('all');
    try {
      return await request(AbortSignal.timeout(limitMs));
    } catch (error) {
      throw named(error);
    } finally {
      this.requests.release('all');
    }
  }

  private refuseClosed(): void {
    if (this.closed) throw new Error('the blob store is closed');
  }
}

const named = (error: unknown): unknown =>
  isPassing(error)
    ? new Transient('the content store cannot be reached', undefined, { cause: error })
    : error;
