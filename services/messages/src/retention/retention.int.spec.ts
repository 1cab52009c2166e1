import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { DeliveryAttempted, type DeliveryOutcome } from '@postmesh/delivery-worker-contract';
import { deliver, startTestService, type TestService } from '@postmesh/service-testing';
import { rowsRead, testDatabase } from '@postmesh/testing';
import { MESSAGES_SERVICE } from '../messages.definition.js';
import { DropContent } from './drop-content.js';
import { PurgeContent } from './purge-content.js';
import { FoldStatistics } from '../statistics/fold-statistics.js';
import { DOMAIN } from '../testing/domain.js';

const database = testDatabase();
let messages: TestService;

beforeAll(async () => {
  messages = await startTestService(MESSAGES_SERVICE, {
    databaseUrl: database.url,
    neighbours: { domains: () => ({ status: 200, body: DOMAIN }) },
  });
});
afterAll(() => messages?.stop());
beforeEach(() => query('truncate send_requests, messages, delivery_attempts'));

const query = (sql: string, parameters: unknown[] = []) =>
  messages.service.get(DataSource).query(sql, parameters) as Promise<Record<string, any>[]>; // eslint-disable-line typescript/no-explicit-any
const purge = (signal = new AbortController().signal) => messages.service.get(PurgeContent).purge(signal);

/** @returns the ids of the records, in recipient order */
async function send(retention: { metadata?: number; data?: number } = {}, recipients = 1): Promise<string[]> {
  const to = Array.from({ length: recipients }, (_, nth) => ({ email: `r${nth}@mail.test` }));
  const body = { from: { email: 'a@shop.test' }, to, subject: 'Hello', text_content: 'Good day', retention };
  const response = await messages.call('POST', `/v2/accounts/${messages.accountId}/messages/conversation`, {
    body,
  });
  expect(response.status).toBe(202);
  const first = (response.body.data[0].id as string).slice(1, 37);
  const rows = await query('select id from messages where send_request_id = $1 order by id', [first]);
  return rows.map(({ id }) => id as string);
}

const read = (id: string) =>
  messages.call('GET', `/v2/accounts/${messages.accountId}/messages/${encodeURIComponent(id)}`);

async function end(id: string, outcome: DeliveryOutcome = 'delivered', more: object = {}): Promise<void> {
  const [message] = await query('select send_request_id from messages where id = $1', [id]);
  const send_request_id = (message?.['send_request_id'] ?? id) as string;
  const about = { ...DeliveryAttempted.examples[0]!, message_id: id, send_request_id, outcome, ...more };
  await deliver(messages.service, [DeliveryAttempted.make(about, { account_id: messages.accountId })]);
}

/** Resolves when all messages done by now are handled. */
const dropped = () => messages.service.get(DropContent).settled();

/** Moves the acceptance of a record this many days back. */
const age = (id: string, days: number) =>
  query(
    `update send_requests set retain_data_until = retain_data_until - make_interval(days => $2),
       retain_metadata_until = retain_metadata_until - make_interval(days => $2)
     where id = (select send_request_id from messages where id = $1)`,
    [id, days],
  );

async function stored(id: string): Promise<boolean> {
  const rows = await query(
    'select content_id from send_requests where id = (select send_request_id from messages where id = $1)',
    [id],
  );
  const contentId = rows[0]?.['content_id'] as string | null;
  return contentId !== null && (await messages.context.blobs.get([contentId])).has(contentId);
}

