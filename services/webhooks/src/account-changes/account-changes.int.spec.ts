import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AccountChanged } from '@postmesh/accounts-contract';
import { MessageAccepted } from '@postmesh/messages-contract';
import { newId, type EventEnvelope } from '@postmesh/contracts';
import { deliver } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import {
  requestedCalls,
  startWebhooks,
  stoppedWebhooks,
  type WebhooksUnderTest,
} from '../testing/webhooks-under-test.js';
import { recordDeletion } from './deleted-accounts.js';

// proven again: events of each state, duplicate, late or during a request, and dropped calls
const database = testDatabase();
let under: WebhooksUnderTest;
let account_id: string;

beforeAll(async () => {
  under = await startWebhooks(database.url);
});
afterAll(() => under.stop());
beforeEach(() => {
  account_id = newId();
});

type State = ReturnType<typeof AccountChanged.make>['data']['state'];
const change = (state: State, revision = 2) =>
  AccountChanged.make({ account_id, parent_account_id: null, state, revision }, { account_id });
const consume = (...events: EventEnvelope[]) => deliver(under.service, events);

const HOOK = { name: 'Hook', url: 'https://shop.test/hooks', scope: 'global', on_reception: true };
const create = (more: object = {}) => under.webhooks('POST', '', { account_id, body: { ...HOOK, ...more } });
const idsOf = async (account: string) => {
  const list = await under.webhooks('GET', '', { account_id: account });
  return list.body.data.map(({ id }: { id: string }) => id).sort();
};
const stopsOf = (...ids: string[]) =>
  stoppedWebhooks(under.published).filter(({ webhook_id }) => ids.includes(webhook_id));
const callsOf = (id: string) => requestedCalls(under.published).filter((call) => call.webhook_id === id);

/** A message of the account, stored after now. */
const accepted = () => {
  const recipients = [{ id: newId(Date.now() + 5), email: 'r@mail.test' }];
  return MessageAccepted.make(
    { ...MessageAccepted.examples[0]!, send_request_id: newId(), recipients },
    { account_id },
  );
};

describe('§10.4 rule 5: the webhooks of a deleted account', () => {
  it('are deleted as by the API, disabled ones too, and their pending calls are dropped', async () => {
    const [one, two] = [(await create()).body.id, (await create({ enabled: false })).body.id];
    const other = newId();
    const theirs = (await under.webhooks('POST', '', { account_id: other, body: HOOK })).body.id;
    await under.bus.publish([accepted()]);
    await under.until(() => callsOf(one).length === 1);
    await under.bus.publish([change('deleted')]);
    await under.until(() => stopsOf(one, two).length === 2);
    expect(stopsOf(one)).toEqual([{ webhook_id: one, reason: 'deleted' }]);
    expect(await idsOf(account_id)).toEqual([]);
    expect(await idsOf(other)).toEqual([theirs]);
  });

  it('are deleted together with its routes, and neither is added later', async () => {
    const routes = (method: 'GET' | 'POST', body?: object) => under.routes(method, '', { account_id, body });
    const body = { name: 'Route', url: 'https://shop.test/in', recipient: '' };
    const { id } = (await routes('POST', body)).body;
    await consume(change('deleted'));
    await under.until(() => stopsOf(id).length === 1);
    expect((await routes('GET')).body.data).toEqual([]);
    const late = await routes('POST', body);
    expect([late.status, late.body]).toEqual([401, { message: 'invalid API key' }]);
  });

  it('are no longer called', async () => {
    const { id } = (await create()).body;
    await consume(change('deleted'));
    await under.bus.publish([accepted()]);
    account_id = newId();
    const after = (await create()).body.id;
    await under.bus.publish([accepted()]);
    await under.until(() => callsOf(after).length === 1);
    expect(callsOf(id)).toEqual([]);
  });

  it('are stopped once for any number of deletion events, and no older event restores them', async () => {
    const { id } = (await create()).body;
    const end = change('deleted', 9);
    await Promise.all([consume(end, end), consume(end)]);
    await consume(end, change('active', 8));
    expect(await idsOf(account_id)).toEqual([]);
    account_id = newId();
    const after = (await create()).body.id;
    await consume(change('deleted'));
    await under.until(() => stopsOf(after).length === 1);
    expect(stopsOf(id)).toHaveLength(1);
  });

  it('are deleted in batches', async () => {
    const { id } = (await create()).body;
    const database = under.service.get(DataSource);
    await database.query(
      `insert into webhooks select (jsonb_populate_record(w, jsonb_build_object('id', gen_random_uuid()))).*
       from webhooks w, generate_series(1, 1200) where id = $1`,
      [id],
    );
    await consume(change('deleted'));
    expect(await idsOf(account_id)).toEqual([]);
  });

  it('are not created by a request that was authorised before, nor by one that waits for the deletion', async () => {
    const runner = under.service.get(DataSource).createQueryRunner();
    await runner.startTransaction();
    await recordDeletion(runner.manager, account_id);
    const waits = create();
    const waiting = () =>
      runner.query(`select from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`);
    await expect.poll(waiting, { interval: 10 }).toHaveLength(1);
    await runner.commitTransaction();
    await runner.release();
    for (const late of [await waits, await create()]) {
      expect([late.status, late.body]).toEqual([401, { message: 'invalid API key' }]);
    }
    expect(await idsOf(account_id)).toEqual([]);
  });
});

it('§10.4 rule 4: the webhooks of a suspended account stay active', async () => {
  const { id } = (await create()).body;
  await consume(change('suspended'), change('parent-suspended', 3), change('blocked', 4));
  await under.bus.publish([accepted()]);
  await under.until(() => callsOf(id).length === 1);
  expect(stopsOf(id)).toEqual([]);
});
