import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { randomUUID } from 'node:crypto';
import { loadSettings } from '@postmesh/settings';
import { realPart } from '@postmesh/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { createBlobStore } from '../src/index.js';
import { describeBlobStore } from './blob-store.conformance.js';

const settings = loadSettings();
const endpoint = realPart('POSTMESH_S3_ENDPOINT', settings.s3Endpoint);
const credentials = {
  accessKeyId: settings.s3AccessKey ?? '',
  secretAccessKey: settings.s3SecretKey ?? '',
};
const about = { endpoint, region: settings.s3Region, credentials, pathStyle: true };
const bucket = `postmesh-${randomUUID()}`;
const options = { driver: 's3' as const, ...about, bucket, prefix: 'some/content/' };

describe.runIf(endpoint)('an S3 server', () => {
  beforeAll(async () => {
    const client = new S3Client({ ...about, endpoint: endpoint ?? '', forcePathStyle: true });
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    client.destroy();
  });

  describeBlobStore('s3', { open: () => createBlobStore(options) });

  describe('s3', () => {
    it.each([
      ['a bucket that is not there', 'nobody-made-it', {}],
      ['a wrong secret', bucket, { credentials: { ...credentials, secretAccessKey: 'wrong' } }],
    ])('does not open with %s', async (_what, name, wrong) => {
      const opening = createBlobStore({ ...options, bucket: name, ...wrong });
      await expect(opening).rejects.toThrow(`the bucket '${name}'`);
    });

    it('keeps prefixes apart', async () => {
      const [one, other] = await Promise.all([
        createBlobStore(options),
        createBlobStore({ ...options, prefix: 'another/' }),
      ]);
      const id = randomUUID();
      await one.put([{ id, bytes: Buffer.from('x') }]);
      expect((await other.get([id])).size).toBe(0);
      await Promise.all([one.close(), other.close()]);
    });
  });
});
