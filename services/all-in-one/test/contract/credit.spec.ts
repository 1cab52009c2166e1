import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { newChild, sendMessage } from './families.js';
import { expectError, sharedInstallation, unique, type Account } from './harness.js';

const LIMIT = 'monthly sending limit reached';
const postmesh = sharedInstallation();

interface Sender {
  account: Account;
  domain: string;
}

const sender = async (account: Account): Promise<Sender> => ({
  account,
  domain: await postmesh.verifiedDomain(account),
});
const send = ({ account, domain }: Sender, more: object = {}) =>
  sendMessage(postmesh, account, { from: domain, to: [`${unique('ann')}@mail.test`], more });
const setPool = async (account: Account, monthly_credit: number) => {
  const path = `/operator/accounts/accounts/${account.id}`;
  expect((await postmesh.operator('PUT', path, { monthly_credit })).status).toBe(200);
};
const usageOf = async (parent: Account) => {
  const { status, body } = await postmesh.api(parent.key, 'GET', '{A}/sub-accounts/usage');
  expect(status).toBe(200);
  return body;
};

describe('§10.4 credit of a family', () => {
  let parent: Account;
  let top: Sender;
  let first: Sender;
  let second: Sender;
  beforeAll(async () => {
    parent = await postmesh.newAccount();
    top = await sender(parent);
    first = await sender(await newChild(postmesh, parent));
    second = await sender(await newChild(postmesh, parent, { monthly_credit: 4 }));
  });

  it('§10.4 rule 7 is exact while parent and children send at once, and usage says the same', async () => {
    await setPool(parent, 15);
    const answers = await Promise.all(
      Array.from({ length: 45 }, (_, nth) => send([top, first, second][nth % 3]!)),
    );
    const accepted = answers.filter(({ status }) => status === 202);
    expect(accepted).toHaveLength(15);
    for (const response of answers.filter(({ status }) => status !== 202)) expectError(response, 403, LIMIT);
    const { total, sub_accounts } = await usageOf(parent);
    expect(total.reception_count).toBe(15);
    const ofSecond = sub_accounts.find((one: { account_id: string }) => one.account_id === second.account.id);
    expect(ofSecond.reception_count).toBeLessThanOrEqual(4);
  });

  it('§10.4 rule 7 has a new pool, or none, in the very next request', async () => {
    const { total } = await usageOf(parent);
    await setPool(parent, total.reception_count + 1);
    expect((await send(first)).status).toBe(202);
    expectError(await send(top), 403, LIMIT);
    await setPool(parent, 0);
    for (const from of [top, first]) expect((await send(from)).status).toBe(202);
  });
});

describe('§10.4 a refused request', () => {
  it('§10.4 rule 6 stays refused for its idempotency key, and leaves nothing behind', async () => {
    const parent = await postmesh.newAccount();
    const child = await sender(await newChild(postmesh, parent, { monthly_credit: 1 }));
    expect((await send(child)).status).toBe(202);
    const path = '{A}/messages/conversation';
    const body = {
      from: { email: `news@${child.domain}` },
      to: [{ email: 'ann@mail.test' }],
      subject: 'Once',
      text_content: 'Once',
    };
    const headers = { 'idempotency-key': randomUUID() };
    const keyed = () => postmesh.api(child.account.key, 'POST', path, { body, headers });
    expectError(await keyed(), 403, LIMIT);
    const raised = { body: { monthly_credit: 10 } };
    const change = await postmesh.api(parent.key, 'PUT', `{A}/sub-accounts/${child.account.id}`, raised);
    expect(change.status).toBe(200);
    const replay = await keyed();
    expectError(replay, 403, LIMIT);
    expect(replay.headers['idempotent-replayed']).toBe('true');
    const stored = await postmesh.sql(
      'select count(*)::int as messages from messages.messages where account_id = $1',
      [child.account.id],
    );
    expect(stored).toEqual([{ messages: 1 }]);
    headers['idempotency-key'] = randomUUID();
    expect((await keyed()).status).toBe(202);
  });
});
