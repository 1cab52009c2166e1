import pg from 'pg';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BounceFigures } from '@postmesh/messages-contract';
import { DeliveryAttempted, type DeliveryOutcome } from '@postmesh/delivery-worker-contract';
import { newId, type MemberRole, type Principal } from '@postmesh/contracts';
import type { InternalRequest } from '@postmesh/http';
import { PeriodicTasks } from '@postmesh/work';
import { Metrics } from '@postmesh/observability';
import { deliver, memberOf, startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { MESSAGES_SERVICE } from '../messages.definition.js';
import { DOMAIN } from '../testing/domain.js';
import { FoldStatistics } from './fold-statistics.js';
import { GiveBounceFigures } from './give-bounce-figures.js';
import { PruneStatistics } from './prune-statistics.js';
import { recordFacts } from './record-facts.js';
import { RollUpStatistics } from './roll-up-statistics.js';
import type { Figure, StatisticsFact } from './statistics-facts.rules.js';
import { DAY_MS, HOUR_MS, startOf } from './time-ranges.rules.js';

const database = testDatabase();
const never = new AbortController().signal;
let messages: TestService;
let other: TestService;
let account: string;

/** The figures that the domains service received, and its response. */
const judgements = {
  given: [] as BounceFigures['figures'][],
  answer: (): { status: number; body: object } => ({ status: 404, body: {} }),
};
const neighbours = {
  domains: ({ path, body }: InternalRequest) => {
    if (path !== '/internal/bounce-judgements') return { status: 200, body: DOMAIN };
    judgements.given.push(BounceFigures.parse(body).figures);
    return judgements.answer();
  },
};
beforeAll(async () => {
  messages = await startTestService(MESSAGES_SERVICE, { databaseUrl: database.url, neighbours });
  other = await startTestService(MESSAGES_SERVICE, { databaseUrl: database.url, neighbours, periodic: true });
  for (const one of [messages, other]) await one.service.get(PeriodicTasks).cancel('give-bounce-figures');
});
afterAll(() => Promise.all([messages?.stop(), other?.stop()]));
beforeEach(() => {
  account = newId();
});

type Row = Record<string, any>; // eslint-disable-line typescript/no-explicit-any
const query = (sql: string, parameters: unknown[] = []) =>
  messages.service.get(DataSource).query(sql, parameters) as Promise<Row[]>;

const fact = (change: Partial<StatisticsFact> = {}): StatisticsFact => ({
  accountId: account,
  domain: 'shop.test',
  recipientDomain: 'mail.test',
  tags: null,
  at: new Date(),
  figure: 'received',
  classification: null,
  count: 1,
  deliveryMs: 0,
  campaign: false,
  templateId: null,
  provider: null,
  ...change,
});
const write = (...facts: StatisticsFact[]) => recordFacts(messages.service.get(DataSource).manager, facts);

/** Until nothing is left: the other process and the timer fold too. */
async function fold(): Promise<void> {
  const foldOnce = async () => {
    await messages.service.get(FoldStatistics).fold(never);
    return (await query('select count(*)::int as left from statistics_facts'))[0]?.['left'];
  };
  await expect.poll(foldOnce).toBe(0);
}

type Read = 'deliverability' | 'bounce' | 'delivery-time';
async function buckets(read: Read, parameters: Record<string, string> = {}): Promise<Row[]> {
  const path = `/v2/accounts/${account}/statistics/transactional/${read}?${new URLSearchParams(parameters)}`;
  const { status, body } = await messages.call('GET', path, { account_id: account });
  expect([status, body.object]).toEqual([200, 'list']);
  return body.data;
}

const COLUMNS: Record<string, Figure> = {
  reception_count: 'received',
  delivered_count: 'delivered',
  deferred_count: 'deferred',
  bounced_count: 'bounced',
  failed_count: 'failed',
  suppressed_count: 'suppressed',
};
/** Sums over all buckets; zeros are left out. */
async function totals(parameters: Record<string, string> = {}): Promise<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const bucket of await buckets('deliverability', parameters)) {
    for (const [column, figure] of Object.entries(COLUMNS)) {
      if (bucket[column] > 0) sums[figure] = (sums[figure] ?? 0) + bucket[column];
    }
  }
  return sums;
}

