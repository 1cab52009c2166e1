import { beforeAll, describe, expect, it } from 'vitest';
import { sendMessage } from './families.js';
import { eventually, expectError, sharedInstallation, unique, type Account, type ApiKey } from './harness.js';

const postmesh = sharedInstallation();
const READS = ['deliverability', 'bounce', 'delivery-time'] as const;
type Read = (typeof READS)[number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const iso = (time: number) => new Date(time).toISOString();

let account: Account;
let shop: string;
let other: string;
/** before the first message was sent */
let began: number;

beforeAll(async () => {
  account = await accountWithoutLimit();
  [shop, other] = [await postmesh.verifiedDomain(account), await postmesh.verifiedDomain(account)];
  began = Date.now();
});

async function accountWithoutLimit(): Promise<Account> {
  const own = await postmesh.newAccount();
  const rate_limits = { statistics: { per_second: 1_000, burst: 1_000 } };
  const set = await postmesh.operator('PUT', `/operator/accounts/accounts/${own.id}`, { rate_limits });
  expect(set.status).toBe(200);
  return own;
}

const get = (read: Read, query: Record<string, string> = {}, key: ApiKey = account.key) =>
  postmesh.api(key, 'GET', `{A}/statistics/transactional/${read}?${new URLSearchParams(query)}`);

type Bucket = Record<string, any>; // eslint-disable-line typescript/no-explicit-any
async function buckets(read: Read, query: Record<string, string> = {}, key = account.key): Promise<Bucket[]> {
  const { status, body } = await get(read, query, key);
  expect([status, Object.keys(body), body.object]).toEqual([200, ['object', 'data'], 'list']);
  return body.data;
}

const send = async (from: string, to: string[], more: object = {}, sender = account) => {
  const sent = await sendMessage(postmesh, sender, { from, to, more });
  expect(sent.status).toBe(202);
};
const address = (kind: string, domain = 'mail.test') => `${unique(kind)}@${domain}`;

/** The sums over all buckets, without zeros. */
async function counts(
  query: Record<string, string> = {},
  key = account.key,
): Promise<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const bucket of await buckets('deliverability', query, key)) {
    for (const [name, value] of Object.entries(bucket)) {
      if (name.endsWith('_count') && value > 0) sums[name] = (sums[name] ?? 0) + value;
    }
  }
  return sums;
}

