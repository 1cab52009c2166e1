import { beforeAll, describe, expect, it } from 'vitest';
import { newChild, sendMessage } from './families.js';
import {
  eventually,
  ownInstallation,
  sharedInstallation,
  unique,
  type Account,
  type Postmesh,
} from './harness.js';

interface Suspended {
  account_id: string;
  reason: string;
  deliveries: number;
}

/** Sends this number of messages, due in some seconds. @returns their recipients */
async function schedule(
  postmesh: Postmesh,
  { account, domain }: { account: Account; domain: string },
  count: number,
): Promise<string[]> {
  const people = Array.from({ length: count }, () => `${unique('ann')}@mail.test`);
  const first_attempt = new Date(Date.now() + 3_600_000).toISOString();
  for (const email of people) {
    const message = { from: domain, to: [email], more: { schedule: { first_attempt } } };
    expect((await sendMessage(postmesh, account, message)).status).toBe(202);
  }
  return people;
}

/** Makes the first attempts due, all at once. */
async function comeDue(postmesh: Postmesh, people: readonly string[]): Promise<void> {
  const text = 'update delivery_worker.deliveries set due_at = now() where recipient = any($1) returning id';
  await eventually(() => postmesh.sql(text, [people])).toHaveLength(people.length);
}

const operate = async (postmesh: Postmesh, account: Account, action: string) => {
  const path = `/operator/accounts/accounts/${account.id}/${action}`;
  expect((await postmesh.operator('POST', path, { reason: 'test' })).status).toBe(200);
};

/** The reasons why mail of an account waits, from the operator interface. */
async function suspendedFor(postmesh: Postmesh, account: Account): Promise<Suspended[]> {
  const { status, body } = await postmesh.operator('GET', '/operator/delivery-worker/queue');
  expect(status).toBe(200);
  return body.suspended_accounts.filter((one: Suspended) => one.account_id === account.id);
}

const arrived = async (postmesh: Postmesh, people: readonly string[]) => {
  const found = await Promise.all(people.map((email) => postmesh.messagesTo(email)));
  return found.map((messages) => messages.length);
};
const none = (people: readonly string[]) => people.map(() => 0);
const one = (people: readonly string[]) => people.map(() => 1);

describe('§10.4 mail that waits for its account', () => {
  const postmesh = sharedInstallation();
  let parent: Account;
  beforeAll(async () => {
    parent = await postmesh.newAccount();
  });

  it.each([
    ['suspended', 'the account is suspended'],
    ['parent-suspended', 'the parent account is suspended'],
    ['blocked', 'the account is blocked by the operator'],
  ])(
    '§10.4 rule 4 of one that is %s waits with its reason while others flow, and leaves afterwards',
    async (state, reason) => {
      const above = state === 'parent-suspended' ? await postmesh.newAccount() : parent;
      const child = await newChild(postmesh, above);
      const from = { account: child, domain: await postmesh.verifiedDomain(child) };
      const people = await schedule(postmesh, from, 3);
      const paused = state === 'parent-suspended' ? above : child;
      const [begin, end] = state === 'blocked' ? ['block', 'unblock'] : ['suspend', 'resume'];
      await operate(postmesh, paused, begin);
      await eventually(() => suspendedFor(postmesh, child)).toMatchObject([{ reason, deliveries: 3 }]);
      const other = await postmesh.newAccount();
      const flowing = { account: other, domain: await postmesh.verifiedDomain(other) };
      // due with the suspended ones: when it has arrived, they would have too
      const others = await schedule(postmesh, flowing, 1);
      await comeDue(postmesh, [...people, ...others]);
      await eventually(() => arrived(postmesh, others), 20_000).toEqual(one(others));
      expect(await arrived(postmesh, people)).toEqual(none(people));
      await operate(postmesh, paused, end);
      await eventually(() => arrived(postmesh, people), 20_000).toEqual(one(people));
      expect(await suspendedFor(postmesh, child)).toEqual([]);
    },
  );

  it('§10.4 rule 5 never leaves when the account is deleted, and its messages are canceled', async () => {
    const child = await newChild(postmesh, parent);
    const from = { account: child, domain: await postmesh.verifiedDomain(child) };
    const people = await schedule(postmesh, from, 2);
    await operate(postmesh, child, 'suspend');
    await eventually(() => suspendedFor(postmesh, child)).toMatchObject([{ deliveries: 2 }]);
    await comeDue(postmesh, people);
    expect((await postmesh.api(parent.key, 'DELETE', `{A}/sub-accounts/${child.id}`)).status).toBe(200);
    await eventually(() => suspendedFor(postmesh, child)).toEqual([]);
    const statuses = 'select distinct status from messages.messages where account_id = $1';
    await eventually(() => postmesh.sql(statuses, [child.id])).toEqual([{ status: 'Canceled' }]);
    const other = await postmesh.newAccount();
    const flowing = { account: other, domain: await postmesh.verifiedDomain(other) };
    const others = await schedule(postmesh, flowing, 1);
    await comeDue(postmesh, others);
    await eventually(() => arrived(postmesh, others), 20_000).toEqual(one(others));
    expect(await arrived(postmesh, people)).toEqual(none(people));
  });
});

describe('§10.4 mail that waits for its account, through a crash', () => {
  const postmesh = ownInstallation();

  it('§10.4 rule 4 is still suspended when the service was killed and started again, and leaves once, in the end', async () => {
    const account = await postmesh.newAccount();
    const from = { account, domain: await postmesh.verifiedDomain(account) };
    const people = await schedule(postmesh, from, 5);
    await operate(postmesh, account, 'suspend');
    await postmesh.installation.stop('SIGKILL');
    await postmesh.start({});
    await eventually(() => suspendedFor(postmesh, account), 30_000).toMatchObject([{ deliveries: 5 }]);
    await comeDue(postmesh, people);
    expect(await arrived(postmesh, people)).toEqual(none(people));
    await operate(postmesh, account, 'resume');
    await eventually(() => arrived(postmesh, people), 30_000).toEqual(one(people));
  });
});
