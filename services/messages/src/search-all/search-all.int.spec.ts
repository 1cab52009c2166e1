import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId, type MemberRole } from '@postmesh/contracts';
import { memberOf, startTestService, type TestService } from '@postmesh/service-testing';
import { rowsRead, testDatabase } from '@postmesh/testing';
import { MESSAGES_SERVICE } from '../messages.definition.js';
import { PROBES_ONLY } from '../list-messages/message-walk.sql.js';
import { NEWEST, OLDEST } from '../search-index/list-place.rules.js';
import { SealSegments } from '../search-index/seal-segments.js';
import { SEGMENT_SIZE } from '../search-index/segment.rules.js';
import { storeMessages, type StoredMessage } from '../testing/stored-messages.js';
import { STEPS, stepSql } from './bounded-walk.js';

const database = testDatabase();
let messages: TestService;
beforeAll(async () => {
  messages = await startTestService(MESSAGES_SERVICE, { databaseUrl: database.url });
});
afterAll(() => messages?.stop());
const sql = (text: string, parameters: unknown[] = []) =>
  messages.service.get(DataSource).query(text, parameters);

const ask = (account: string, query: Record<string, string>, role: MemberRole = 'Analyst') =>
  messages.call('GET', `/console/api/messages?${new URLSearchParams(query)}`, {
    principal: memberOf(account, role),
  });

const BEGIN = Date.now() - 3_600_000;
const message = (n: number, more: Partial<StoredMessage> = {}): StoredMessage => ({
  id: newId(BEGIN + n),
  createdAt: new Date(BEGIN + n),
  domain: 'shop.test',
  sender: 'news@shop.test',
  recipient: `u${n}@mail.test`,
  subject: `Number ${n}`,
  tags: [],
  status: 'Delivered',
  ...more,
});

/** Messages of a new account; those of campaigns belong to one. */
async function stored(others: StoredMessage[], campaigns: StoredMessage[] = []): Promise<string> {
  const account = newId();
  for (const list of [others, campaigns])
    for (let at = 0; at < list.length; at += 4_000)
      await storeMessages(messages.service.get(DataSource), account, list.slice(at, at + 4_000));
  const ids = [newId(), campaigns.map(({ id }) => id)];
  await sql('update messages set campaign_id = $1 where id = any($2::uuid[])', ids);
  await sql('update send_requests set campaign_id = $1 where id = any($2::uuid[])', ids);
  return account;
}

/** All pages. */
async function all(account: string, query: Record<string, string>): Promise<string[]> {
  const found: string[] = [];
  for (let after: string | undefined, pages = 0; pages < 100; pages++) {
    const { status, body } = await ask(account, { ...query, ...(after && { after }) });
    expect([status, body.message]).toEqual([200, undefined]);
    found.push(...body.data.map(({ id }: { id: string }) => id));
    expect(body.pagination.has_more).toBe(body.searched_until !== null);
    if (!body.pagination.has_more) return found;
    after = body.pagination.next_cursor;
  }
  throw new Error('the search does not end');
}

