import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AccountChanged } from '@postmesh/accounts-contract';
import { newId } from '@postmesh/contracts';
import { deliver, startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { MARKETING_SERVICE } from '../marketing.definition.js';

const database = testDatabase();
let marketing: TestService;

beforeAll(async () => {
  marketing = await startTestService(MARKETING_SERVICE, { databaseUrl: database.url });
});
afterAll(() => marketing?.stop());
beforeEach(() => query('truncate account_states'));

const query = (sql: string, parameters: unknown[] = []) =>
  marketing.service.get(DataSource).query(sql, parameters) as Promise<Record<string, unknown>[]>;
const states = () => query('select account_id, state, revision::int as revision from account_states');
type State = 'active' | 'suspended' | 'deleted';
const change = (account_id: string, revision: number, state: State = 'active') =>
  AccountChanged.make({ ...AccountChanged.examples[0]!, account_id, revision, state }, { account_id });
const receive = (...events: ReturnType<typeof change>[]) => deliver(marketing.service, events);

describe('the copy of account states', () => {
  it('follows the events of the bus', async () => {
    const id = newId();
    await marketing.bus.publish([change(id, 1), change(id, 2, 'suspended')]);
    await expect.poll(states).toEqual([{ account_id: id, state: 'suspended', revision: 2 }]);
  });

  it('keeps the row of a deleted account: a late older event does not restore it', async () => {
    const id = newId();
    await receive(change(id, 7, 'deleted'), change(id, 6));
    await receive(change(id, 5, 'suspended'));
    expect(await states()).toEqual([{ account_id: id, state: 'deleted', revision: 7 }]);
  });

  it('is the same after any number of repeated events', async () => {
    const id = newId();
    const event = change(id, 3, 'suspended');
    await receive(event, event);
    await receive(event);
    expect(await states()).toEqual([{ account_id: id, state: 'suspended', revision: 3 }]);
  });

  it('is decided by the revision, not by the order of arrival, in one batch and over several', async () => {
    const id = newId();
    await receive(change(id, 5, 'suspended'), change(id, 4, 'active'));
    await receive(change(id, 2, 'active'));
    expect(await states()).toEqual([{ account_id: id, state: 'suspended', revision: 5 }]);
    await receive(change(id, 6, 'active'));
    expect(await states()).toEqual([{ account_id: id, state: 'active', revision: 6 }]);
  });

  it('updates many accounts at once, independently', async () => {
    const ids = Array.from({ length: 500 }, () => newId());
    await receive(
      ...ids.flatMap((id, nth) => [change(id, 1), change(id, 2, nth % 2 ? 'active' : 'suspended')]),
    );
    expect(
      await query(`select state, count(*)::int as count from account_states group by 1 order by 1`),
    ).toEqual([
      { state: 'active', count: 250 },
      { state: 'suspended', count: 250 },
    ]);
  });
});
