import fc from 'fast-check';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { startTestService, type TestService } from '@postmesh/service-testing';
import { rowsRead, testDatabase } from '@postmesh/testing';
import { MESSAGES_SERVICE } from '../messages.definition.js';
import { MESSAGE_STATUSES } from '../message-status/message-status.rules.js';
import { PROBES_ONLY, walkSql } from './message-walk.sql.js';
import { KeepSearchIndex } from '../search-index/keep-search-index.js';
import { SealSegments } from '../search-index/seal-segments.js';
import { SEGMENT_SIZE } from '../search-index/segment.rules.js';
import { foldSubject } from '../search-index/search-tokens.rules.js';
import { OLDEST } from '../search-index/list-place.rules.js';
import { storeMessages, type StoredMessage } from '../testing/stored-messages.js';

const database = testDatabase();
const COUNT = 2 * SEGMENT_SIZE + 1_500;
let messages: TestService;
let stored: StoredMessage[];

const pick = <T>(list: readonly T[], number: number): T => list[Math.floor(number) % list.length] as T;
const SENDERS = ['news@shop.test', 'orders@shop.test', 'info@corp.test'];
const SUBJECTS = ['Your order', 'News', 'Ünïcode ΟΔΟΣ', 'a', ''];
const TAGS = [[], ['red'], ['red', 'blue'], ['green']];

/** Oldest first, one per 40 ms, some with the same millisecond as the next. */
function makeMessages(): StoredMessage[] {
  const begin = Date.now() - 3_600_000;
  return Array.from({ length: COUNT }, (_, n) => {
    const dice = Math.abs(Math.imul(n + 7, 0x9e3779b1)) >>> 8;
    const sender = n === 5 ? 'rare@shop.test' : pick(SENDERS, dice);
    return {
      id: newId(begin + n),
      createdAt: new Date(begin + Math.floor(n / 3) * 100),
      domain: sender.slice(sender.indexOf('@') + 1),
      sender,
      recipient: `u${dice % 300}@mail.test`,
      subject: `${pick(SUBJECTS, dice >>> 3)} ${dice % 1_000}`,
      tags: pick(TAGS, dice >>> 5),
      status: pick(MESSAGE_STATUSES, dice >>> 7),
      firstAttempt: new Date(begin + (dice % 2) * 7_200_000),
    };
  });
}

beforeAll(async () => {
  messages = await startTestService(MESSAGES_SERVICE, { databaseUrl: database.url });
  stored = makeMessages();
  for (let at = 0; at < COUNT; at += 4_000)
    await storeMessages(dataSource(), messages.accountId, stored.slice(at, at + 4_000));
  await messages.service.get(SealSegments).findAccounts();
  while ((await segments()) < 2) await seal();
});
afterAll(() => messages?.stop());

const dataSource = () => messages.service.get(DataSource);
const never = new AbortController().signal;
// The service has passes of its own. While one holds the lock, a pass of a test changes nothing: tests repeat theirs.
const seal = () => messages.service.get(SealSegments).sealAccount(messages.accountId, never);

const segments = async () =>
  Number((await dataSource().query('select max(segments) as count from search_accounts'))[0].count);

type Query = Record<string, string>;
interface Page {
  data: { id: string; status: string; subject: string }[];
  pagination: { has_more: boolean; next_cursor?: string; previous_cursor?: string };
}

async function list(query: Query, scopes?: string[]): Promise<Page> {
  const path = `/v2/accounts/${messages.accountId}/messages?${new URLSearchParams(query)}`;
  const { status, body } = await messages.call('GET', path, scopes ? { scopes } : {});
  expect([status, body.message]).toEqual([200, undefined]);
  return body as Page;
}

const shown = ({ status, firstAttempt }: StoredMessage) =>
  status === 'Scheduled' && firstAttempt && firstAttempt <= new Date() ? 'Received' : status;
const CUMULATIVE: Record<string, string[]> = {
  Delivered: ['Delivered', 'Opened', 'Clicked'],
  Opened: ['Opened', 'Clicked'],
};
const isIn = (list: string | undefined, fits: (item: string) => boolean) =>
  list === undefined || list.split(',').some(fits);

