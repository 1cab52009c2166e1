import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AccountChanged } from '@postmesh/accounts-contract';
import { DeliveryAttempted } from '@postmesh/delivery-worker-contract';
import { newId } from '@postmesh/contracts';
import { deliver, startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { MESSAGES_SERVICE } from '../messages.definition.js';
import { CancelOpenMessages } from './cancel-open-messages.js';

type State = (typeof AccountChanged.examples)[number]['state'];

const database = testDatabase();
let messages: TestService;
let account: string;

beforeAll(async () => {
  messages = await startTestService(MESSAGES_SERVICE, { databaseUrl: database.url });
});
afterAll(() => messages?.stop());
beforeEach(() => {
  account = newId();
});

const query = (sql: string, parameters: unknown[] = []) =>
  messages.service.get(DataSource).query(sql, parameters) as Promise<Record<string, any>[]>; // eslint-disable-line typescript/no-explicit-any
const changed = (state: State, account_id = account) =>
  AccountChanged.make({ account_id, parent_account_id: null, state, revision: 2 }, { account_id });
const consume = (...states: State[]) =>
  deliver(
    messages.service,
    states.map((state) => changed(state)),
  );
const cancel = () => messages.service.get(CancelOpenMessages).cancelDue(new AbortController().signal);

/** Inserts messages into the table; their send request is irrelevant here. */
const store = (status: string, count = 1, createdAt = 'now()', of = account) =>
  query(
    `insert into messages (id, send_request_id, account_id, recipient, recipient_name, status, created_at, updated_at)
     select gen_random_uuid(), gen_random_uuid(), $1, 'a@mail.test', '', $2, ${createdAt} - nth * interval '1 ms', now()
     from generate_series(1, $3) nth`,
    [of, status, count],
  );
const statuses = (of = account) =>
  query(
    'select status, count(*)::int as count from messages where account_id = $1 group by status order by status',
    [of],
  );

describe('a deleted account', () => {
  it('has its unsent messages canceled, and no others, after the event', async () => {
    for (const status of ['Received', 'Scheduled', 'Deferred', 'Delivered', 'Bounced', 'Failed']) {
      await store(status);
    }
    const other = newId();
    await store('Received', 1, 'now()', other);
    await messages.bus.publish([changed('deleted')]);
    await expect
      .poll(() => statuses())
      .toEqual([
        { status: 'Bounced', count: 1 },
        { status: 'Canceled', count: 3 },
        { status: 'Delivered', count: 1 },
        { status: 'Failed', count: 1 },
      ]);
    expect(await statuses(other)).toEqual([{ status: 'Received', count: 1 }]);
  });

  it('has ten thousand of them canceled, page by page, including those of the same millisecond', async () => {
    await store('Received', 5_000);
    await query(`update messages set created_at = date_trunc('second', now()) where account_id = $1`, [
      account,
    ]);
    await store('Received', 5_000);
    await store('Deferred', 1, `now() - interval '8 days'`);
    await consume('deleted');
    await cancel();
    expect(await statuses()).toEqual([{ status: 'Canceled', count: 10_001 }]);
  });

  it.each(['active', 'suspended', 'parent-suspended', 'blocked'] as const)(
    'is not one that is %s',
    async (state) => {
      await store('Received');
      await consume(state);
      await cancel();
      expect(await statuses()).toEqual([{ status: 'Received', count: 1 }]);
    },
  );

  it('is checked a second time, for messages that were being accepted at that moment', async () => {
    await query('insert into deleted_accounts (account_id) values ($1)', [account]);
    await cancel();
    await consume('deleted', 'deleted');
    await store('Received');
    await cancel();
    expect(await statuses()).toEqual([{ status: 'Received', count: 1 }]);
    await query(
      `update deleted_accounts set deleted_at = deleted_at - interval '6 minutes',
         canceled_at = canceled_at - interval '6 minutes'`,
    );
    await cancel();
    expect(await statuses()).toEqual([{ status: 'Canceled', count: 1 }]);
    await store('Received');
    await cancel();
    expect(await statuses()).toEqual([
      { status: 'Canceled', count: 1 },
      { status: 'Received', count: 1 },
    ]);
  });

  it('keeps its messages canceled, with any outcome of an attempt in flight', async () => {
    await store('Received');
    await consume('deleted');
    await cancel();
    const [row] = await query('select id from messages where account_id = $1', [account]);
    const about = { ...DeliveryAttempted.examples[0]!, message_id: row!['id'] as string };
    await deliver(messages.service, [DeliveryAttempted.make(about, { account_id: account })]);
    expect(await statuses()).toEqual([{ status: 'Canceled', count: 1 }]);
  });
});
