import { createLogger } from '@postmesh/observability';
import { testDatabase } from '@postmesh/testing';
import { createBlobStore } from '../src/index.js';
import { describeBlobStore } from './blob-store.conformance.js';

const database = testDatabase();
const logger = createLogger({ logLevel: 'warn' }, 'blob-store-test');

describeBlobStore('postgres', {
  open: () => createBlobStore({ driver: 'postgres', url: database.url, logger }),
});
