import { beforeAll, describe, expect, it } from 'vitest';
import { eventually, expectError, sharedInstallation, unique } from './harness.js';
import { inDays, ok, Sender } from './sender.js';

const postmesh = sharedInstallation();
let sender: Sender;

beforeAll(async () => {
  sender = await Sender.make(postmesh);
});

const DAY_MS = 86_400_000;
const address = (kind = 'r') => `${unique(kind)}@mail.test`;
const daysOf = ({ created_at, retain_until }: { created_at: string; retain_until: string }) =>
  (Date.parse(retain_until) - Date.parse(created_at)) / DAY_MS;

interface Row {
  content_id: string | null;
  metadata_days: number;
}
async function row(id: string): Promise<Row | undefined> {
  const rows = await postmesh.sql<Row>(
    `select content_id, extract(epoch from retain_metadata_until - created_at)::int / 86400 as metadata_days
       from messages.send_requests where id = $1`,
    [id],
  );
  return rows[0];
}

/** Makes the message older by this number of days. */
const age = (id: string, days: number) =>
  postmesh.sql(
    `update messages.send_requests set retain_data_until = retain_data_until - make_interval(days => $2),
       retain_metadata_until = retain_metadata_until - make_interval(days => $2) where id = $1`,
    [id, days],
  );

/** The number of stored contents with this text. */
async function stored(marker: string): Promise<number> {
  const [found] = await postmesh.sql<{ count: number }>(
    `select count(*)::int from blobs.content where position(convert_to($1, 'UTF8') in bytes) > 0`,
    [marker],
  );
  return found?.count ?? 0;
}

const listed = async (to: string): Promise<{ id: string }[]> =>
  ok(await sender.api('GET', `{A}/messages?recipient=${encodeURIComponent(to)}`), 200).data;

const KEPT_DAYS = [
  ['of a new account', {}, 7, 7],
  ['of the request', { retention: { metadata: 5, data: 3 } }, 5, 3],
  [
    'of control headers',
    { headers: { 'postmesh-metadata-retention': '6', 'postmesh-data-retention': '2' } },
    6,
    2,
  ],
  [
    'of the request before those of control headers',
    {
      retention: { data: 1 },
      headers: { 'postmesh-metadata-retention': '6', 'postmesh-data-retention': '2' },
    },
    6,
    1,
  ],
  ['that nobody set (null)', { retention: { metadata: null, data: null } }, 7, 7],
  ['at their limits', { retention: { metadata: 30, data: 30 } }, 30, 30],
] as const;

describe('spec 2-messages §9 rule 1 two clocks', () => {
  it.each(KEPT_DAYS)('spec 2-messages §9 rule 1 the days %s', async (_whose, more, metadata, data) => {
    const id = await sender.send(address(), more);
    expect(daysOf(await sender.message(id))).toBe(data);
    expect((await row(id))?.metadata_days).toBe(metadata);
  });

  it.each([{ metadata: 0 }, { metadata: 31 }, { data: -1 }, { data: 31 }, { data: 1.5 }, { metadata: '7' }])(
    'spec 2-messages §9 rule 1 %j is 400',
    async (retention) => {
      expectError(await sender.trySend([address()], { retention }), 400);
    },
  );
});

describe('spec 2-messages §9 rule 4 when its time is over', () => {
  const marker = unique('secret');
  const [to, gone] = [address(), address()];
  let id: string;
  let over: string;

  it('spec 2-messages §9 rule 2, §9 rule 4 the record stays with its metadata when the data goes', async () => {
    id = await sender.send(to, { text_content: marker, retention: { data: 1, metadata: 3 }, tags: ['kept'] });
    over = await sender.send(gone, { text_content: marker, retention: { data: 1, metadata: 2 } });
    await sender.becomes(over, 'Delivered');
    const before = await sender.becomes(id, 'Delivered');
    expect(before.content).toContain(marker);
    expect(await stored(marker)).toBe(2);
    await age(id, 1);
    const { content: _content, content_parsed: _parsed, retain_until: _until, ...metadata } = before;
    const after = await sender.message(id);
    expect(after).toMatchObject(metadata);
    expect(after).not.toHaveProperty('content');
    expect(after).not.toHaveProperty('content_parsed');
    expect((await listed(to)).map((one) => one.id)).toEqual([id]);
  });

  it('spec 2-messages §9 rule 4 after the metadata it is 404 and leaves the lists', async () => {
    expect((await listed(gone)).map((one) => one.id)).toEqual([over]);
    await age(over, 2);
    expectError(await sender.read(over), 404, 'message not found');
    expect(await listed(gone)).toEqual([]);
  });
});