const [example] = DeliveryAttempted.examples;
const attempted = (id: string, outcome: DeliveryOutcome, change: Partial<NonNullable<typeof example>> = {}) =>
  DeliveryAttempted.make(
    { ...example!, message_id: id, outcome, finished_at: new Date().toISOString(), ...change },
    { account_id: account },
  );

async function send(more: object = {}, recipients = ['ann@mail.test']): Promise<string[]> {
  const path = `/v2/accounts/${account}/messages/conversation`;
  const to = recipients.map((email) => ({ email }));
  const body = { from: { email: 'a@shop.test' }, to, subject: 'Hello', text_content: 'x', ...more };
  const { status } = await messages.call('POST', path, { account_id: account, body });
  expect(status).toBe(202);
  const rows = await query('select id from messages where account_id = $1 order by id', [account]);
  return rows.map(({ id }) => id as string).slice(-recipients.length);
}

describe('the counted messages', () => {
  it('are counted at acceptance, and by their outcomes', async () => {
    const [first, second, third] = await send({}, ['a@one.test', 'b@two.test', 'c@two.test']);
    const reply = { smtp_code: 550, response: 'no', classification: 'InvalidRecipient' };
    const acceptedAt = new Date(Date.now() - 2_500);
    await deliver(messages.service, [
      attempted(first!, 'deferred'),
      attempted(second!, 'bounced', { reply, recipient: 'b@two.test' }),
      attempted(third!, 'failed', { recipient: 'c@two.test' }),
    ]);
    const finished_at = new Date().toISOString();
    const accepted_at = acceptedAt.toISOString();
    await deliver(messages.service, [
      attempted(first!, 'deferred'),
      attempted(first!, 'delivered', { recipient: 'a@one.test', accepted_at, finished_at }),
    ]);
    await fold();
    expect(await totals()).toEqual({ received: 3, deferred: 1, bounced: 1, failed: 1, delivered: 1 });
    expect((await buckets('bounce')).find(({ bounces }) => bounces.length > 0)).toMatchObject({
      bounces: [{ classification: 'InvalidRecipient', count: 1 }],
    });
    const seconds = (Date.parse(finished_at) - acceptedAt.getTime()) / 1_000;
    const times = await buckets('delivery-time');
    expect(times.find(({ delivered_count }) => delivered_count > 0)).toMatchObject({
      avg_delivery_time: seconds,
      delivered_count: 1,
      delivery_times: [{ recipient_domain: 'one.test', delivery_time: seconds, count: 1 }],
    });
  });

  it('count once, with repeated events and repeated folds', async () => {
    const [id] = await send();
    const events = [attempted(id!, 'deferred'), attempted(id!, 'delivered', { attempt: 2 })];
    await deliver(messages.service, [...events, ...events]);
    await deliver(messages.service, events);
    // the same outcome again as a new event: the reply to the final dot was lost
    await deliver(messages.service, [attempted(id!, 'delivered', { attempt: 3 })]);
    await fold();
    await fold();
    expect(await totals()).toEqual({ received: 1, deferred: 1, delivered: 1 });
  });

  it('leave out the sandbox', async () => {
    const [id] = await send({ sandbox: true });
    await deliver(messages.service, [attempted(id!, 'delivered', { sandbox: true })]);
    await fold();
    expect(await totals()).toEqual({});
  });

  it('are kept longer than the record of the message', async () => {
    const [id] = await send();
    await deliver(messages.service, [attempted(id!, 'delivered')]);
    await query('delete from messages where id = $1', [id]);
    await deliver(messages.service, [attempted(id!, 'bounced', { reply: null })]);
    await fold();
    expect(await totals()).toEqual({ received: 1, delivered: 1, bounced: 1 });
  });
});

