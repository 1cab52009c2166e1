import type { BlobStore } from '@postmesh/blob-store';
import { BLOB_STORE } from '@postmesh/service-host';
import { startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MESSAGES_SERVICE } from '../messages.definition.js';
import { DOMAIN } from '../testing/domain.js';

const database = testDatabase();
let messages: TestService;
beforeAll(async () => {
  messages = await startTestService(MESSAGES_SERVICE, {
    databaseUrl: database.url,
    neighbours: {
      domains: () => ({ status: 200, body: DOMAIN }),
      'delivery-worker': () => ({ status: 404, body: {} }),
    },
  });
});
afterAll(() => messages?.stop());

const path = () => `/v2/accounts/${messages.accountId}/messages`;

async function send(bytes: number): Promise<string> {
  const { status, body } = await messages.call('POST', `${path()}/conversation`, {
    body: {
      from: { email: 'a@shop.test' },
      to: [{ email: 'b@mail.test' }],
      subject: 'Hello',
      text_content: 'x'.repeat(bytes),
    },
  });
  expect(status).toBe(202);
  return body.data[0].id as string;
}

/** How many contents were in memory at once, at most, while the message was read so often. */
async function readAtOnce(id: string, times: number): Promise<number> {
  const blobs = messages.service.get<BlobStore>(BLOB_STORE);
  const { get } = blobs;
  let [reading, most] = [0, 0];
  blobs.get = async (ids) => {
    most = Math.max(most, ++reading);
    try {
      return await get.call(blobs, ids);
    } finally {
      reading--;
    }
  };
  try {
    const requests = Array.from({ length: times }, () =>
      messages.call('GET', `${path()}/${encodeURIComponent(id)}`),
    );
    for (const { status, body } of await Promise.all(requests)) {
      expect([status, body.content_parsed?.parts.length]).toEqual([200, 1]);
    }
    return most;
  } finally {
    blobs.get = get;
  }
}

it('large contents are read within the bytes that one account may have', async () => {
  const { largeBytes } = messages.context.settings;
  // more than half of the account's share, so that no two of them are read together
  const large = await send(Math.ceil(largeBytes * 0.35));
  expect(await readAtOnce(large, 3)).toBe(1);
});
