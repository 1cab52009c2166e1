import { beforeAll, describe, expect, it } from 'vitest';
import { newChild, sendMessage } from './families.js';
import { sharedInstallation, unique, type Account, type Caller } from './harness.js';

const postmesh = sharedInstallation();
let parent: Account;
beforeAll(async () => {
  parent = await postmesh.newAccount();
});

const call = (method: string, rest: string, body?: unknown, caller: Caller = parent.key) =>
  postmesh.api(caller, method, `{A}/sub-accounts${rest}`, body === undefined ? {} : { body });

describe('§10.4 credit', () => {
  const LIMIT = 'monthly sending limit reached';
  let child: Account;
  let domain: string;
  beforeAll(async () => {
    child = await newChild(postmesh, parent, { monthly_credit: 3 });
    domain = await postmesh.verifiedDomain(child);
  });
  const people = (count: number) => Array.from({ length: count }, () => `${unique('ann')}@mail.test`);
  const send = async (count: number, more: object = {}, from = { account: child, domain }) => {
    const message = { from: from.domain, to: people(count), more };
    const { status, body } = await sendMessage(postmesh, from.account, message);
    return status === 202 ? 202 : [status, body.message];
  };
  const credit = (account: Account, monthly_credit: number) =>
    call('PUT', `/${account.id}`, { monthly_credit });

  it('§10.4 rule 6 counts each recipient, refuses a request as a whole, and leaves the sandbox alone', async () => {
    expect(await send(2)).toBe(202);
    expect(await send(2)).toEqual([403, LIMIT]);
    expect(await send(5, { sandbox: true })).toBe(202);
    expect(await send(1)).toBe(202);
    expect(await send(1)).toEqual([403, LIMIT]);
    expect(await send(5, { sandbox: true })).toBe(202);
  });

  it('§10.4 rule 6 has a new cap in the very next request', async () => {
    await credit(child, 4);
    expect(await send(1)).toBe(202);
    expect(await send(1)).toEqual([403, LIMIT]);
    await credit(child, 0);
    expect(await send(3)).toBe(202);
    await credit(child, 2);
    expect(await send(1)).toEqual([403, LIMIT]);
  });

  it('§10.4 rule 6 is exact under simultaneous requests', async () => {
    const many = await newChild(postmesh, parent, { monthly_credit: 10 });
    const from = { account: many, domain: await postmesh.verifiedDomain(many) };
    const answers = await Promise.all(Array.from({ length: 25 }, () => send(1, {}, from)));
    expect(answers.filter((response) => response === 202)).toHaveLength(10);
  });

  it("§10.4 rule 7 a parent's credit is shared by parent and children, and the API does not show it", async () => {
    const account = await postmesh.newAccount();
    const [one, other] = [
      await newChild(postmesh, account),
      await newChild(postmesh, account, { monthly_credit: 1 }),
    ];
    const sender = async (who: Account) => ({ account: who, domain: await postmesh.verifiedDomain(who) });
    const [top, first, second] = [await sender(account), await sender(one), await sender(other)];
    await postmesh.operator('PUT', `/operator/accounts/accounts/${account.id}`, { monthly_credit: 4 });
    expect(await send(1, {}, top)).toBe(202);
    expect(await send(1, {}, second)).toBe(202);
    expect(await send(1, {}, second)).toEqual([403, LIMIT]);
    expect(await send(2, {}, first)).toBe(202);
    for (const from of [top, first]) expect(await send(1, {}, from)).toEqual([403, LIMIT]);
    const shown = await call('GET', `/${one.id}`, undefined, account.key);
    expect(shown.body.monthly_credit).toBe(0);
    expect((await postmesh.api(account.key, 'GET', '{A}')).body).not.toHaveProperty('monthly_credit');
  });
});
