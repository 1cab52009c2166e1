import { Pepper } from '@postmesh/secrets';
import { testDatabase } from '@postmesh/testing';
import { request } from 'undici';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../testing/start-gateway.js';

const A = 'the-key-of-the-first-year-long-enough';
const B = 'the-key-of-the-second-year-long-enough';
const database = testDatabase();
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway(database.url, 'in process', { secretKeys: [B, A] });
});
afterAll(() => gateway.stop());

it('a use of a key that an older secret key hashed is reported with the hash under the current one', async () => {
  const older = gateway.accounts.addKey({ secretKeys: [A] });
  const current = gateway.accounts.addKey({ secretKeys: [B] });
  for (const { secret } of [older, current]) {
    const headers = { authorization: `Bearer ${secret}` };
    const { statusCode, body } = await request(`${gateway.url}/v2/ping`, { headers });
    await body.dump();
    expect(statusCode).toBe(200);
  }
  const useOf = (keyId: string) => gateway.accounts.uses.find((use) => use.key_id === keyId);
  await expect
    .poll(() => useOf(older.keyId))
    .toMatchObject({
      rehash: {
        from: new Pepper([A]).hash(older.secret).toString('base64'),
        to: new Pepper([B]).hash(older.secret).toString('base64'),
        pepper_id: new Pepper([B]).keyId,
      },
    });
  expect(useOf(current.keyId)).not.toHaveProperty('rehash');
});
