import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { createBlobStore } from '../src/index.js';
import { describeBlobStore } from './blob-store.conformance.js';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'postmesh-blobs-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

describeBlobStore('filesystem', {
  open: () => createBlobStore({ driver: 'filesystem', dir: join(dir, 'deep', 'blobs') }),
});
