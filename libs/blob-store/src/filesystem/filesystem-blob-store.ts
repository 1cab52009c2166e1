import { constants } from 'node:fs';
import { access, open, readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { eachBounded } from '@postmesh/concurrency';
import {
  BlobMissing,
  checkIds,
  isOfSpan,
  type BlobStore,
  type Content,
  type Span,
} from '../blob-store.port.js';
import { isMissing, makeFolder, removeLeftovers, syncFolder, writeWhole } from './durable-files.js';

// libuv has 4 threads for files by default; twice as many writes keep them busy.
const FILES_AT_ONCE = 8;
const SLICE_BYTES = 512 * 1024;
const LIST_BATCH = 1_000;

/** Content as files in a folder that all services share. */
export class FilesystemBlobStore implements BlobStore {
  readonly transactional = false;
  private readonly shards = new Set<string>();
  private readonly incoming: string;
  private closed = false;

  private constructor(private readonly dir: string) {
    this.incoming = join(dir, 'incoming');
  }

  /** Creates the folder if it is missing. @throws Error when it cannot be written */
  static async open(dir: string): Promise<FilesystemBlobStore> {
    const store = new FilesystemBlobStore(dir);
    await makeFolder(store.incoming);
    await removeLeftovers(store.incoming);
    return store;
  }

  async put(contents: readonly Content[]): Promise<void> {
    checkIds(contents.map(({ id }) => id));
    this.refuseClosed();
    const shards = this.shardsOf(contents.map(({ id }) => id));
    await eachBounded(shards, FILES_AT_ONCE, (shard) => this.makeShard(shard));
    await eachBounded(contents, FILES_AT_ONCE, ({ id, bytes }) =>
      writeWhole(this.incoming, this.pathOf(id), bytes),
    );
    await eachBounded(shards, FILES_AT_ONCE, syncFolder);
  }

  async get(ids: readonly string[]): Promise<Map<string, Buffer>> {
    checkIds(ids);
    this.refuseClosed();
    const found = new Map<string, Buffer>();
    await eachBounded([...new Set(ids)], FILES_AT_ONCE, async (id) => {
      const bytes = await readFile(this.pathOf(id)).catch(ignoreMissing);
      if (bytes !== undefined) found.set(id, bytes);
    });
    return found;
  }

  stream(id: string, from = 0): Readable {
    checkIds([id]);
    this.refuseClosed();
    return Readable.from(slicesOf(id, this.pathOf(id), from), { objectMode: false });
  }

  async delete(ids: readonly string[]): Promise<void> {
    checkIds(ids);
    this.refuseClosed();
    await eachBounded(ids, FILES_AT_ONCE, (id) => unlink(this.pathOf(id)).catch(ignoreMissing));
    // a deleted message must not reappear after a power cut
    await eachBounded(this.shardsOf(ids), FILES_AT_ONCE, (shard) => syncFolder(shard).catch(ignoreMissing));
  }

  /** Reads every folder: ids of one time are distributed over all of them. */
  async *idsOf(span: Span): AsyncGenerator<string[]> {
    this.refuseClosed();
    let found: string[] = [];
    for (const shard of await readdir(this.dir)) {
      const names = shard === 'incoming' ? [] : await readdir(join(this.dir, shard));
      found.push(...names.filter((name) => isOfSpan(name, span)));
      while (found.length >= LIST_BATCH) {
        yield found.slice(0, LIST_BATCH);
        found = found.slice(LIST_BATCH);
      }
    }
    if (found.length > 0) yield found;
  }

  async ready(): Promise<boolean> {
    if (this.closed) return false;
    return access(this.incoming, constants.R_OK | constants.W_OK).then(
      () => true,
      () => false,
    );
  }

  async close(): Promise<void> {
    this.closed = true;
  }

  private async makeShard(shard: string): Promise<void> {
    if (this.shards.has(shard)) return;
    await makeFolder(shard);
    this.shards.add(shard);
  }

  private shardsOf(ids: readonly string[]): string[] {
    return [...new Set(ids.map((id) => this.shardOf(id)))];
  }

  /** One of 4,096 folders, by the random end of the id: its beginning is the time. */
  private shardOf(id: string): string {
    return join(this.dir, id.slice(-3));
  }

  private pathOf(id: string): string {
    return join(this.shardOf(id), id);
  }

  private refuseClosed(): void {
    if (this.closed) throw new Error('the blob store is closed');
  }
}

async function* slicesOf(id: string, path: string, start: number): AsyncGenerator<Buffer> {
  const file = await open(path, 'r').catch(ignoreMissing);
  if (file === undefined) throw new BlobMissing(id);
  try {
    const slices = file.createReadStream({ start, highWaterMark: SLICE_BYTES, autoClose: false });
    for await (const slice of slices) yield slice;
  } finally {
    await file.close();
  }
}

function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}