describe('the search of messages of all kinds', () => {
  it('finds sends, campaigns and inbound by each filter, newest first, page by page', async () => {
    const others = [
      message(1, { recipient: 'Ann@corp.test', tags: ['red'] }),
      message(3, { recipient: 'help@shop.test', sender: 'ann@corp.test', status: 'Inbound' }),
      message(5, { status: 'Bounced' }),
    ];
    const campaigns = [
      message(2, { recipient: 'ann@corp.test', subject: 'Spring SALE', tags: ['red'] }),
      message(4, { recipient: 'bob@corp.test', subject: 'Spring SALE of 5 \u212A', status: 'Bounced' }),
    ];
    const account = await stored(others, campaigns);
    const ids = (...nths: number[]) =>
      nths.map(
        (nth) => [...others, ...campaigns].find(({ createdAt }) => createdAt.getTime() === BEGIN + nth)!.id,
      );
    const cases: [Record<string, string>, number[]][] = [
      [{}, [5, 4, 3, 2, 1]],
      [{ limit: '2' }, [5, 4, 3, 2, 1]],
      [{ recipient: 'ann@corp.test' }, [2, 1]],
      [{ address: 'ANN@' }, [3, 2, 1]],
      [{ address: '@corp', limit: '1' }, [4, 3, 2, 1]],
      [{ subject: 'spring sale' }, [4, 2]],
      // a character that the database does not fold
      [{ subject: 'SALE OF 5 K' }, [4]],
      [{ tags: 'red' }, [2, 1]],
      [{ status: 'Bounced' }, [5, 4]],
      [{ kind: 'campaigns' }, [4, 2]],
      [{ kind: 'inbound' }, [3]],
      [{ kind: 'sends' }, [5, 1]],
      [{ address: 'corp', kind: 'sends' }, [1]],
      [{ from_time: new Date(BEGIN + 3).toISOString(), to_time: new Date(BEGIN + 5).toISOString() }, [4, 3]],
    ];
    for (const [query, wanted] of cases)
      expect([query, await all(account, query)]).toEqual([query, ids(...wanted)]);
    const { body } = await ask(account, { recipient: 'ann@corp.test' });
    expect(body.data.map(({ campaign_id }: { campaign_id: string | null }) => campaign_id)).toEqual([
      expect.any(String),
      null,
    ]);
    expect(body.data[0]).not.toHaveProperty('content');
  });

  it('shows nothing of another account, and needs the scope', async () => {
    await stored([message(1)], [message(2)]);
    expect((await ask(newId(), {})).body.data).toEqual([]);
    expect((await ask(newId(), {}, 'Billing Manager')).status).toBe(403);
    expect((await messages.call('GET', '/console/api/messages')).status).toBe(401);
    expect((await ask(newId(), { kind: 'other' })).status).toBe(400);
    expect((await ask(newId(), { address: 'x'.repeat(255) })).status).toBe(400);
  });

  it('looks at a bounded number of rows a request, by indexes, and goes on from there', async () => {
    const bound = STEPS.reduce((sum, size) => sum + size, 0);
    const rare = message(0, { recipient: 'rare@corp.test' });
    const account = await stored(
      [],
      [rare, ...Array.from({ length: bound + 500 }, (_, nth) => message(nth + 1))],
    );
    await sql('analyze messages');
    const { body } = await ask(account, { address: 'rare@' });
    expect([body.data, body.pagination.has_more]).toEqual([[], true]);
    expect(await all(account, { address: 'rare@' })).toEqual([rare.id]);
    const walk = {
      accountId: account,
      filters: {},
      direction: 'older',
      above: OLDEST,
      below: NEWEST,
    } as const;
    for (const of of ['campaigns', 'others'] as const) {
      const { text, parameters } = stepSql({ ...walk, address: 'rare@' }, of, 500);
      const plan = await messages.service.get(DataSource).transaction(async (tx) => {
        await tx.query(PROBES_ONLY);
        return JSON.stringify(await tx.query(`explain ${text}`, parameters));
      });
      expect(plan).toContain(of === 'campaigns' ? 'messages_of_campaigns' : 'messages_listed');
      expect(plan).not.toMatch(/Seq Scan/);
    }
    const { text, parameters } = stepSql({ ...walk, address: 'rare@' }, 'campaigns', 500);
    expect(await rowsRead(messages.service.get(DataSource), text, parameters)).toBeLessThan(6 * 500);
  });

  it('finds what segments have, also between messages of campaigns', async () => {
    const others = Array.from({ length: SEGMENT_SIZE + 50 }, (_, nth) =>
      message(2 * nth, nth % 100 === 7 ? { tags: ['rare'] } : {}),
    );
    const account = await stored(
      others,
      Array.from({ length: 300 }, (_, nth) => message(2 * nth + 14_001)),
    );
    const seal = messages.service.get(SealSegments);
    await seal.findAccounts();
    const sealed = async () => {
      await seal.sealAccount(account, new AbortController().signal);
      const [row] = await sql('select segments from search_accounts where account_id = $1', [account]);
      return Number(row.segments);
    };
    await expect.poll(sealed).toBe(1);
    const rare = others
      .filter(({ tags }) => tags.length > 0)
      .map(({ id }) => id)
      .reverse();
    expect(await all(account, { tags: 'rare', limit: '20' })).toEqual(rare);
    // the same list of the contract ends its segments between other messages, too
    const path = `/v2/accounts/${account}/messages?tags=rare&limit=20`;
    const first = await messages.call('GET', path, { account_id: account });
    const second = await messages.call('GET', `${path}&after=${first.body.pagination.next_cursor}`, {
      account_id: account,
    });
    expect(second.body.data.map(({ id }: { id: string }) => id)).toEqual(rare.slice(20, 40));
  });
});

it('the newest messages that have changed since a time are given to the stream of the console', async () => {
  const [old, inbound, fresh] = [message(1), message(2, { status: 'Inbound' }), message(3)];
  const account = await stored([old, inbound, fresh], [message(4)]);
  const since = new Date(BEGIN + 1).toISOString();
  const path = `/internal/accounts/${account}/recent-changes?since=${since}`;
  const { body } = await messages.internal('GET', path);
  expect(body.changes.toSorted((a: { at: string }, b: { at: string }) => (a.at < b.at ? -1 : 1))).toEqual([
    { kind: 'message', id: inbound.id, state: 'Received', at: inbound.createdAt.toISOString() },
    { kind: 'message', id: fresh.id, state: 'Delivered', at: fresh.createdAt.toISOString() },
  ]);
  expect((await messages.internal('GET', path.replace(account, newId()))).body.changes).toEqual([]);
});