describe('spec 2-messages §9 rule 3 data', () => {
  it('spec 2-messages §9 rule 3 of 0 days is not readable while it is being delivered, and out of the store with the final status', async () => {
    const [to, marker] = [address('defer'), unique('secret')];
    const id = await sender.send(to, { text_content: marker, retention: { data: 0 } });
    const waiting = await sender.becomes(id, 'Deferred');
    expect(waiting).not.toHaveProperty('content');
    expect(waiting).not.toHaveProperty('content_parsed');
    expect(daysOf(waiting)).toBe(0);
    // it is still needed
    expect(await stored(marker)).toBe(1);
    await sender.attemptNow(id, `, first_attempt_at = now() - interval '24 hours'`);
    expect(await sender.becomes(id, 'Failed')).not.toHaveProperty('content');
    // long before a purge
    await eventually(() => stored(marker), 10_000).toBe(0);
    expect((await row(id))?.content_id).toBeNull();
  });

  it.each([
    ['delivered', () => address(), {}, 'Delivered'],
    ['bounced', () => address('bounce'), {}, 'Bounced'],
    ['of the sandbox', () => address(), { sandbox: true, sandbox_result: 'defer' }, 'Sandbox Deferred'],
  ])(
    'spec 2-messages §9 rule 3 of 0 days is gone at once when the message is %s',
    async (_how, to, more, status) => {
      const marker = unique('secret');
      const id = await sender.send(to(), { text_content: marker, retention: { data: 0 }, ...more });
      expect(await sender.becomes(id, status)).not.toHaveProperty('content');
      await eventually(() => stored(marker), 10_000).toBe(0);
    },
  );

  it('spec 2-messages §9 rule 3 of 0 days is gone at once when nothing is ever tried: suppressed, or canceled', async () => {
    const [to, marker] = [address(), unique('secret')];
    const body = { email: to, domain: sender.domain, expires_at: inDays(1) };
    ok(await sender.api('POST', '{A}/suppressions', body), 201);
    const more = { text_content: marker, retention: { data: 0 } };
    await sender.becomes(await sender.send(to, more), 'Suppressed');
    await eventually(() => stored(marker), 10_000).toBe(0);
    const id = await sender.send(address(), { ...more, schedule: { first_attempt: inDays(1) } });
    expect(await stored(marker)).toBe(1);
    ok(await sender.api('DELETE', `{A}/messages/${id}/cancel`), 200);
    await eventually(() => stored(marker), 10_000).toBe(0);
  });

  it('spec 2-messages §9 rule 3 of 0 days is kept for the last of several recipients', async () => {
    const marker = unique('secret');
    const more = { text_content: marker, retention: { data: 0 } };
    const { data } = ok(await sender.trySend([address(), address('defer')], more), 202);
    const first = data[0].id.slice(1, 37);
    await sender.becomes(first, 'Delivered');
    const [second] = await postmesh.sql<{ id: string }>(
      'select id from messages.messages where send_request_id = $1 and id <> $1',
      [first],
    );
    await sender.becomes(second!.id, 'Deferred');
    expect(await stored(marker)).toBe(1);
    await sender.attemptNow(second!.id, `, first_attempt_at = now() - interval '24 hours'`);
    await sender.becomes(second!.id, 'Failed');
    await eventually(() => stored(marker), 10_000).toBe(0);
  });

  it('spec 2-messages §9 rule 3 never outlives the metadata', async () => {
    const id = await sender.send(address(), { retention: { metadata: 2, data: 9 } });
    expect(daysOf(await sender.message(id))).toBe(2);
    expect((await row(id))?.metadata_days).toBe(2);
  });
});

it('spec 2-messages §9 rule 5 a change of the account counts for new messages only', async () => {
  const own = await Sender.make(postmesh);
  const before = await own.send(address());
  const body = { message_metadata_retention: 4, message_data_retention: 2 };
  ok(await own.api('PUT', '{A}', body), 200);
  await eventually(async () => daysOf(await own.message(await own.send(address(), { sandbox: true })))).toBe(
    2,
  );
  const after = await own.send(address());
  expect([daysOf(await own.message(before)), daysOf(await own.message(after))]).toEqual([7, 2]);
  expect([(await row(before))?.metadata_days, (await row(after))?.metadata_days]).toEqual([7, 4]);
  const later = { schedule: { first_attempt: inDays(6) }, retention: { data: 1, metadata: 1 } };
  // its days count from acceptance, but it is kept until it has ended
  const open = await own.send(address(), later);
  await age(open, 1);
  expect((await row(open))?.content_id).not.toBeNull();
});