describe('content', () => {
  it('is readable until its retention ends, then the record stays without it', async () => {
    const [id] = (await send({ data: 2, metadata: 5 })) as [string];
    await end(id);
    await age(id, 1);
    await purge();
    expect((await read(id)).body).toMatchObject({ status: 'Delivered', content: expect.any(String) });
    await age(id, 1);
    // expired content is hidden, even before the purge
    expect((await read(id)).body).not.toHaveProperty('content');
    expect(await stored(id)).toBe(true);
    await purge();
    const { status, body } = await read(id);
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'Delivered', subject: 'Hello', recipient: 'r0@mail.test' });
    expect(body).not.toHaveProperty('content');
    expect(body).not.toHaveProperty('content_parsed');
    expect(await stored(id)).toBe(false);
  });

  it('of 0 days is never shown, kept while it is being delivered, and deleted after the delivery', async () => {
    const [id] = (await send({ data: 0 })) as [string];
    expect((await read(id)).body).not.toHaveProperty('content');
    await purge();
    expect(await stored(id)).toBe(true);
    await end(id, 'deferred');
    await purge();
    expect(await stored(id)).toBe(true);
    await end(id);
    expect((await read(id)).body).not.toHaveProperty('content');
    await purge();
    expect(await stored(id)).toBe(false);
    expect((await read(id)).body).toMatchObject({ status: 'Delivered' });
  });

  it.each([
    ['delivered', {}],
    ['bounced', {}],
    ['failed', {}],
    ['suppressed', {}],
    // the sandbox does not retry
    ['deferred', { sandbox: true }],
  ] as const)('of 0 days is out of the store at once when the message is %s %j', async (outcome, more) => {
    const [id] = (await send({ data: 0 })) as [string];
    const [row] = await query('select content_id from send_requests where id = $1', [id]);
    await end(id, outcome, more);
    await dropped();
    expect(await messages.context.blobs.get([row!['content_id'] as string])).toEqual(new Map());
    expect(await stored(id)).toBe(false);
  });

  it('of 0 days stays until the last recipient of the message is done, then is deleted at once', async () => {
    const [first, second] = (await send({ data: 0 }, 2)) as [string, string];
    await end(second);
    await dropped();
    expect(await stored(first)).toBe(true);
    await end(first, 'deferred');
    await dropped();
    expect(await stored(first)).toBe(true);
    await end(first, 'bounced');
    await dropped();
    expect(await stored(first)).toBe(false);
  });

  it('of 1 day or more stays when the message is done', async () => {
    const [id] = (await send({ data: 1 })) as [string];
    await end(id);
    await dropped();
    expect(await stored(id)).toBe(true);
  });

  it('that could not be dropped is deleted by the next purge', async () => {
    const [id] = (await send({ data: 0 })) as [string];
    const broken = vi
      .spyOn(messages.context.blobs, 'delete')
      .mockRejectedValueOnce(new Error('store is unavailable'));
    await end(id);
    await dropped();
    broken.mockRestore();
    expect(await stored(id)).toBe(true);
    await purge();
    expect(await stored(id)).toBe(false);
  });

  it('stays as long as one recipient of the message still waits', async () => {
    const [first, second, third] = (await send({ data: 0 }, 3)) as [string, string, string];
    await end(first);
    await end(third, 'bounced');
    await purge();
    expect(await stored(first)).toBe(true);
    await end(second, 'failed');
    await purge();
    expect(await stored(first)).toBe(false);
    expect((await read(second)).body).toMatchObject({ status: 'Failed' });
  });

  it('that is gone already does not stop the purge', async () => {
    const [lost] = (await send({ data: 0 })) as [string];
    const [other] = (await send({ data: 0 })) as [string];
    const [row] = await query('select content_id from send_requests where id = $1', [lost]);
    await messages.context.blobs.delete([row!['content_id'] as string]);
    await end(lost);
    await end(other);
    await purge();
    expect(await query('select id from send_requests where content_id is not null')).toEqual([]);
    expect(await stored(other)).toBe(false);
  });
});

