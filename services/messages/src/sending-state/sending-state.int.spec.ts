import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { newId, type AccountFacts } from '@postmesh/contracts';
import type { AccountWaits } from '@postmesh/delivery-worker-contract';
import { memberOf, startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { MESSAGES_SERVICE } from '../messages.definition.js';
import { usagePeriod } from '../usage/usage.rules.js';

const database = testDatabase();
let messages: TestService;
/** by account; null = the delivery worker is unavailable */
let waits: Record<string, AccountWaits['waits']> | null;

beforeAll(async () => {
  messages = await startTestService(MESSAGES_SERVICE, {
    databaseUrl: database.url,
    neighbours: {
      'delivery-worker': ({ path }) => {
        const account = path.split('/')[3] ?? '';
        return waits ? { status: 200, body: { waits: waits[account] ?? [] } } : { status: 500, body: {} };
      },
    },
  });
});
afterAll(() => messages?.stop());
beforeEach(() => {
  waits = {};
});

async function state(account: string, facts: Partial<AccountFacts> = {}) {
  const member = memberOf(account, 'Analyst');
  const principal = { ...member, account: { ...member.account, ...facts } };
  const { status, body } = await messages.call('GET', '/console/api/sending-state', { principal });
  expect(status).toBe(200);
  return body;
}
const accepted = (account: string, wholeFamily: boolean, count: number) =>
  messages.service.get(DataSource).query(
    `insert into usage (account_id, whole_family, period, slot, family_id, accepted, last_accepted_at)
     values ($1, $2, $3, 0, $1, $4, now())`,
    [account, wholeFamily, usagePeriod(new Date()), count],
  );

it('is empty for an account that nothing holds up', async () => {
  expect(await state(newId())).toEqual({
    object: 'sending_state',
    suspended: false,
    credits: [],
    waits: [],
    complete: true,
  });
});

it('has the providers that its own mail waits for', async () => {
  const account = newId();
  const wait: AccountWaits['waits'][number] = {
    kind: 'suspended',
    by: 'Google',
    share: 0.4,
    destinations: ['gmail.com'],
    messages: 5,
    since: '2026-01-05T08:00:00.000Z',
    until: '2026-01-05T08:10:00.000Z',
    per_second: null,
    reason: 'Google slowed down us',
  };
  waits = { [account]: [wait] };
  expect((await state(account)).waits).toEqual([wait]);
  expect((await state(newId())).waits).toEqual([]);
  waits = null;
  expect(await state(account)).toMatchObject({ waits: [], complete: false });
});

it('has the credit of the month, of the account and of the pool that it shares', async () => {
  const [account, parent] = [newId(), newId()];
  await accepted(account, false, 70);
  await accepted(parent, true, 950);
  const now = new Date();
  const until = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString();
  const facts = {
    monthly_credit: 100,
    parent_account_id: parent,
    credit_pool: { account_id: parent, monthly_credit: 1_000 },
  };
  expect(await state(account, { ...facts, status: 'suspended' })).toMatchObject({
    suspended: true,
    credits: [
      { pool: false, limit: 100, used: 70, until },
      { pool: true, limit: 1_000, used: 950, until },
    ],
  });
  expect((await state(account, { monthly_credit: 0 })).credits).toEqual([]);
});
