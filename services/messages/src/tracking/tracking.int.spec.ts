import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeliveryAttempted, type DeliveryOutcome } from '@postmesh/delivery-worker-contract';
import { MessageChanged, type TrackedFetch } from '@postmesh/messages-contract';
import { newId, type EventOf } from '@postmesh/contracts';
import { deliver, recordEvents, startTestService } from '@postmesh/service-testing';
import type { RecordedEvents, TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { MESSAGES_SERVICE } from '../messages.definition.js';
import { PurgeContent } from '../retention/purge-content.js';
import { DOMAIN } from '../testing/domain.js';
import { DecideClicks } from './decide-clicks.js';
import { FetchBudgets } from './fetch-budgets.js';

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36';
// proven again: times to the second, processes that classify concurrently, and a purge or a delivery in between
const database = testDatabase();
type Told = EventOf<typeof MessageChanged>;
let messages: TestService;
let told: RecordedEvents<Told>;

const start = (more: { periodic?: true } = {}) =>
  startTestService(MESSAGES_SERVICE, {
    databaseUrl: database.url,
    neighbours: { domains: () => ({ status: 200, body: DOMAIN }) },
    ...more,
  });
beforeAll(async () => {
  messages = await start();
  told = await recordEvents(messages.bus, {
    streams: ['messages'],
    pick: (event) => {
      if (event.type !== MessageChanged.type) return undefined;
      const changed = MessageChanged.parse(event);
      return changed.data.fetch && changed;
    },
  });
});
afterAll(() => messages?.stop());

const query = (sql: string, parameters: unknown[] = []) =>
  messages.service.get(DataSource).query(sql, parameters) as Promise<Record<string, any>[]>; // eslint-disable-line typescript/no-explicit-any

/** @returns the ids of the records, in recipient order */
async function send(recipients = 1, more: object = {}): Promise<string[]> {
  const to = Array.from({ length: recipients }, (_, nth) => ({ email: `r${nth}@mail.test` }));
  const body = { from: { email: 'a@shop.test' }, to, subject: 'Hello', html_content: '<p>x</p>', ...more };
  const path = `/v2/accounts/${messages.accountId}/messages/conversation`;
  const response = await messages.call('POST', path, { body });
  expect(response.status).toBe(202);
  const first = (response.body.data[0].id as string).slice(1, 37);
  const rows = await query('select id from messages where send_request_id = $1 order by id', [first]);
  return rows.map(({ id }) => id as string);
}

/** Ends its delivery, an hour ago by default. */
async function end(id: string, outcome: DeliveryOutcome = 'delivered', sandbox = false): Promise<void> {
  const finished_at = new Date(Date.now() - 3_600_000).toISOString();
  const about = { ...DeliveryAttempted.examples[0]!, message_id: id, outcome, sandbox, finished_at };
  await deliver(messages.service, [DeliveryAttempted.make(about, { account_id: messages.accountId })]);
}

async function delivered(more: object = {}): Promise<string> {
  const [id] = await send(1, more);
  await end(id!);
  return id!;
}

const open = (message_id: string, more: Partial<TrackedFetch> = {}): TrackedFetch => ({
  id: newId(),
  message_id,
  kind: 'open',
  at: new Date().toISOString(),
  ip: '198.51.100.7',
  user_agent: CHROME,
  prefetch: false,
  ...more,
});
const click = (message_id: string, link_index = 0, more: Partial<TrackedFetch> = {}): TrackedFetch =>
  open(message_id, { kind: 'click', link_index, url: `https://shop.test/${link_index}`, ...more });

async function report(...fetches: TrackedFetch[]): Promise<void> {
  const { status } = await messages.internal('POST', '/internal/tracked-fetches', { fetches });
  expect(status).toBe(200);
}

const pass = () =>
  query(`update tracked_fetches set recorded_at = recorded_at - interval '1 minute' where is_bot is null`);

/** After the two seconds. */
async function decide(): Promise<void> {
  await pass();
  await messages.service.get(DecideClicks).decide(new AbortController().signal);
}

const row = async (id: string) =>
  (await query('select status, open_count, click_count from messages where id = $1', [id]))[0];
const facts = async (domain = 'shop.test') =>
  query(
    `select figure, sum(count)::int as count from (
       select figure, count, domain from statistics_facts union all
       select figure, count, domain from statistics_history) as f
     where figure in ('opened', 'clicked') and domain = $1 group by figure order by figure`,
    [domain],
  );
const reasons = async (id: string) =>
  (await query('select bot_reason from tracked_fetches where message_id = $1 order by at, id', [id])).map(
    ({ bot_reason }) => bot_reason as string | null,
  );

describe('spec 2-messages §11 rule 8 counters and statuses', () => {
  it('move for people only; both are published', async () => {
    const id = await delivered();
    const fetches = [open(id), open(id, { user_agent: '' }), open(id, { prefetch: true })];
    await report(...fetches);
    expect(await row(id)).toEqual({ status: 'Opened', open_count: 1, click_count: 0 });
    const events = await told.until(() => {
      const mine = told.events.filter(({ data }) => data.message_id === id);
      return mine.length === 3 && mine;
    });
    expect(events.map(({ data }) => data.fetch?.is_bot)).toEqual([false, true, true]);
    for (const event of events) {
      const { at } = fetches.find((fetch) => fetch.id === event.id)!;
      const { send_request_id: key } = event.data;
      expect(event).toMatchObject({ account_id: messages.accountId, key, occurred_at: at });
      expect(event.data.domain).toBe('shop.test');
    }
    expect(await reasons(id)).toEqual([null, 'no-user-agent', 'prefetch']);
  });

  it('spec 2-messages §7 go from Delivered to Opened to Clicked and not back', async () => {
    const id = await delivered();
    await report(click(id));
    expect(await row(id)).toEqual({ status: 'Delivered', open_count: 0, click_count: 0 });
    await decide();
    expect(await row(id)).toEqual({ status: 'Clicked', open_count: 0, click_count: 1 });
    await report(open(id), open(id));
    expect(await row(id)).toEqual({ status: 'Clicked', open_count: 2, click_count: 1 });
  });

  it('spec 2-messages §7 count after a bounce and change no status', async () => {
    const id = await delivered();
    await end(id, 'bounced');
    await report(open(id));
    expect(await row(id)).toEqual({ status: 'Bounced', open_count: 1, click_count: 0 });
  });

  it('spec 2-messages §7 are right also when the open is reported before the delivery', async () => {
    const [id] = await send();
    await report(open(id!));
    expect(await row(id!)).toMatchObject({ status: 'Received', open_count: 1 });
    await end(id!);
    expect(await row(id!)).toMatchObject({ status: 'Opened', open_count: 1 });
    await end(id!, 'bounced');
    expect(await row(id!)).toMatchObject({ status: 'Bounced' });
  });

  it('spec 2-messages §10 rule 6 of the sandbox count, and the status stays', async () => {
    const before = await facts();
    const [id] = await send(1, { sandbox: true });
    await end(id!, 'delivered', true);
    await report(open(id!), click(id!));
    await decide();
    expect(await row(id!)).toEqual({ status: 'Sandbox Delivered', open_count: 1, click_count: 1 });
    const events = await told.until(() => {
      const mine = told.events.filter(({ data }) => data.message_id === id);
      return mine.length === 2 && mine;
    });
    expect(events.map(({ data }) => [data.change, data.sandbox])).toEqual([
      ['opened', true],
      ['clicked', true],
    ]);
    expect(await facts()).toEqual(before);
  });
});

describe('spec 1-platform §15 rule 3 statistics', () => {
  it('count a message once as opened and once as clicked', async () => {
    const count = async () => Object.fromEntries((await facts()).map((one) => [one['figure'], one['count']]));
    const before = await count();
    const id = await delivered();
    await report(open(id), open(id));
    await report(open(id), click(id, 0, { at: new Date(Date.now() - 60_000).toISOString() }));
    await decide();
    await report(click(id, 1));
    await decide();
    expect(await row(id)).toEqual({ status: 'Clicked', open_count: 3, click_count: 2 });
    expect(await count()).toEqual({
      opened: (before['opened'] ?? 0) + 1,
      clicked: (before['clicked'] ?? 0) + 1,
    });
  });
});

describe('spec 2-messages §11 rule 7 clicks', () => {
  const began = Date.now() - 1_000_000;
  const seconds = (n: number) => new Date(began + n * 1_000).toISOString();

  it('on several links within two seconds are a machine’s, the first one too', async () => {
    const id = await delivered();
    await report(click(id, 0, { at: seconds(0) }), click(id, 1, { at: seconds(2) }));
    await report(click(id, 0, { at: seconds(10) }), click(id, 1, { at: seconds(13) }));
    await decide();
    expect(await reasons(id)).toEqual(['several-links', 'several-links', null, null]);
    expect(await row(id)).toMatchObject({ click_count: 2 });
  });

  it('on one link twice are a person’s', async () => {
    const id = await delivered();
    await report(click(id, 0, { at: seconds(0) }), click(id, 0, { at: seconds(1) }));
    await decide();
    expect(await reasons(id)).toEqual([null, null]);
  });

  it('are a machine’s with a bot’s on another link', async () => {
    const id = await delivered();
    await report(click(id, 0, { at: seconds(0), prefetch: true }), click(id, 1, { at: seconds(1) }));
    await decide();
    expect(await reasons(id)).toEqual(['prefetch', 'several-links']);
  });

  it('within five seconds of delivery are a machine’s, also while its time is unknown', async () => {
    const [known, unknown] = (await send(2)) as [string, string];
    await query('update messages set delivered_at = $2 where id = $1', [known, seconds(0)]);
    await report(click(known, 0, { at: seconds(4) }), click(unknown));
    await decide();
    expect([await reasons(known), await reasons(unknown)]).toEqual([
      ['right-after-delivery'],
      ['right-after-delivery'],
    ]);
  });

  it('are decided once, by any number of processes', async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, () => delivered()));
    await report(...ids.map((id) => click(id)));
    await query(`update tracked_fetches set recorded_at = recorded_at - interval '1 minute'`);
    const { signal } = new AbortController();
    await Promise.all([1, 2, 3].map(() => messages.service.get(DecideClicks).decide(signal)));
    for (const id of ids) expect(await row(id)).toMatchObject({ click_count: 1 });
  });

  it('are decided automatically', async () => {
    const id = await delivered();
    await report(click(id));
    await pass();
    const other = await start({ periodic: true });
    await expect.poll(() => row(id)).toMatchObject({ status: 'Clicked', click_count: 1 });
    await other.stop();
  });
});