describe('a record', () => {
  const delivered = async (): Promise<number> => {
    await messages.service.get(FoldStatistics).fold(new AbortController().signal);
    const path = `/v2/accounts/${messages.accountId}/statistics/transactional/deliverability`;
    const { data } = (await messages.call('GET', path)).body;
    return data.reduce((sum: number, one: { delivered_count: number }) => sum + one.delivered_count, 0);
  };

  it('is no longer found after its retention, and leaves no rows but its statistics', async () => {
    const before = await delivered();
    const [id, second] = (await send({ data: 1, metadata: 3 }, 2)) as [string, string];
    const [kept] = (await send({ metadata: 4 })) as [string];
    const now = { started_at: new Date().toISOString(), finished_at: new Date().toISOString() };
    for (const one of [id, second, kept]) await end(one, 'delivered', now);
    await age(id, 3);
    await age(kept, 3);
    expect((await read(id)).status).toBe(404);
    await purge();
    for (const one of [id, second]) {
      expect(await read(one)).toMatchObject({ status: 404, body: { message: 'message not found' } });
    }
    expect((await read(kept)).status).toBe(200);
    expect(await query('select id from send_requests')).toEqual([{ id: kept }]);
    expect(await query('select id from messages')).toEqual([{ id: kept }]);
    expect(await query('select message_id from delivery_attempts')).toEqual([{ message_id: kept }]);
    expect(await delivered()).toBe(before + 3);
  });

  it('that is still being delivered is not purged, with any retention', async () => {
    const [id] = (await send({ data: 1, metadata: 1 })) as [string];
    await age(id, 2);
    await purge();
    expect(await stored(id)).toBe(true);
    await end(id);
    await purge();
    expect(await query('select id from send_requests')).toEqual([]);
  });

  it('gets no attempts after it was purged', async () => {
    const [id] = (await send({ data: 0, metadata: 1 })) as [string];
    await end(id);
    // it locks the row meanwhile, and the purge passes over locked rows
    await dropped();
    await age(id, 1);
    await purge();
    expect(await query('select id from messages')).toEqual([]);
    await end(id, 'bounced');
    expect(await query('select message_id from delivery_attempts')).toEqual([]);
  });
});

/** Inserts records with expired content, every other one of which is expired itself; `open` selects those not done. */
async function fill(count: number, open: string): Promise<void> {
  await query(
    `insert into send_requests (id, account_id, kind, domain_id, domain, sender, subject, message_id_header, tags,
       content_id, size, track_opens, track_clicks, created_at, hide_when_done, retain_data_until, retain_metadata_until)
     select gen_random_uuid(), gen_random_uuid(), 'conversation', gen_random_uuid(), 'shop.test', 'a@shop.test', 'x',
       '<x@y>', '{}', gen_random_uuid(), 1, false, false, now(), false,
       now() - interval '1 hour' + nth * interval '1 millisecond',
       now() + case when nth % 2 = 0 then interval '-1 minute' else interval '1 day' end
     from generate_series(1, $1::int) as nth`,
    [count],
  );
  await query(
    `insert into messages (id, send_request_id, account_id, recipient, recipient_name, status, created_at, updated_at)
     select id, id, account_id, 'r@mail.test', '', case when ${open} then 'Deferred' else 'Bounced' end, now(), now()
     from (select *, row_number() over (order by retain_metadata_until, id) as nth,
             row_number() over (order by retain_data_until) as place from send_requests) as s`,
  );
}

describe('the purge', () => {
  it('deletes all expired content in one run, and skips open messages', async () => {
    const count = 2_500;
    await fill(count, 'nth % 5 = 0');
    await purge();
    const [left] = await query(
      `select count(*)::int as all, count(content_id)::int as with_content,
         count(*) filter (where retain_metadata_until <= now())::int as due from send_requests`,
    );
    expect(left).toEqual({ all: 1_500, with_content: 500, due: 250 });
    const [open] = await query(
      `select count(*)::int as open from send_requests s join messages m using (id)
       where s.content_id is not null and m.status = 'Deferred'`,
    );
    expect(open).toEqual({ open: 500 });
  });

  it('reads a page at a time, with any number of open messages before done ones', async () => {
    await fill(20_000, 'place < 20000');
    await query('analyze send_requests, messages');
    const database = messages.service.get(DataSource);
    const statements = vi.spyOn(database, 'query');
    await purge();
    const pages = statements.mock.calls.filter(([sql]) => String(sql).includes('retain_data_until'));
    statements.mockRestore();
    // the last one was done, and its record was expired
    const [left] = await query(
      'select count(*)::int as all, count(content_id)::int as stored from send_requests',
    );
    expect(left).toEqual({ all: 19_999, stored: 19_999 });
    expect(pages.length).toBeGreaterThan(0);
    for (const [sql, parameters] of pages) {
      // a page, and the messages of its send requests
      expect(await rowsRead(database, sql, parameters)).toBeLessThan(5_000);
    }
  });

  it('ends when it is aborted', async () => {
    const [id] = (await send({ data: 1 })) as [string];
    await end(id);
    await age(id, 1);
    await purge(AbortSignal.abort());
    expect(await stored(id)).toBe(true);
  });
});
