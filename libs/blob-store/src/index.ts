import type { BlobStore } from './blob-store.port.js';
import { FilesystemBlobStore } from './filesystem/filesystem-blob-store.js';
import { PostgresBlobStore, type PostgresBlobStoreOptions } from './postgres/postgres-blob-store.js';
import type { S3BlobStoreOptions } from './s3/s3-blob-store.js';

export { BlobMissing } from './blob-store.port.js';
export { placeOf } from './blob-store.port.js';
export type { BlobStore, Span } from './blob-store.port.js';

export type BlobStoreOptions =
  | ({ driver: 'postgres' } & PostgresBlobStoreOptions)
  | {
      driver: 'filesystem';
      /** created if missing; all services must share the same folder */
      dir: string;
    }
  | ({ driver: 's3' } & S3BlobStoreOptions);

/** Opens the store that the settings name. @throws the error of the database, the file system or the S3 server */
export async function createBlobStore(options: BlobStoreOptions): Promise<BlobStore> {
  if (options.driver === 'postgres') return PostgresBlobStore.open(options);
  if (options.driver === 'filesystem') return FilesystemBlobStore.open(options.dir);
  // its client is large: only processes that use it load it
  const { S3BlobStore } = await import('./s3/s3-blob-store.js');
  return S3BlobStore.open(options);
}
