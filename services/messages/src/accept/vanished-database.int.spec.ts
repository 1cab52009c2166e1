import { CuttableProxy, testDatabase } from '@postmesh/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSends, type SendsUnderTest } from '../testing/sends-under-test.js';

const MESSAGE = {
  from: { email: 'ann@shop.test' },
  to: [{ email: 'bob@mail.test' }],
  subject: 'Hello',
  text_content: 'Good day',
};

const database = testDatabase();
let proxy: CuttableProxy;
let under: SendsUnderTest;

beforeAll(async () => {
  proxy = await CuttableProxy.start(database.url);
  under = await startSends(database.url, { logLevel: 'silent', messagesDatabaseUrl: proxy.url });
});
afterAll(async () => {
  await under?.stop();
  await proxy?.cut();
});

const send = (subject: string, key?: string) =>
  under.send('/conversation', { ...MESSAGE, subject }, key ? { headers: { 'idempotency-key': key } } : {});
const list = () => under.call('GET', `/v2/accounts/${under.accountId}/messages`);
const countOf = async (subject: string) =>
  (await under.sql<{ id: string }>('select id from send_requests where subject = $1', [subject])).length;

// the network comes back before the connections are given up, and what was sent meanwhile arrives
describe('while no packet passes between messages and its database', () => {
  it('every request gets a 503, and one that is done nevertheless is done once under its key', async () => {
    expect((await send('before')).status).toBe(202);
    proxy.hold();
    const waiting = await Promise.all([send('keyed', 'key'), send('plain'), list()]);
    const later = await Promise.all([send('later'), list()]);
    for (const { status, headers } of [...waiting, ...later]) {
      expect(status).toBe(503);
      expect(headers['retry-after']).toBe('1');
    }
    proxy.release();
    await expect.poll(async () => (await send('keyed', 'key')).status).toBe(202);
    expect(await countOf('keyed')).toBe(1);
    expect(await countOf('later')).toBe(0);
    expect((await list()).status).toBe(200);
  });
});