describe('§15 statistics', () => {
  it('§15 rule 7, §15 rule 3 changes of messages are counted within a minute, each once per column', async () => {
    const tags = [unique('tag'), unique('tag')];
    await send(shop, [address('ann'), address('ben'), address('bounce')], { tags });
    await send(shop, [address('greylist', 'other.test')], { tags: [tags[1]] });
    await send(other, [address('blocked')]);
    const soon = () => counts({ tags: tags[1]! });
    await eventually(soon, 60_000).toMatchObject({
      reception_count: 4,
      delivered_count: 2,
      bounced_count: 1,
      deferred_count: 1,
    });
    await eventually(counts, 60_000).toMatchObject({ reception_count: 5, bounced_count: 2 });
    const all = await counts();
    expect(all['delivered_count']).toBeGreaterThanOrEqual(2);
    expect(await counts({ tags: `${tags[0]},${tags[1]}` })).toEqual(await soon());
    expect(await counts({ tags: tags[0]! })).toMatchObject({ reception_count: 3 });
    expect(await counts({ recipient_domains: 'OTHER.test,none.test' })).toMatchObject({ reception_count: 1 });
    expect(await counts({ sender_domain: `${other},` })).toEqual({ reception_count: 1, bounced_count: 1 });
  });

  it('§15 rule 6 bounces have their classifications, most frequent first', async () => {
    // a new day may have begun since
    const bucket = (await buckets('bounce')).findLast(({ bounces }) => bounces.length > 0);
    expect(Object.keys(bucket!)).toEqual(['from_timestamp', 'to_timestamp', 'bounces']);
    const kinds = bucket!['bounces'].map(({ classification, count }: Bucket) => `${classification} ${count}`);
    expect(kinds.sort()).toEqual(['InvalidRecipient 1', 'PolicyRelated 1']);
    const before = await buckets('bounce', {
      from_time: iso(began - 2 * DAY_MS),
      to_time: iso(began - DAY_MS),
    });
    for (const { bounces } of before) expect(bounces).toEqual([]);
  });

  it('§15 delivery times are seconds from reception to delivery, by recipient domain', async () => {
    const bucket = (await buckets('delivery-time')).findLast((each) => each['delivered_count'] > 0);
    expect(bucket).toMatchObject({ delivered_count: expect.any(Number) });
    expect(bucket!['avg_delivery_time']).toBeGreaterThan(0);
    expect(bucket!['avg_delivery_time']).toBeLessThan(60);
    const [first] = bucket!['delivery_times'];
    expect(first).toEqual({ recipient_domain: 'mail.test', delivery_time: expect.any(Number), count: 2 });
    const [empty] = await buckets('delivery-time', { to_time: iso(began - DAY_MS) });
    expect(empty).toMatchObject({ avg_delivery_time: 0, delivered_count: 0, delivery_times: [] });
  });

  it('§15 rule 3 a suppressed message counts as received and suppressed', async () => {
    const own = await accountWithoutLimit();
    const domain = await postmesh.verifiedDomain(own);
    const email = address('ann');
    const body = { email, domain, expires_at: iso(Date.now() + DAY_MS) };
    expect((await postmesh.api(own.key, 'POST', '{A}/suppressions', { body })).status).toBe(201);
    await send(domain, [email], {}, own);
    await eventually(() => counts({}, own.key), 60_000).toEqual({ reception_count: 1, suppressed_count: 1 });
  });

  it('§15 rule 4 sandbox sends are not counted', async () => {
    const own = await accountWithoutLimit();
    const domain = await postmesh.verifiedDomain(own);
    await send(domain, [address('ann')], { sandbox: true }, own);
    await send(domain, [address('ann')], {}, own);
    await eventually(() => counts({}, own.key), 60_000).toMatchObject({ delivered_count: 1 });
    expect(await counts({}, own.key)).toEqual({ reception_count: 1, delivered_count: 1 });
  });

  it('§15 rule 1, §15 rule 2 every bucket that overlaps the range is there, aligned in UTC, ascending, zero-filled', async () => {
    const shown = async (query: Record<string, string>) =>
      (await buckets('deliverability', query)).map((bucket) => {
        expect(Object.keys(bucket)).toEqual([
          'from_timestamp',
          'to_timestamp',
          'reception_count',
          'delivered_count',
          'deferred_count',
          'bounced_count',
          'failed_count',
          'suppressed_count',
          'opened_count',
          'clicked_count',
        ]);
        expect(Object.values(bucket).slice(2)).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
        return [bucket['from_timestamp'], bucket['to_timestamp']].map((text) =>
          text.replace(/:00(\.000)?Z$/, ''),
        );
      });
    const range = { from_time: '2024-02-28T23:59:59Z', to_time: '2024-03-02T02:00:00+02:00' };
    expect(await shown(range)).toEqual([
      ['2024-02-28T00:00', '2024-02-29T00:00'],
      ['2024-02-29T00:00', '2024-03-01T00:00'],
      ['2024-03-01T00:00', '2024-03-02T00:00'],
    ]);
    expect(await shown({ ...range, group_by: 'week' })).toEqual([['2024-02-26T00:00', '2024-03-04T00:00']]);
    expect(await shown({ ...range, group_by: 'month' })).toEqual([
      ['2024-02-01T00:00', '2024-03-01T00:00'],
      ['2024-03-01T00:00', '2024-04-01T00:00'],
    ]);
    const hours = { from_time: '2024-01-01T10:59:59Z', to_time: '2024-01-01T12:00:00Z', group_by: 'hour' };
    expect(await shown(hours)).toEqual([
      ['2024-01-01T10:00', '2024-01-01T11:00'],
      ['2024-01-01T11:00', '2024-01-01T12:00'],
    ]);
  });

  it('§15 rule 1 only changes inside [from_time, to_time) are counted', async () => {
    expect(await counts({ from_time: iso(began - 10 * DAY_MS), to_time: iso(began) })).toEqual({});
    expect(await counts({ from_time: iso(began) })).toMatchObject({ reception_count: 5 });
    expect(await counts({ to_time: iso(Date.now() + DAY_MS), group_by: 'hour' })).toMatchObject({
      reception_count: 5,
    });
  });

  it('§15 rule 5 opens and clicks are columns that are always there', async () => {
    for (const bucket of await buckets('deliverability')) {
      expect(bucket).toMatchObject({ opened_count: 0, clicked_count: 0 });
    }
  });

  it('§15 the default is the last 30 days by day; an empty value is as good as none', async () => {
    const empty = { from_time: '', to_time: '', sender_domain: '', tags: '', group_by: '' };
    for (const query of [undefined, empty]) {
      const days = await buckets('deliverability', query);
      expect(days).toHaveLength(31);
      expect(Date.parse(days[0]!['from_timestamp']) + 30 * DAY_MS).toBe(
        Date.parse(days[30]!['from_timestamp']),
      );
    }
  });
});