describe('filters', () => {
  it('by tags count a message once, with any of the tags in the filter', async () => {
    await send({ tags: ['welcome', 'spring'] });
    await send({ tags: ['spring'] });
    await send();
    await fold();
    expect(await totals({ tags: 'welcome,spring' })).toEqual({ received: 2 });
    expect(await totals({ tags: 'welcome' })).toEqual({ received: 1 });
    expect(await totals({ tags: 'nothing' })).toEqual({});
    expect(await totals()).toEqual({ received: 3 });
  });

  it('by recipient domain, sending domain and tags work together, in whole hours and in parts', async () => {
    const tags = ['x'];
    for (const at of [new Date(Date.now() - 3 * HOUR_MS), new Date()]) {
      await write(
        fact({ at, tags }),
        fact({ at, tags, recipientDomain: 'other.test' }),
        fact({ at, domain: 'b.test', tags: ['x', 'y'] }),
        fact({ at }),
      );
    }
    await fold();
    const recipient_domains = 'Mail.test';
    expect(await totals({ recipient_domains })).toEqual({ received: 6 });
    expect(await totals({ recipient_domains, tags: 'x,y' })).toEqual({ received: 4 });
    expect(await totals({ recipient_domains, tags: 'x,y', sender_domain: 'shop.test' })).toEqual({
      received: 2,
    });
    const times = await buckets('delivery-time', { tags: 'x' });
    expect(times.every(({ delivery_times }) => delivery_times.length === 0)).toBe(true);
  });

  it('of maximum length are accepted', async () => {
    const tags = Array.from({ length: 10 }, (_, nth) => `${nth}`.padStart(64, '\u{1f4e7}'));
    const long = `${'a'.repeat(63)}.`.repeat(3);
    await write(fact({ tags, domain: `${long}test`, recipientDomain: `${long}example` }), fact());
    await fold();
    expect(await totals({ tags: tags[3]! })).toEqual({ received: 1 });
    expect(await totals()).toEqual({ received: 2 });
  });
});

describe('the range', () => {
  it('includes its beginning and excludes its end, to the millisecond', async () => {
    const at = new Date(Date.now() - 5 * DAY_MS);
    await write(fact({ at }));
    await fold();
    const around = (from: number, to: number) =>
      totals({
        from_time: new Date(at.getTime() + from).toISOString(),
        to_time: new Date(at.getTime() + to).toISOString(),
      });
    expect(await around(0, 1)).toEqual({ received: 1 });
    expect(await around(-1, 0)).toEqual({});
    expect(await around(1, 100)).toEqual({});
    expect(await around(-5 * HOUR_MS, 5 * HOUR_MS)).toEqual({ received: 1 });
    expect(await around(-5 * DAY_MS, 0)).toEqual({});
  });

  it('shows every bucket, with zeros where nothing happened', async () => {
    await write(fact({ at: new Date('2026-03-04T10:00:00Z') }));
    await fold();
    const range = { from_time: '2026-03-02T12:00:00+02:00', to_time: '2026-03-05T00:00:00Z' };
    const counts = (await buckets('deliverability', range)).map((bucket) => [
      bucket['from_timestamp'],
      bucket['to_timestamp'],
      bucket['reception_count'],
    ]);
    expect(counts).toEqual([
      ['2026-03-02T00:00:00.000Z', '2026-03-03T00:00:00.000Z', 0],
      ['2026-03-03T00:00:00.000Z', '2026-03-04T00:00:00.000Z', 0],
      ['2026-03-04T00:00:00.000Z', '2026-03-05T00:00:00.000Z', 1],
    ]);
  });

  it('has a notice when opens and clicks are not tracked', async () => {
    const path = `/v2/accounts/${account}/statistics/transactional/deliverability`;
    const noticeOf = async (opens: boolean, clicks: boolean) => {
      const facts = { track_opens: opens, track_clicks: clicks };
      const { headers } = await messages.call('GET', path, { account_id: account, account: facts });
      return headers['postmesh-notice'];
    };
    expect(await noticeOf(true, true)).toBeUndefined();
    expect(await noticeOf(true, false)).toBe(
      'clicks are counted for messages that ask for tracking only: track_clicks of the account is off',
    );
    expect(await noticeOf(false, false)).toMatch(/^opens and clicks are .*: track_opens and track_clicks of/);
  });

  it('gives the same sums as single facts do, with any earlier roll-ups and late facts', async () => {
    const now = new Date();
    const dayStart = startOf('day', now).getTime();
    await query(`update statistics_progress set complete_until =
      date_trunc(level, now() - interval '30 days', 'UTC'), after_account = null`);
    let seed = 11;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const facts = Array.from({ length: 400 }, () =>
      fact({
        at: new Date(dayStart - random(33 * DAY_MS)),
        figure: (['received', 'delivered', 'deferred', 'failed'] as const)[random(4)]!,
        recipientDomain: `d${random(3)}.test`,
        tags: random(2) === 0 ? null : [`t${random(2)}`, 'z'],
        count: 1 + random(5),
      }),
    );
    for (let at = 0; at < facts.length; at += 100) {
      await write(...facts.slice(at, at + 100));
      await fold();
      // half of the month is rolled up before the third batch, all of it before the last
      const until = new Date(now.getTime() - (at === 100 ? 15 : 31 - at / 20) * DAY_MS);
      await messages.service.get(RollUpStatistics).rollUp(until, never);
    }
    for (let round = 0; round < 40; round++) {
      const from = new Date(dayStart - random(33 * DAY_MS));
      const to = new Date(from.getTime() + 1 + random(dayStart - from.getTime()));
      const recipient = random(2) === 0 ? undefined : `d${random(3)}.test`;
      const tag = random(2) === 0 ? undefined : `t${random(2)}`;
      const wanted: Record<string, number> = {};
      for (const one of facts) {
        if (one.at < from || one.at >= to) continue;
        if (recipient !== undefined && one.recipientDomain !== recipient) continue;
        if (tag !== undefined && !one.tags?.includes(tag)) continue;
        wanted[one.figure] = (wanted[one.figure] ?? 0) + one.count;
      }
      const parameters = {
        from_time: from.toISOString(),
        to_time: to.toISOString(),
        group_by: ['hour', 'day', 'week', 'month'][random(4)]!,
        ...(recipient === undefined ? {} : { recipient_domains: recipient }),
        ...(tag === undefined ? {} : { tags: tag }),
      };
      expect([parameters, await totals(parameters)]).toEqual([parameters, wanted]);
    }
  });
});

