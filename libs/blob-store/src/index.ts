export { BlobMissing } from './blob-store.port.js';
export type { BlobStore, Content } from './blob-store.port.js';
export { createBlobStore } from './create-blob-store.js';
export type { BlobStoreOptions } from './create-blob-store.js';