/** The expected list, newest first, by checking each message. */
function expected(query: Query, domains?: string[]): string[] {
  const { status, sender, recipient, subject, tags, from_time, to_time } = query;
  return stored
    .filter(
      (one) =>
        isIn(status, (name) => (CUMULATIVE[name] ?? [name]).includes(shown(one))) &&
        (sender === undefined || one.sender === sender) &&
        (recipient === undefined || one.recipient === recipient) &&
        (subject === undefined || foldSubject(one.subject).includes(foldSubject(subject))) &&
        isIn(tags, (tag) => one.tags.includes(tag)) &&
        (from_time === undefined || one.createdAt >= new Date(from_time)) &&
        (to_time === undefined || one.createdAt < new Date(to_time)) &&
        (domains === undefined || domains.includes(one.domain)),
    )
    .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1))
    .map(({ id }) => id);
}

const ids = ({ data }: Page) => data.map(({ id }) => id);

/** All pages from the newest to the oldest, then back again. */
async function walk(query: Query, wanted: readonly string[], limit: number, pages: number): Promise<void> {
  let page = await list({ ...query, limit: String(limit) });
  expect(ids(page)).toEqual(wanted.slice(0, limit));
  let at = 0;
  for (let nth = 1; nth < pages && page.pagination.has_more; nth++) {
    page = await list({ ...query, limit: String(limit), after: page.pagination.next_cursor! });
    at += limit;
    expect(ids(page)).toEqual(wanted.slice(at, at + limit));
  }
  expect(page.pagination.has_more).toBe(wanted.length > at + page.data.length);
  while (page.pagination.previous_cursor !== undefined) {
    page = await list({ ...query, limit: String(limit), before: page.pagination.previous_cursor });
    at -= limit;
    expect(ids(page)).toEqual(wanted.slice(Math.max(0, at), at + limit));
    expect(page.pagination.has_more).toBe(true);
  }
  expect(at).toBeLessThanOrEqual(0);
}

const time = fc.integer({ min: 0, max: COUNT }).map((n) => n);
const filter = fc.record(
  {
    status: fc.subarray([...MESSAGE_STATUSES], { minLength: 1, maxLength: 3 }).map((names) => names.join()),
    sender: fc.constantFrom(...SENDERS, 'rare@shop.test', 'nobody@shop.test'),
    recipient: fc.nat(310).map((n) => `u${n}@mail.test`),
    subject: fc.oneof(
      fc.constantFrom(
        'order',
        'ORDER 1',
        'news 77',
        'ο',
        'ÜN',
        'οδος',
        'oδos',
        'r 9',
        'zz',
        ' ',
        'a 12',
        '%',
        '_',
      ),
      fc.nat(999).map(String),
    ),
    tags: fc.constantFrom('red', 'blue', 'green,blue', 'white', 'Red'),
  },
  { requiredKeys: [] },
);