describe('the fold', () => {
  it('counts once when two processes fold at the same time', async () => {
    const at = new Date(Date.now() - 2 * HOUR_MS);
    const many = Array.from({ length: 25_000 }, (_, nth) =>
      fact({ at, recipientDomain: `d${nth % 500}.test` }),
    );
    await write(...many);
    await Promise.all([messages, other].map(({ service }) => service.get(FoldStatistics).fold(never)));
    await fold();
    expect(await totals()).toEqual({ received: 25_000 });
  });

  it('loses no facts of writers that commit meanwhile, and counts none of those that do not', async () => {
    const dataSource = messages.service.get(DataSource);
    const slow = dataSource.createQueryRunner();
    const failing = dataSource.createQueryRunner();
    await slow.startTransaction();
    await failing.startTransaction();
    await recordFacts(slow.manager, [fact({ count: 3 })]);
    await recordFacts(failing.manager, [fact({ count: 100 })]);
    await write(fact());
    await fold();
    expect(await totals({ from_time: new Date(Date.now() - HOUR_MS).toISOString() })).toEqual({
      received: 1,
    });
    await slow.commitTransaction();
    await failing.rollbackTransaction();
    await Promise.all([slow.release(), failing.release()]);
    await fold();
    expect(await totals()).toEqual({ received: 4 });
  });

  it('has a metric for the age of the figures', async () => {
    await fold();
    const page = await other.service.get(Metrics).render();
    expect(page).toMatch(/^postmesh_statistics_fold_age_seconds [\d.e-]+$/m);
  });

  it('that is killed in the middle has no effect', async () => {
    await write(fact(), fact());
    // the role of the service may not terminate sessions
    const admin = new pg.Client(database.url);
    await admin.connect();
    try {
      // a lock that the fold waits for, so that it is killed within its transaction
      await admin.query('begin; lock table messages.statistics_counters in exclusive mode');
      const folding = other.service
        .get(FoldStatistics)
        .fold(never)
        .catch(() => 'died');
      // within a transaction the view does not change after its first read
      const kill = `select pg_terminate_backend(pid) from pg_stat_activity
        where wait_event_type = 'Lock' and query like '%taken as%' and datname = current_database()`;
      const killed = async () => {
        await admin.query('select pg_stat_clear_snapshot()');
        return (await admin.query(kill)).rowCount;
      };
      await expect.poll(killed).toBe(1);
      await admin.query('rollback');
      await folding;
    } finally {
      await admin.end();
    }
    await fold();
    expect(await totals()).toEqual({ received: 2 });
  });

  it('is not delayed by an account with a different tag on each message', async () => {
    const victim = newId();
    const at = new Date();
    const unique = Array.from({ length: 5_000 }, (_, nth) => fact({ at, tags: [`t${nth}`] }));
    await write(...unique, fact({ accountId: victim }));
    await fold();
    const rows = await query(
      `select detail, count(*)::int as rows from statistics_counters where account_id = $1 and level = 'hour' group by 1`,
      [account],
    );
    const byDetail = Object.fromEntries(rows.map(({ detail, rows: count }) => [detail, count]));
    expect([byDetail['tags'], byDetail['recipient-tags']]).toEqual([5_000, 5_000]);
    expect(byDetail['total']).toBe(1);
    expect(byDetail['recipient']).toBe(1);
    account = victim;
    expect(await totals()).toEqual({ received: 1 });
  });
});

