import { startHttpReceiver, type HttpReceiver } from '@postmesh/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { everyOperationOn, newChild, newChildKey, sendMessage } from './families.js';
import {
  eventually,
  expectError,
  sharedInstallation,
  unique,
  uniqueDomain,
  type Account,
  type Caller,
} from './harness.js';

const postmesh = sharedInstallation();
let parent: Account;
beforeAll(async () => {
  parent = await postmesh.newAccount();
});

const NOT_FOUND = 'sub account not found';
const call = (method: string, rest: string, body?: unknown, caller: Caller = parent.key) =>
  postmesh.api(caller, method, `{A}/sub-accounts${rest}`, body === undefined ? {} : { body });
const statusOf = async (child: { id: string }) => (await call('GET', `/${child.id}`)).body.status;
const suspend = (child: { id: string }, reason = 'unpaid') =>
  call('POST', `/${child.id}/suspend`, { reason });
const unsuspend = (child: { id: string }) => call('POST', `/${child.id}/unsuspend`);
const operate = (account: { id: string }, action: string, body?: unknown) =>
  postmesh.operator('POST', `/operator/accounts/accounts/${account.id}/${action}`, body);

describe('§10.4 state rules', () => {
  it('§10.4 rule 1 suspends with a reason; the first one stays', async () => {
    const child = await newChild(postmesh, parent);
    expect([
      (await suspend(child, ' first ')).body.status,
      (await suspend(child, 'second')).body.status,
    ]).toEqual(['suspended', 'suspended']);
    const kept = await postmesh.sql(
      `select suspension_reason, suspended_by, suspended_at is not null as dated
       from accounts.accounts where id = $1`,
      [child.id],
    );
    expect(kept).toEqual([{ suspension_reason: 'first', suspended_by: 'parent', dated: true }]);
    for (const [body, message] of [
      [{}, 'reason is required'],
      [{ reason: ' ' }, 'reason must not be empty'],
      [{ reason: 'é'.repeat(501) }, 'reason must be at most 500 characters'],
      [{ reason: 'x', status: 'x' }, 'unknown field: status'],
    ]) {
      expectError(await call('POST', `/${child.id}/suspend`, body), 400, message as string);
    }
    expectError(await call('POST', `/${child.id}/suspend`), 400, 'invalid request body');
  });

  it('§10.4 rule 2 unsuspends; one that is not suspended is answered as it is', async () => {
    const child = await newChild(postmesh, parent);
    await suspend(child);
    for (let at = 0; at < 2; at += 1) {
      const resumed = await unsuspend(child);
      expect([resumed.status, resumed.body.status]).toEqual([200, 'active']);
    }
  });

  it.each([
    ['suspend', 'resume'],
    ['block', 'unblock'],
  ])('§10.4 rule 2 leaves what the operator began to the operator: %s', async (begin, end) => {
    const child = await newChild(postmesh, parent);
    await operate(child, begin, { reason: 'abuse' });
    expect(await statusOf(child)).toBe('suspended');
    expectError(await unsuspend(child), 403, 'this sub account was paused by the service operator');
    expect(await statusOf(child)).toBe('suspended');
    await operate(child, end);
    expect(await statusOf(child)).toBe('active');
  });

  it("§10.4 rule 3 shows the parent's suspension until that ends", async () => {
    const account = await postmesh.newAccount();
    const child = await newChild(postmesh, account);
    const [own, lifted] = [await newChild(postmesh, account), await newChild(postmesh, account)];
    const ask = (method: string, rest: string, body?: unknown) => call(method, rest, body, account.key);
    for (const { id } of [own, lifted]) await ask('POST', `/${id}/suspend`, { reason: 'unpaid' });
    await operate(account, 'suspend', { reason: 'unpaid' });
    const states = async () => {
      const { body } = await ask('GET', '');
      return body.data.map((one: { status: string }) => one.status);
    };
    expect(await states()).toEqual(['suspended', 'suspended', 'parent-suspended']);
    const tried = await ask('POST', `/${child.id}/unsuspend`);
    expect([tried.status, tried.body.status]).toEqual([200, 'parent-suspended']);
    const born = await ask('POST', '', { name: 'Born', website: 'born.test' });
    expect(born.body.status).toBe('parent-suspended');
    expect((await ask('POST', `/${lifted.id}/unsuspend`)).body.status).toBe('parent-suspended');
    await operate(account, 'resume');
    expect(await states()).toEqual(['active', 'active', 'suspended', 'active']);
  });

  it.each([
    ['suspended', (_parent: Account, child: Account) => suspend(child)],
    [
      'suspended by the operator',
      (_parent: Account, child: Account) => operate(child, 'suspend', { reason: 'x' }),
    ],
    ['parent-suspended', (above: Account) => operate(above, 'suspend', { reason: 'x' })],
  ])(
    '§10.4 rule 4 a child that is %s may not send nor manage domains, and may do the rest',
    async (how, pause) => {
      const above = how === 'parent-suspended' ? await postmesh.newAccount() : parent;
      const child = await newChild(postmesh, above);
      const domain = await postmesh.verifiedDomain(child);
      expect((await pause(above, child)).status).toBe(200);
      for (const more of [{}, { sandbox: true }]) {
        const message = { from: domain, to: ['ann@mail.test'], more };
        expectError(await sendMessage(postmesh, child, message), 403, 'account is suspended');
      }
      const added = await postmesh.api(child.key, 'POST', '{A}/domains', {
        body: { domain: uniqueDomain() },
      });
      expectError(added, 403, 'account is suspended, contact support');
      for (const path of [
        '/v2/ping',
        '{A}',
        '{A}/domains',
        `{A}/domains/${domain}`,
        '{A}/api-keys',
        '{A}/webhooks',
      ]) {
        expect((await postmesh.api(child.key, 'GET', path)).status).toBe(200);
      }
      expect((await call('PUT', `/${child.id}`, { name: 'Other' }, above.key)).status).toBe(200);
    },
  );

  it('§10.4 rule 4 accepted mail waits, and is sent after the suspension', async () => {
    const child = await newChild(postmesh, parent);
    const domain = await postmesh.verifiedDomain(child);
    const email = `${unique('ann')}@mail.test`;
    const schedule = { first_attempt: inHours(1) };
    const sent = await sendMessage(postmesh, child, { from: domain, to: [email], more: { schedule } });
    expect(sent.status).toBe(202);
    await suspend(child);
    await eventually(() => deliveryStates(email)).toEqual(['suspended']);
    await change(email, 'due_at = now()');
    await unsuspend(child);
    await eventually(async () => (await postmesh.messagesTo(email)).length, 20_000).toBe(1);
  });

  it('§10.4 rule 4 mail that waits too long expires by its own schedule, and webhooks report it', async () => {
    const receiver = await startHttpReceiver();
    try {
      const child = await newChild(postmesh, parent);
      const domain = await postmesh.verifiedDomain(child);
      const webhook = { name: 'All', url: receiver.url, scope: 'global', on_failed: true };
      const made = await postmesh.api(child.key, 'POST', '{A}/webhooks', { body: webhook });
      expect(made.status).toBe(201);
      const schedule = { first_attempt: inHours(1), expires: inHours(2) };
      const email = `${unique('ann')}@mail.test`;
      const sent = await sendMessage(postmesh, child, { from: domain, to: [email], more: { schedule } });
      expect(sent.status).toBe(202);
      await suspend(child);
      await eventually(() => deliveryStates(email)).toEqual(['suspended']);
      await change(email, 'due_at = now(), expires = now(), suspended_until = now()');
      await postmesh.periodic('delivery-worker', 'follow-account-states');
      await eventually(() => typesOf(receiver), 25_000).toEqual(['message.failed']);
      expect(await postmesh.messagesTo(email)).toEqual([]);
    } finally {
      await receiver.close();
    }
  });

  it('§10.4 rule 5 a deleted child is gone: its keys at once, and it for its parent', async () => {
    const child = await newChild(postmesh, parent);
    const further = await newChildKey(postmesh, parent, child.id);
    expect((await postmesh.api(further, 'GET', '/v2/ping')).status).toBe(200);
    const gone = await call('DELETE', `/${child.id}`);
    expect([gone.status, gone.body]).toEqual([200, { message: 'sub account deleted' }]);
    for (const key of [child.key, further]) {
      expectError(await postmesh.api(key, 'GET', '/v2/ping'), 401, 'invalid API key');
    }
    for (const [method, rest, body] of everyOperationOn(child.id)) {
      expectError(await call(method, rest, body), 404, NOT_FOUND);
    }
  });

  it('§10.4 rule 5 deletes from any state', async () => {
    for (const prepare of [suspend, (one: Account) => operate(one, 'suspend', { reason: 'x' })]) {
      const child = await newChild(postmesh, parent);
      await prepare(child);
      expect((await call('DELETE', `/${child.id}`)).status).toBe(200);
      expectError(await postmesh.api(child.key, 'GET', '/v2/ping'), 401, 'invalid API key');
    }
  });

  it('§10.4 rule 5 cancels the unsent mail of a deleted child, stops its webhooks and routes and frees its domains', async () => {
    const child = await newChild(postmesh, parent);
    const domain = await postmesh.verifiedDomain(child);
    const webhook = { name: 'All', url: 'http://127.0.0.1:9/', scope: 'global', on_delivered: true };
    expect((await postmesh.api(child.key, 'POST', '{A}/webhooks', { body: webhook })).status).toBe(201);
    const route = { name: 'All', url: 'http://127.0.0.1:9/', recipient: '' };
    expect((await postmesh.api(child.key, 'POST', '{A}/routes', { body: route })).status).toBe(201);
    const email = `${unique('ann')}@mail.test`;
    const schedule = { first_attempt: new Date(Date.now() + 3_600_000).toISOString() };
    const sent = await sendMessage(postmesh, child, { from: domain, to: [email], more: { schedule } });
    expect(sent.status).toBe(202);
    await eventually(() => deliveryStates(email)).toHaveLength(1);
    await call('DELETE', `/${child.id}`);
    const messages = 'select status from messages.messages where account_id = $1';
    await eventually(() => postmesh.sql(messages, [child.id])).toEqual([{ status: 'Canceled' }]);
    await eventually(() => deliveryStates(email)).toEqual([]);
    const stopped = `select (select count(*) from webhooks.webhooks where account_id = $1)::int as webhooks,
                            (select count(*) from webhooks.routes where account_id = $1)::int as routes`;
    await eventually(() => postmesh.sql(stopped, [child.id])).toEqual([{ webhooks: 0, routes: 0 }]);
    const claim = async () => {
      const claimed = await postmesh.api(parent.key, 'POST', '{A}/domains', { body: { domain } });
      return claimed.status;
    };
    await eventually(claim).toBe(201);
  });
});

const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();

/** Makes a waiting delivery due. */
const change = (recipient: string, columns: string) =>
  postmesh.sql(`update delivery_worker.deliveries set ${columns} where recipient = $1`, [recipient]);

const typesOf = (receiver: HttpReceiver): string[] =>
  receiver.requests.map(({ body }) => (JSON.parse(body.toString()) as { type: string }).type);

async function deliveryStates(recipient: string): Promise<string[]> {
  const rows = await postmesh.sql<{ state: string }>(
    'select state from delivery_worker.deliveries where recipient = $1',
    [recipient],
  );
  return rows.map(({ state }) => state);
}
