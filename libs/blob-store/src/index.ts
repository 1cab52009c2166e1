import type { BlobStore } from './blob-store.port.js';
import { FilesystemBlobStore } from './filesystem/filesystem-blob-store.js';
import { PostgresBlobStore, type PostgresBlobStoreOptions } from './postgres/postgres-blob-store.js';

export { BlobMissing } from './blob-store.port.js';
export type { BlobStore } from './blob-store.port.js';

export type BlobStoreOptions =
  | ({ driver: 'postgres' } & PostgresBlobStoreOptions)
  | {
      driver: 'filesystem';
      /** made when missing; all services must see the same folder */
      dir: string;
    };

/** Opens the store that the settings name. @throws the database's or the file system's error */
export function createBlobStore(options: BlobStoreOptions): Promise<BlobStore> {
  return options.driver === 'postgres'
    ? PostgresBlobStore.open(options)
    : FilesystemBlobStore.open(options.dir);
}