describe('days and months', () => {
  it('are summed up for many accounts in parts, each of which is right after late facts', async () => {
    const day = startOf('day', new Date(Date.now() - 3 * DAY_MS));
    await query(
      `update statistics_progress set complete_until = $1, after_account = null where level = 'day'`,
      [day],
    );
    const accounts = Array.from({ length: 250 }, () => newId());
    const at = new Date(day.getTime() + 10 * HOUR_MS);
    await write(...accounts.map((accountId) => fact({ accountId, at })));
    await fold();
    // the state after a kill between the first two parts
    await query(
      `delete from statistics_counters where level = 'day' and from_time >= $1 and account_id > $2`,
      [day, accounts[99]],
    );
    await query(
      `update statistics_progress set complete_until = $1, after_account = $2 where level = 'day'`,
      [day, accounts[99]],
    );
    await write(...accounts.map((accountId) => fact({ accountId, at })));
    await fold();
    const rows = await query(
      `select received, count(*)::int as accounts from statistics_counters
       where level = 'day' and detail = 'total' and from_time = $1 and account_id = any($2) group by received`,
      [day, accounts],
    );
    expect(rows).toEqual([{ received: 2, accounts: 250 }]);
  });
});

describe('deletion', () => {
  const counted = async () =>
    (
      await query(
        `select (select count(*)::int from statistics_counters where account_id = $1) as counters,
           (select count(*)::int from statistics_history where account_id = $1) as history`,
        [account],
      )
    )[0];
  const prune = (now = new Date()) => messages.service.get(PruneStatistics).prune(now, never);

  it('removes figures of more than 13 months ago and single facts of more than 35 days ago', async () => {
    const now = new Date();
    // it may be in the next month
    const later = new Date(now.getTime() + 2 * DAY_MS);
    const edge = new Date(Date.UTC(later.getUTCFullYear(), later.getUTCMonth() - 13, 1));
    await write(fact({ at: edge }), fact({ at: new Date(edge.getTime() - 1) }));
    await write(fact({ at: new Date(now.getTime() - 34 * DAY_MS) }));
    await fold();
    await prune(now);
    expect((await counted())?.['history']).toBe(1);
    await prune(later);
    expect((await counted())?.['history']).toBe(0);
    const months = { from_time: new Date(edge.getTime() - 90 * DAY_MS).toISOString(), group_by: 'month' };
    expect(await totals(months)).toEqual({ received: 2 });
  });

  it('removes all figures of a deleted account, including late ones', async () => {
    await write(fact({ tags: ['x'] }));
    await fold();
    await query('insert into deleted_accounts (account_id) values ($1)', [account]);
    await prune();
    expect(await counted()).toEqual({ counters: 0, history: 0 });
    await write(fact());
    await fold();
    await prune();
    expect((await counted())?.['history']).toBe(1);
    await query(
      `update deleted_accounts set deleted_at = now() - interval '32 days',
         statistics_deleted_at = now() - interval '32 days' where account_id = $1`,
      [account],
    );
    await prune();
    expect(await counted()).toEqual({ counters: 0, history: 0 });
  });
});