describe('reports', () => {
  it('that are repeated have their effect once', async () => {
    const id = await delivered();
    const fetches = [open(id), click(id)];
    await report(...fetches);
    await report(...fetches);
    await Promise.all([report(fetches[0]!), report(fetches[0]!)]);
    await decide();
    await report(...fetches);
    await decide();
    expect(await row(id)).toEqual({ status: 'Clicked', open_count: 1, click_count: 1 });
  });

  it('that arrive together commit together, and all count', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, () => delivered()));
    await Promise.all(ids.flatMap((id) => Array.from({ length: 10 }, () => report(open(id)))));
    for (const id of ids) expect(await row(id)).toMatchObject({ open_count: 10 });
  });

  it('of messages that do not exist are ignored', async () => {
    await report(open(newId()), click(newId()));
  });

  it('are refused when they are malformed or from outside', async () => {
    for (const fetches of [[{ ...open(newId()), kind: 'seen' }], 'x', [{ ...open(newId()), ip: 7 }]]) {
      const { status } = await messages.internal('POST', '/internal/tracked-fetches', { fetches });
      expect(status).toBe(400);
    }
    expect((await messages.call('POST', '/internal/tracked-fetches', { body: { fetches: [] } })).status).toBe(
      404,
    );
  });
});

describe('spec 2-messages §11 rule 5 when the record is purged', () => {
  const purge = () => messages.service.get(PurgeContent).purge(new AbortController().signal);
  const expire = (id: string) =>
    query(
      `update send_requests set retain_data_until = now() - make_interval(secs => 1), retain_metadata_until = now() - make_interval(secs => 1)
       where id = (select send_request_id from messages where id = $1)`,
      [id],
    );

  it('its fetches go with it, and later ones are not recorded', async () => {
    const [id, other] = [await delivered(), await delivered()];
    await report(open(id), click(id), open(other));
    await expire(id);
    await report(open(id));
    await purge();
    expect([await reasons(id), await row(id)]).toEqual([[], undefined]);
    expect(await reasons(other)).toEqual([null]);
    await report(open(id), click(id));
    await decide();
    expect(await reasons(id)).toEqual([]);
  });

  it('a fetch that is recorded at that moment is deleted too', async () => {
    const id = await delivered();
    const runner = messages.service.get(DataSource).createQueryRunner();
    await runner.startTransaction();
    await runner.query('select from messages where id = $1 for no key update', [id]);
    await expire(id);
    const purged = purge();
    // it waits for the message
    const waits = () =>
      query(`select from pg_locks where not granted and locktype = 'transactionid'
        and pid in (select pid from pg_stat_activity where datname = current_database())`);
    await expect.poll(waits).not.toEqual([]);
    await runner.query(
      `insert into tracked_fetches (id, message_id, kind, at, ip, user_agent, is_bot)
       values ($1, $2, 'open', now(), '198.51.100.7', '', false)`,
      [newId(), id],
    );
    await runner.commitTransaction();
    await runner.release();
    await purged;
    expect([await reasons(id), await row(id)]).toEqual([[], undefined]);
  });
});

