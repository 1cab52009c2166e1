import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccountId, MessageId, newId, type AccountFacts } from '@postmesh/contracts';
import { startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { SendRequestWriter } from '../accept/send-request-store.js';
import { toSendRequest } from '../accept/send-request.rules.js';
import { MESSAGES_SERVICE } from '../messages.definition.js';
import { FoldUsage } from './fold-usage.js';
import { usagePeriod } from './usage.rules.js';

const DOMAIN = {
  domain_id: '01980f3e-0000-7c11-a2d4-0c5f9e6b8a00',
  account_id: '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0',
  domain: 'shop.test',
  dns_valid: true,
  paused: false,
  deleted: false,
  sending_type: 'transactional' as const,
  return_path_host: 'rp.shop.test',
  tracking_host: null,
  revision: 1,
};
const LIMIT = { status: 403, message: 'monthly sending limit reached' };

// proven again: two processes at once, and the end of a month
const database = testDatabase();
/** two processes on one database, for the database */
let services: TestService[];

beforeAll(async () => {
  const start = () =>
    startTestService(MESSAGES_SERVICE, {
      databaseUrl: database.url,
      neighbours: { domains: () => ({ status: 200, body: DOMAIN }) },
    });
  services = [await start(), await start()];
});
afterAll(async () => {
  for (const service of services ?? []) await service.stop();
});

interface Sent {
  account: string;
  credit?: Partial<AccountFacts>;
  recipients?: number;
  by?: number;
  key?: string;
}

async function send({ account, credit = {}, recipients = 1, by = 0, key }: Sent) {
  const response = await services[by]!.call('POST', `/v2/accounts/${account}/messages/conversation`, {
    account_id: account,
    account: credit,
    headers: key === undefined ? {} : { 'idempotency-key': key },
    body: {
      from: { email: 'a@shop.test' },
      to: Array.from({ length: recipients }, (_, nth) => ({ email: `r${nth}@mail.test` })),
      subject: 'Hello',
      text_content: 'Good day',
    },
  });
  return { status: response.status, message: response.body.message as string, headers: response.headers };
}

const query = (sql: string, parameters: unknown[] = []) =>
  services[0]!.service.get(DataSource).query(sql, parameters) as Promise<{ count: number }[]>;
const stored = async (account: string) => {
  const [row] = await query('select count(*)::int as count from messages where account_id = $1', [account]);
  return row!.count;
};
const usage = async (account: string, period = usagePeriod(new Date())) => {
  const { status, body } = await services[0]!.internal(
    'GET',
    `/internal/accounts/${account}/usage?period=${period}`,
  );
  expect(status).toBe(200);
  return new Map<string, number>(
    body.usage.map((one: { account_id: string; reception_count: number }) => [
      one.account_id,
      one.reception_count,
    ]),
  );
};
const together = (count: number, one: (nth: number) => Sent) =>
  Promise.all(Array.from({ length: count }, (_, nth) => send(one(nth))));
const accepted = (answers: { status: number }[]) => answers.filter(({ status }) => status === 202).length;

describe('§10.4 rule 6: monthly credit', () => {
  it('is exact among fifty sends at once through two processes', async () => {
    const account = newId();
    const answers = await together(50, (nth) => ({ account, credit: { monthly_credit: 20 }, by: nth % 2 }));
    expect(accepted(answers)).toBe(20);
    for (const refused of answers.filter(({ status }) => status !== 202))
      expect(refused).toMatchObject(LIMIT);
    expect(await stored(account)).toBe(20);
    expect((await usage(account)).get(account)).toBe(20);
  });

  it('does not affect requests in the commit of a refused one', async () => {
    const [spent, other] = [newId(), newId()];
    await send({ account: spent, credit: { monthly_credit: 1 } });
    const answers = await together(60, (nth) =>
      nth % 2
        ? { account: spent, credit: { monthly_credit: 1 } }
        : { account: other, credit: { monthly_credit: 1_000 } },
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map((_, nth) => (nth % 2 ? 403 : 202)));
    expect(await stored(other)).toBe(30);
  });

  it('keeps the error for the idempotency key like any other 403', async () => {
    const account = newId();
    const credit = { monthly_credit: 1 };
    await send({ account, credit });
    expect(await send({ account, credit, key: 'k' })).toMatchObject(LIMIT);
    const replay = await send({ account, credit: { monthly_credit: 0 }, key: 'k' });
    expect(replay).toMatchObject({ ...LIMIT, headers: { 'idempotent-replayed': 'true' } });
    expect(await send({ account, credit: { monthly_credit: 0 }, key: 'k2' })).toMatchObject({ status: 202 });
  });

  it('restarts with the month', async () => {
    const account = AccountId.parse(newId());
    const writer = services[0]!.service.get(SendRequestWriter);
    const credit = { parent_account_id: null, monthly_credit: 2, credit_pool: null };
    const write = (at: string) =>
      writer
        .write({
          sendRequest: sendRequest(account, new Date(at)),
          ended: () => undefined,
          credit,
        })
        .then(
          () => 'accepted',
          (error: Error) => error.message,
        );
    const june = '2026-06-30T23:59:59.999Z';
    expect([await write(june), await write(june), await write(june)]).toEqual([
      'accepted',
      'accepted',
      LIMIT.message,
    ]);
    const july = '2026-07-01T00:00:00.000Z';
    expect([await write(july), await write(june), await write(july)]).toEqual([
      'accepted',
      LIMIT.message,
      'accepted',
    ]);
    expect([await usage(account, '2026-06'), await usage(account, '2026-07')]).toEqual([
      new Map([[account, 2]]),
      new Map([[account, 2]]),
    ]);
  });
});

describe('§10.4 rule 7: the pool of a family', () => {
  const familyOf = (monthly_credit: number) => {
    const parent = newId();
    const credit_pool = { account_id: parent, monthly_credit };
    const child = (own = 0) => ({ credit_pool, parent_account_id: parent, monthly_credit: own });
    return { parent, credit_pool, child };
  };

  it('is exact over parent and children at once, through two processes', async () => {
    const { parent, credit_pool, child } = familyOf(20);
    const [first, second] = [newId(), newId()];
    const members = [
      { account: parent, credit: { credit_pool } },
      { account: first, credit: child() },
      { account: second, credit: child(5) },
    ];
    const answers = await together(60, (nth) => ({ ...members[nth % 3]!, by: nth % 2 }));
    expect(accepted(answers)).toBe(20);
    const used = await usage(parent);
    expect([...used.values()].reduce((sum, one) => sum + one, 0)).toBe(20);
    expect(used.get(second) ?? 0).toBeLessThanOrEqual(5);
  });

  it('counts messages that were sent before it was set', async () => {
    const { parent, credit_pool, child } = familyOf(3);
    const account = newId();
    await send({ account, credit: { parent_account_id: parent }, recipients: 3 });
    expect(await send({ account: parent, credit: { credit_pool } })).toMatchObject(LIMIT);
    expect(await send({ account, credit: child() })).toMatchObject(LIMIT);
  });
});

describe('usage', () => {
  it('counts each accepted recipient of accounts without a limit too, with the time of the last one', async () => {
    const [account, idle] = [newId(), newId()];
    const before = Date.now();
    await together(40, (nth) => ({ account, recipients: 2, by: nth % 2 }));
    expect((await usage(account)).get(account)).toBe(80);
    const { body } = await services[1]!.internal('POST', '/internal/accounts/activity', {
      account_ids: [account, idle],
    });
    expect(body.activity).toEqual([{ account_id: account, last_accepted_at: expect.any(String) }]);
    const at = Date.parse(body.activity[0].last_accepted_at);
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(Date.now());
  });

  it('writes one row per account and family for all requests of a commit', async () => {
    const account = newId();
    const slots = async () =>
      (await query('select count(*)::int as count from usage where account_id = $1', [account]))[0]!.count;
    await together(100, () => ({ account }));
    // at most two flushers, each with its own slot
    expect(await slots()).toBeLessThanOrEqual(4);
    expect((await usage(account)).get(account)).toBe(100);
  });

  it('of past months keeps its counts in one row, after concurrent merges', async () => {
    const [account, parent] = [newId(), newId()];
    await query(
      `insert into usage (account_id, whole_family, period, slot, family_id, accepted, last_accepted_at)
       select $1, false, period, slot, $2, 10, (period || '-15T00:00:00Z')::timestamptz + slot * interval '1 hour'
       from unnest(array['2026-03', '2026-04', '2026-05']) as period, generate_series(0, 31) as slot`,
      [account, parent],
    );
    const fold = (at: string) =>
      Promise.all(
        services.map(({ service }) =>
          service.get(FoldUsage).fold(new Date(at), new AbortController().signal),
        ),
      );
    const rows = () =>
      query(
        'select period, count(*)::int as count from usage where account_id = $1 group by period order by period',
        [account],
      );
    const counts = () =>
      Promise.all(
        ['2026-03', '2026-04', '2026-05'].map(async (month) => (await usage(parent, month)).get(account)),
      );
    await fold('2026-05-01T23:00:00Z');
    expect((await rows()).map(({ count }) => count)).toEqual([1, 32, 32]);
    await query(`insert into usage values ($1, false, '2026-03', 3, $2, 1, '2026-03-31T00:00:00Z')`, [
      account,
      parent,
    ]);
    await fold('2026-06-03T00:00:00Z');
    await fold('2026-06-03T00:00:00Z');
    expect((await rows()).map(({ count }) => count)).toEqual([1, 1, 1]);
    expect(await counts()).toEqual([321, 320, 320]);
    const { body } = await services[0]!.internal('POST', '/internal/accounts/activity', {
      account_ids: [account],
    });
    expect(body.activity[0].last_accepted_at).toBe('2026-05-16T07:00:00.000Z');
  });

  it('is readable by services only, for valid accounts and periods', async () => {
    const path = `/internal/accounts/${newId()}/usage`;
    expect((await services[0]!.call('GET', `${path}?period=2026-01`)).status).toBe(404);
    expect(await services[0]!.internal('GET', `${path}?period=2026-13`)).toMatchObject({
      status: 400,
      body: { message: 'invalid period' },
    });
    expect((await services[0]!.internal('GET', path)).status).toBe(400);
    expect((await services[0]!.internal('GET', '/internal/accounts/x/usage?period=2026-01')).status).toBe(
      400,
    );
    expect((await services[0]!.internal('POST', '/internal/accounts/activity', {})).status).toBe(400);
  });
});

function sendRequest(accountId: AccountId, acceptedAt: Date) {
  const id = MessageId.parse(newId());
  return toSendRequest({
    kind: 'conversation',
    templateId: null,
    accountId,
    domain: DOMAIN,
    sender: 'a@shop.test',
    messageIdHeader: `<${id}@shop.test>`,
    subject: 'Hello',
    content: {
      from: { email: 'a@shop.test' },
      to: [{ email: 'b@mail.test' }],
      subject: 'Hello',
      messageId: `<${id}@shop.test>`,
      date: acceptedAt,
      text: 'Good day',
    },
    tags: [],
    tracking: { open: false, click: false },
    retention: { metadataDays: 7, dataDays: 7 },
    schedule: { firstAttempt: null, expires: null },
    sandbox: null,
    acceptedAt,
    recipients: [{ id, email: 'b@mail.test', name: '' }],
  });
}