describe('a list of messages (spec 2-messages §2.1)', () => {
  it('finds with every combination of filters the same messages as a check of each, page by page and back', async () => {
    await fc.assert(
      fc.asyncProperty(
        filter,
        fc.option(time),
        fc.option(time),
        fc.constantFrom(1, 7, 100),
        async (given, a, b, limit) => {
          const query = { ...(given as Query) };
          if (a !== null) query['from_time'] = stored[Math.min(a, COUNT - 1)]!.createdAt.toISOString();
          if (b !== null) query['to_time'] = stored[Math.min(b, COUNT - 1)]!.createdAt.toISOString();
          await walk(query, expected(query), limit, 3);
        },
      ),
      {
        numRuns: Number(process.env['FUZZ_RUNS'] ?? 60),
        ...(process.env['FUZZ_SEED'] ? { seed: Number(process.env['FUZZ_SEED']) } : {}),
      },
    );
  });

  it('of a key for domains shows messages of these only', async () => {
    const scopes = ['messages:read:{corp.test}'];
    const wanted = expected({}, ['corp.test']);
    expect(ids(await list({ limit: '50' }, scopes))).toEqual(wanted.slice(0, 50));
    expect(ids(await list({ limit: '50' }, [...scopes, 'messages:read:{shop.test}']))).toEqual(
      expected({}).slice(0, 50),
    );
  });

  it('has a status that changed after the message was indexed, before and after the index is updated', async () => {
    const old = stored.find(({ status }) => status === 'Delivered')!;
    await dataSource().query(`update messages set status = 'Bounced' where id = $1`, [old.id]);
    old.status = 'Bounced';
    const check = async () => {
      const to_time = new Date(old.createdAt.getTime() + 1).toISOString();
      for (const status of ['Bounced', 'Delivered'])
        expect(ids(await list({ status, to_time }))).toEqual(expected({ status, to_time }).slice(0, 100));
    };
    await check();
    const waiting = async () => {
      await messages.service.get(KeepSearchIndex).keep(never);
      return dataSource().query('select 1 from search_changes');
    };
    await expect.poll(waiting).toEqual([]);
    await check();
  });

  it.each(['candidates', 'ids'] as const)(
    'reads each of its %s once, with any estimate of the planner',
    async (source) => {
      const some = stored.slice(0, 250);
      const given = {
        candidates: [some.map(() => 1), some.map((_, n) => n), messages.accountId],
        ids: [some.map(({ id }) => id)],
      }[source];
      const below = { at: new Date().toISOString(), id: newId() };
      const walk = {
        accountId: messages.accountId,
        filters: {},
        direction: 'older',
        above: OLDEST,
        below,
      } as const;
      const { text, parameters } = walkSql(walk, source, given, some.length);
      const probing: Parameters<typeof rowsRead>[0] = {
        transaction: (run) =>
          dataSource().transaction(async (tx) => {
            // as after a purge, until the next analyze
            await tx.query('set local role none');
            await tx.query(
              `update pg_class set reltuples = 0 where relname in ('messages', 'send_requests')`,
            );
            await tx.query(PROBES_ONLY);
            return run(tx);
          }),
      };
      expect(await rowsRead(probing, text, parameters)).toBeLessThan(5 * some.length);
    },
  );

  it('leaves out purged messages, and drops segments once all of their messages are expired', async () => {
    const gone = new Set(stored.filter((_, n) => n % 2 === 0).map(({ id }) => id));
    await dataSource().query('delete from messages where id = any($1::uuid[])', [[...gone]]);
    stored = stored.filter(({ id }) => !gone.has(id));
    const query = { sender: 'news@shop.test', subject: 'order' };
    await walk(query, expected(query), 100, 4);
    await dataSource().query(
      `update search_segments set kept_until = now() - make_interval(secs => 1) where segment = 1`,
    );
    const left = async () => {
      await messages.service.get(KeepSearchIndex).dropOld(never);
      return dataSource().query('select distinct segment from search_postings');
    };
    await expect.poll(left).toEqual([{ segment: '2' }]);
  });

  it('is indexed when indexing another account fails', async () => {
    const [broken, sound] = [newId(), newId()];
    const begin = Date.now() - 3_600_000;
    const all = Array.from({ length: SEGMENT_SIZE }, (_, n) => ({
      ...{ createdAt: new Date(begin + n), domain: 'shop.test', sender: 'news@shop.test' },
      ...{ recipient: 'ann@mail.test', subject: 'News', tags: [], status: 'Delivered' },
    }));
    for (const account of [broken, sound])
      await storeMessages(
        dataSource(),
        account,
        all.map((one, n) => ({ ...one, id: newId(begin + n) })),
      );
    await dataSource().query(`insert into search_postings values ($1, 'dshop.test', 1, '')`, [broken]);
    await messages.service.get(SealSegments).findAccounts();
    await dataSource().query(
      `update search_accounts set next_look_at = case account_id when $1 then now() - interval '1 hour' else now() end`,
      [broken],
    );
    const made = async () => {
      await messages.service.get(SealSegments).sealDue(never);
      return dataSource().query(
        'select account_id, segments::int from search_accounts where account_id = any($1::uuid[]) order by segments',
        [[broken, sound]],
      );
    };
    await expect.poll(made).toEqual([
      { account_id: broken, segments: 0 },
      { account_id: sound, segments: 1 },
    ]);
  });

  it('is forgotten with its account after its last message', async () => {
    const [left, gone] = [newId(), newId()];
    await dataSource().query('insert into search_accounts (account_id) values ($1), ($2)', [left, gone]);
    await dataSource().query(
      `insert into search_segments values ($1, 1, now(), $1, now(), $1, now() + interval '1 day', '', '')`,
      [left],
    );
    const kept = async () => {
      await messages.service.get(SealSegments).forgetAccounts();
      const rows = await dataSource().query(
        'select account_id as id from search_accounts where account_id = any($1::uuid[])',
        [[left, gone, messages.accountId]],
      );
      return rows.map(({ id }: { id: string }) => id).sort();
    };
    await expect.poll(kept).toEqual([left, messages.accountId].sort());
  });
});