describe('too many fetches', () => {
  it('of one message are not recorded, those of another one are', async () => {
    const [loud, quiet] = [await delivered(), await delivered()];
    for (let nth = 0; nth < 3; nth += 1) await report(...Array.from({ length: 450 }, () => open(loud)));
    await report(open(quiet));
    const { open_count: counted } = (await row(loud))!;
    expect(counted).toBeGreaterThanOrEqual(1_000);
    expect(counted).toBeLessThan(1_350);
    expect(await row(quiet)).toMatchObject({ open_count: 1 });
    expect(await messages.context.metrics.render()).toContain(
      'postmesh_tracked_fetches_shed_total{kind="open"}',
    );
  });

  it('of one account do not affect another account, nor clicks', () => {
    const budgets = messages.service.get(FetchBudgets);
    const [loud, quiet] = [newId(), newId()];
    let admitted = 0;
    for (let nth = 0; nth < 15_000; nth += 1) if (budgets.admits(loud, newId(), 'open')) admitted += 1;
    expect(admitted).toBeGreaterThanOrEqual(5_000);
    expect(admitted).toBeLessThan(15_000);
    expect(budgets.admits(loud, newId(), 'click')).toBe(true);
    expect(budgets.admits(quiet, newId(), 'open')).toBe(true);
  });
});
