import { randomUUID } from 'node:crypto';
import { placeOf } from '@postmesh/blob-store';
import { startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MESSAGES_SERVICE } from '../messages.definition.js';
import { DOMAIN } from '../testing/domain.js';
import { SweepContent } from './sweep-content.js';

const DAY_MS = 86_400_000;
const database = testDatabase();
let messages: TestService;

beforeAll(async () => {
  messages = await startTestService(MESSAGES_SERVICE, {
    databaseUrl: database.url,
    neighbours: { domains: () => ({ status: 200, body: DOMAIN }) },
  });
});
afterAll(() => messages?.stop());
beforeEach(() => query('update content_sweep set swept_until = to_timestamp(0)'));

const query = (sql: string, parameters: unknown[] = []) =>
  messages.service.get(DataSource).query(sql, parameters) as Promise<Record<string, unknown>[]>;
const NOW = new Date();
const sweep = (now = NOW) => messages.service.get(SweepContent).sweep(now, new AbortController().signal);

/** Content with an id of this many days ago. */
async function put(daysAgo: number): Promise<string> {
  const place = placeOf(new Date(NOW.getTime() - daysAgo * DAY_MS));
  const id = `${place.slice(0, 14)}7${randomUUID().slice(15)}`;
  await messages.context.blobs.put([{ id, bytes: Buffer.from('x') }]);
  return id;
}

/** A present send request with this content. */
async function name(contentId: string): Promise<void> {
  const body = {
    from: { email: 'a@shop.test' },
    to: [{ email: 'r@mail.test' }],
    subject: 'Hello',
    text_content: 'Good day',
  };
  const path = `/v2/accounts/${messages.accountId}/messages/conversation`;
  const response = await messages.call('POST', path, { body });
  const first = (response.body.data[0].id as string).slice(1, 37);
  await query('update send_requests set content_id = $2 where id = $1', [first, contentId]);
}

const isThere = async (id: string) => (await messages.context.blobs.get([id])).has(id);
const areThere = (ids: string[]) => Promise.all(ids.map(isThere));

describe('content without a row', () => {
  it('is deleted from an age of eight days on; younger content stays', async () => {
    const ids = [await put(400), await put(30), await put(8.1), await put(7.9), await put(0)];
    await sweep();
    expect(await areThere(ids)).toEqual([false, false, false, true, true]);
  });

  it('is distinguished from content of a send request or a system mail, with an id of any time', async () => {
    const [sent, mailed, orphan] = [await put(9), await put(20), await put(9)];
    await name(sent);
    await query(
      `insert into system_mails (mail_id, recipient, name, account_id, kind, content_id)
       values ('m', 'a@b.test', '', $1, 'invitation', $2)`,
      [messages.accountId, mailed],
    );
    await sweep();
    expect(await areThere([sent, mailed, orphan])).toEqual([true, true, false]);
  });

  it('is searched from the end of the last run', async () => {
    await sweep();
    const [missed, next] = [await put(9), await put(7.5)];
    await sweep(new Date(NOW.getTime() + DAY_MS));
    expect(await areThere([missed, next])).toEqual([true, false]);
    const [row] = await query('select swept_until from content_sweep');
    expect(row?.['swept_until']).toEqual(new Date(NOW.getTime() - 7 * DAY_MS));
  });

  it('waits for the next run when this one is stopped', async () => {
    const orphan = await put(9);
    await messages.service.get(SweepContent).sweep(NOW, AbortSignal.abort());
    expect(await isThere(orphan)).toBe(true);
    await sweep();
    expect(await isThere(orphan)).toBe(false);
  });
});