describe('§15 the parameters', () => {
  it.each([
    ['from_time', { from_time: 'yesterday' }, 'invalid from_time, provide a valid RFC3339 time string'],
    ['from_time', { from_time: '2026-01-01' }, 'invalid from_time, provide a valid RFC3339 time string'],
    ['to_time', { to_time: '2026-02-30T00:00:00Z' }, 'invalid to_time, provide a valid RFC3339 time string'],
    [
      'from_time',
      { from_time: '2026-01-02T00:00:00Z', to_time: '2026-01-02T00:00:00Z' },
      'from_time must be before to_time',
    ],
    [
      'tags',
      { tags: Array.from({ length: 21 }, (_, nth) => `t${nth}`).join() },
      'tags must have at most 20 items',
    ],
    ['group_by', { group_by: 'year' }, 'invalid group_by (one of hour, day, week, month)'],
    [
      'group_by',
      { group_by: 'hour', from_time: '2026-01-01T00:00:00Z', to_time: '2026-02-11T16:00:01Z' },
      'time range is too large for group_by',
    ],
    [
      'sender_domain',
      { sender_domain: 'not-mine.test' },
      'invalid sender_domain: not-mine.test (one of your domains)',
    ],
  ])('§15 table %s: %j is refused', async (_name, query: object, text) => {
    for (const read of READS) expectError(await get(read, query as Record<string, string>), 400, text);
  });

  it('§15 1,000 buckets are not too many', async () => {
    const range = { from_time: '2026-01-01T00:00:00Z', to_time: '2026-02-11T16:00:00Z', group_by: 'hour' };
    for (const read of READS) expect(await buckets(read, range)).toHaveLength(1_000);
  });

  it('§1.1 rule 9 lists are split at commas, each item trimmed, empty items dropped', async () => {
    expect(
      await counts({ sender_domain: ` ${shop} , ,${other},`, recipient_domains: 'mail.test, ,OTHER.test' }),
    ).toEqual(await counts());
  });
});

describe('§15 scopes', () => {
  const REFUSED = 'api key does not have sufficient permissions to read statistics';
  const key = (...domains: string[]) =>
    postmesh.newKey(account, {
      scopes: ['accounts:read', ...domains.map((domain) => `statistics-transactional:read:{${domain}}`)],
    });

  it('§15, §1.4 table 403 a key without a scope of the family reads nothing', async () => {
    const none = await key();
    for (const read of READS) expectError(await get(read, {}, none), 403, REFUSED);
  });

  it('§15, §2.4 table query-every each sender_domain must be authorised, or the whole request is refused', async () => {
    const scoped = await key(other);
    for (const read of READS) {
      expectError(await get(read, { sender_domain: `${other},${shop}` }, scoped), 403, REFUSED);
      expectError(await get(read, { sender_domain: 'not-mine.test' }, scoped), 403, REFUSED);
    }
    expect(await counts({ sender_domain: other.toUpperCase() }, scoped)).toMatchObject({
      reception_count: 1,
    });
  });

  it('§15 without sender_domain a key with domain scopes gets the sum over its domains', async () => {
    expect(await counts({}, await key(other))).toMatchObject({ reception_count: 1, bounced_count: 1 });
    expect(await counts({}, await key(other, shop))).toMatchObject({ reception_count: 5 });
    const all = await postmesh.newKey(account, { scopes: ['statistics-transactional:read:all'] });
    expect(await counts({}, all)).toMatchObject({ reception_count: 5 });
  });

  it('§15 the figures of another account are not visible', async () => {
    const stranger = await accountWithoutLimit();
    expect(await counts({}, stranger.key)).toEqual({});
    expectError(
      await get('bounce', { sender_domain: shop }, stranger.key),
      400,
      `invalid sender_domain: ${shop} (one of your domains)`,
    );
  });
});

it('§5 rule 2 the three reads share one request per second, and take no general token', async () => {
  const own = await postmesh.newAccount();
  const statuses = await Promise.all(READS.map(async (read) => (await get(read, {}, own.key)).status));
  expect(statuses.sort()).toEqual([200, 429, 429]);
  const refused = await get('bounce', {}, own.key);
  if (refused.status === 429) expect(refused.headers['retry-after']).toBe('1');
  expect((await postmesh.api(own.key, 'GET', '{A}')).status).toBe(200);
});