describe('figures for pauses', () => {
  const figures = async (body: object) => {
    const { status, body: given } = await messages.internal('POST', '/internal/bounce-figures', body);
    expect(status).toBe(200);
    return given.figures as Row[];
  };

  it('are those of the requested domains, since the given time', async () => {
    const since = new Date(Date.now() - 4 * DAY_MS - 17 * 60_000);
    const classification = 'InvalidRecipient';
    for (const at of [new Date(since.getTime() - 1), since, new Date(Date.now() - DAY_MS), new Date()]) {
      await write(
        fact({ at, figure: 'bounced', classification }),
        fact({ at, figure: 'delivered', count: 2 }),
        fact({ at, domain: 'other.test', figure: 'delivered' }),
      );
    }
    await fold();
    const domains = ['shop.test', 'other.test', 'none.test'].map((domain) => ({
      account_id: account,
      domain,
      since: since.toISOString(),
    }));
    expect(await figures({ domains })).toEqual([
      { account_id: account, domain: 'shop.test', delivered: 6, bounced: 3, from: since.toISOString() },
      { account_id: account, domain: 'other.test', delivered: 3, bounced: 0, from: since.toISOString() },
      { account_id: account, domain: 'none.test', delivered: 0, bounced: 0, from: since.toISOString() },
    ]);
  });

  it('without a domain are those of all domains with so many bounces in the last 30 days', async () => {
    const bounce = { figure: 'bounced', classification: 'BadDomain' } as const;
    await write(
      fact({ ...bounce, count: 400, at: new Date(Date.now() - 31 * DAY_MS) }),
      fact({ ...bounce, count: 70, at: new Date(Date.now() - 29 * DAY_MS) }),
      fact({ ...bounce, count: 30 }),
      fact({ figure: 'delivered', count: 900 }),
      fact({ ...bounce, domain: 'other.test', count: 99 }),
    );
    await fold();
    const mine = (await figures({ min_bounced: 100 })).filter(({ account_id }) => account_id === account);
    expect(mine).toMatchObject([{ domain: 'shop.test', delivered: 900, bounced: 100 }]);
    const namesFrom = async (offset: number) =>
      (await figures({ min_bounced: 99, offset })).map(({ account_id, domain }) => [account_id, domain]);
    const all = await namesFrom(0);
    expect(await namesFrom(1)).toEqual(all.slice(1));
    expect(await namesFrom(all.length)).toEqual([]);
  });

  it('spec 1-platform §11.8 rule 1 are sent to the domains service, and again counted since the last lift', async () => {
    const bounce = { figure: 'bounced', classification: 'BadDomain' } as const;
    const since = new Date(Date.now() - DAY_MS).toISOString();
    await write(
      fact({ ...bounce, count: 150, at: new Date(Date.now() - 2 * DAY_MS) }),
      fact({ ...bounce, count: 7 }),
      fact({ ...bounce, domain: 'few.test', count: 99 }),
    );
    await fold();
    const give = async () => {
      judgements.given = [];
      await messages.service.get(GiveBounceFigures).give();
      return judgements.given.map((page) =>
        page
          .filter(({ account_id }) => account_id === account)
          .map(({ domain, bounced }) => [domain, bounced]),
      );
    };
    const again = [{ account_id: account, domain: 'shop.test', since }];
    judgements.answer = () => ({
      status: 200,
      body: { count_since: judgements.given.length === 1 ? again : [] },
    });
    expect(await give()).toEqual([[['shop.test', 157]], [['shop.test', 7]]]);
    expect(judgements.given[1]).toMatchObject([{ from: since }]);
    // a domains service of the previous release pulls them
    judgements.answer = () => ({ status: 404, body: {} });
    expect(await give()).toEqual([[['shop.test', 157]]]);
    judgements.answer = () => ({ status: 503, body: {} });
    await expect(give()).rejects.toThrow('domains responded 503');
  });

  it('are refused for more domains than a request may contain', async () => {
    const domains = Array.from({ length: 1_001 }, () => ({
      account_id: account,
      domain: 'a.test',
      since: new Date(),
    }));
    const { status } = await messages.internal('POST', '/internal/bounce-figures', { domains });
    expect(status).toBe(400);
  });
});

it('a delivery-time read lists the domains with most messages when there are too many', async () => {
  const rows = Array.from({ length: 101 }, (_, nth) =>
    fact({
      figure: 'delivered',
      recipientDomain: `d${nth}.test`,
      count: nth === 100 ? 9 : 1,
      deliveryMs: 1_000,
    }),
  );
  await write(...rows);
  await fold();
  const from_time = new Date(Date.now() - 999 * HOUR_MS).toISOString();
  const read = await buckets('delivery-time', { group_by: 'hour', from_time });
  const last = read.find(({ delivered_count }) => delivered_count > 0);
  expect(last?.['delivered_count']).toBe(109);
  expect(last?.['delivery_times']).toHaveLength(100);
  expect(last?.['delivery_times'][0]).toEqual({
    recipient_domain: 'd100.test',
    delivery_time: 0.111,
    count: 9,
  });
});

describe('the overview of the console', () => {
  const member = (role: MemberRole, of = account): Principal => memberOf(of, role);
  const overview = (principal: Principal) => messages.call('GET', '/console/api/statistics', { principal });

  it('sums up all messages of the account, those of campaigns included, over three periods', async () => {
    const ago = (hours: number) => ({ at: new Date(Date.now() - hours * HOUR_MS) });
    await write(
      fact({ count: 5 }),
      fact({ figure: 'delivered', count: 4, ...ago(3) }),
      fact({ figure: 'complained', tags: ['a'], ...ago(50) }),
      fact({ count: 7, campaign: true, recipientDomain: '', ...ago(50) }),
      fact({ figure: 'deferred', count: 2, campaign: true, recipientDomain: '', ...ago(300) }),
      fact({ count: 100, ...ago(800) }),
      fact({ count: 1_000, accountId: newId() }),
    );
    await fold();
    const { status, body } = await overview(member('Analyst'));
    expect(status).toBe(200);
    const nothing = {
      bounced_count: 0,
      failed_count: 0,
      suppressed_count: 0,
      from_timestamp: expect.any(String),
    };
    const day = { ...nothing, reception_count: 5, delivered_count: 4, deferred_count: 0, complaint_count: 0 };
    const week = { ...day, reception_count: 12, complaint_count: 1 };
    expect(body.periods).toEqual([
      { hours: 24, ...day },
      { hours: 168, ...week },
      { hours: 720, ...week, deferred_count: 2 },
    ]);
    // those of the contract have no campaigns (spec 1-platform §15 rule 4)
    expect(await totals({ from_time: ago(60).at.toISOString() })).toEqual({ received: 5, delivered: 4 });
  });

  it('is for roles that read statistics', async () => {
    expect((await overview(member('Billing Manager'))).status).toBe(403);
    expect((await messages.call('GET', '/console/api/statistics', { account_id: account })).status).toBe(401);
  });
});

describe('the figures of templates and providers', () => {
  const member = (role: MemberRole): Principal => memberOf(account, role);
  const read = (
    group: 'templates' | 'providers',
    given: Record<string, string> = {},
    role: MemberRole = 'Analyst',
  ) =>
    messages.call('GET', `/console/api/statistics/${group}?${new URLSearchParams(given)}`, {
      principal: member(role),
    });
  const rows = async (
    group: 'templates' | 'providers',
    given: Record<string, string> = {},
  ): Promise<Row[]> => {
    const { status, body } = await read(group, given);
    expect([status, body.object, body.is_cut]).toEqual([200, 'list', false]);
    return body.data;
  };
  const newTemplate = async (name: string): Promise<string> => {
    const path = `/v2/accounts/${account}/templates`;
    const body = { name, subject: 'Hi', content: { html: '<p>x</p>' }, publish: true };
    const made = await messages.call('POST', path, { account_id: account, body });
    expect(made.status).toBe(201);
    return made.body.id;
  };

  it('count a message from its acceptance on, by the template of its send and the host that it was given to', async () => {
    const template_id = await newTemplate('Code');
    const path = `/v2/accounts/${account}/messages/template`;
    const recipients = [{ email: 'a@one.test' }, { email: 'b@two.test' }];
    const body = { template_id, from: { email: 'a@shop.test' }, recipients };
    expect((await messages.call('POST', path, { account_id: account, body })).status).toBe(202);
    const ids = (await query('select id from messages where account_id = $1 order by id', [account])).map(
      ({ id }) => id as string,
    );
    const reply = { smtp_code: 550, response: 'no', classification: 'InvalidRecipient' };
    const accepted_at = new Date(Date.now() - 2_000).toISOString();
    await deliver(messages.service, [
      attempted(ids[0]!, 'deferred', { remote_host: 'aspmx.l.google.com' }),
      attempted(ids[0]!, 'delivered', { remote_host: 'aspmx.l.google.com', accepted_at }),
      attempted(ids[1]!, 'bounced', { remote_host: 'mx.two.test', reply, recipient: 'b@two.test' }),
    ]);
    await fold();
    expect(await rows('templates')).toEqual([
      {
        ...{ template_id, name: 'Code', reception_count: 2, delivered_count: 1, deferred_count: 1 },
        ...{ bounced_count: 1, failed_count: 0, suppressed_count: 0 },
        ...{ opened_count: 0, clicked_count: 0, complaint_count: 0 },
      },
    ]);
    expect(await rows('providers')).toEqual([
      {
        ...{ provider: 'google', delivered_count: 1, deferred_count: 1, bounced_count: 0, failed_count: 0 },
        avg_delivery_time: expect.any(Number),
      },
      {
        ...{ provider: 'other', delivered_count: 0, deferred_count: 0, bounced_count: 1, failed_count: 0 },
        avg_delivery_time: 0,
      },
    ]);
    expect(await rows('templates', { sender_domain: 'shop.test' })).toHaveLength(1);
    expect(await rows('templates', { sender_domain: 'other.test' })).toEqual([]);
    // the figures of the contract are as they were
    expect(await totals()).toEqual({ received: 2, delivered: 1, deferred: 1, bounced: 1 });
  });

  it('have campaigns with the providers, and the same sums after days and months have ended', async () => {
    const of = { provider: 'google', figure: 'delivered', deliveryMs: 1_000 } as const;
    const campaign = { campaign: true, recipientDomain: '' };
    await write(
      fact({ ...of, at: new Date('2026-03-01T10:00:00Z') }),
      fact({ ...of, ...campaign, at: new Date('2026-03-31T23:59:00Z'), count: 2, deliveryMs: 5_000 }),
      fact({ ...of, at: new Date('2026-04-01T00:00:00Z'), provider: 'other' }),
    );
    await fold();
    const march = { from_time: '2026-03-01T00:00:00Z', to_time: '2026-04-01T00:00:00Z' };
    const expected = [{ provider: 'google', delivered_count: 3, avg_delivery_time: 2 }];
    expect(await rows('providers', march)).toMatchObject(expected);
    const early = { ...march, to_time: '2026-03-01T10:00:01Z' };
    expect(await rows('providers', early)).toMatchObject([{ provider: 'google', delivered_count: 1 }]);
    await messages.service.get(RollUpStatistics).rollUp(new Date(), never);
    expect(await rows('providers', march)).toMatchObject(expected);
    await messages.service.get(PruneStatistics).prune(new Date('2027-06-01T00:00:00Z'), never);
    expect(await query('select from statistics_counters where account_id = $1', [account])).toEqual([]);
  });

  it('are for roles that read statistics, and list the largest', async () => {
    expect((await read('templates', {}, 'Billing Manager')).status).toBe(403);
    expect((await read('providers', { from_time: 'x' })).status).toBe(400);
    const path = '/console/api/statistics/templates';
    expect((await messages.call('GET', path, { account_id: account })).status).toBe(401);
    const ids = Array.from({ length: 101 }, () => newId());
    await write(...ids.map((templateId, nth) => fact({ templateId, count: 1_000 - nth })));
    await fold();
    const { body } = await read('templates');
    expect([body.is_cut, body.data.length, body.data[0].template_id]).toEqual([true, 100, ids[0]]);
    expect(body.data[0].name).toBeNull();
  });

  it('leave out what the release before has written and folded, and keep its totals', async () => {
    await query(
      `insert into statistics_facts (account_id, domain, recipient_domain, at, figure, count, delivery_ms)
       values ($1, 'shop.test', 'mail.test', now(), 'received', 1, 0)`,
      [account],
    );
    await fold();
    expect([await totals(), await rows('templates')]).toEqual([{ received: 1 }, []]);
  });
});
