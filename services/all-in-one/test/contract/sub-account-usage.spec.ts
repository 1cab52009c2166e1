import { beforeAll, describe, expect, it } from 'vitest';
import { newChild, sendMessage } from './families.js';
import { sharedInstallation, unique, type Account } from './harness.js';

// The contract's installations (CONTRACT_SETTINGS) have a price of a cent of a euro per message.
const postmesh = sharedInstallation();

interface Part {
  reception_count: number;
  allocated_cost: number;
}

let parent: Account;
let busy: Account;
let idle: Account;
let leaving: Account;
const domains = new Map<Account, string>();
beforeAll(async () => {
  parent = await postmesh.newAccount();
  busy = await newChild(postmesh, parent, { name: 'Busy' });
  leaving = await newChild(postmesh, parent, { name: 'Leaving' });
  idle = await newChild(postmesh, parent, { name: 'Idle' });
  for (const account of [parent, busy, leaving]) domains.set(account, await postmesh.verifiedDomain(account));
});

const usage = async (query = '') => {
  const { status, body } = await postmesh.api(parent.key, 'GET', `{A}/sub-accounts/usage${query}`);
  expect(status).toBe(200);
  return body;
};
const partsOf = (report: { parent: Part; sub_accounts: Part[]; removed_sub_accounts: Part }): Part[] => [
  report.parent,
  ...report.sub_accounts,
  report.removed_sub_accounts,
];
const send = async (account: Account, recipients: number, more: object = {}) => {
  const to = Array.from({ length: recipients }, () => `${unique('ann')}@mail.test`);
  const sent = await sendMessage(postmesh, account, { from: domains.get(account) ?? '', to, more });
  expect(sent.status).toBe(202);
};

describe('§10.5 usage', () => {
  it('§10.5 rule 5 is all zero while there is none', async () => {
    const report = await usage();
    expect(report.total).toEqual({ reception_count: 0, allocated_cost: 0 });
    expect(partsOf(report).map((part) => [part.reception_count, part.allocated_cost])).toEqual(
      Array.from({ length: 5 }, () => [0, 0]),
    );
  });

  it('§10.5 rule 1 is of the calendar month in UTC, whatever the request', async () => {
    const now = new Date();
    const at = (months: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1);
    for (const query of ['', '?period=2020-01&start=2020-01-01T00:00:00Z']) {
      const { billing_period: period, currency, allocation_method } = await usage(query);
      expect([Date.parse(period.start), Date.parse(period.end)]).toEqual([at(0), at(1)]);
      expect([currency, allocation_method]).toEqual(['eur', 'proportional']);
    }
  });

  it('§10.5 rule 4 counts accepted messages, one per recipient, without the sandbox', async () => {
    await send(parent, 1);
    await send(busy, 3);
    await send(busy, 5, { sandbox: true });
    await send(leaving, 3);
    const report = await usage();
    expect(partsOf(report).map((part) => part.reception_count)).toEqual([1, 3, 3, 0, 0]);
    expect(report.total.reception_count).toBe(7);
  });

  it('§10.5 rule 5 allocates the pooled cost in parts that sum to it', async () => {
    const report = await usage();
    expect(partsOf(report).map((part) => part.allocated_cost)).toEqual([0.01, 0.03, 0.03, 0, 0]);
    expect(report.total.allocated_cost).toBe(0.07);
    expect(report.allocation_note).toMatch(/pooled cost/);
  });

  it('§10.5 rule 2 holds every child, oldest first, also idle and suspended ones', async () => {
    await postmesh.api(parent.key, 'POST', `{A}/sub-accounts/${idle.id}/suspend`, { body: { reason: 'x' } });
    const report = await usage();
    expect(report.sub_accounts).toEqual([
      { account_id: busy.id, name: 'Busy', reception_count: 3, allocated_cost: 0.03 },
      { account_id: leaving.id, name: 'Leaving', reception_count: 3, allocated_cost: 0.03 },
      { account_id: idle.id, name: 'Idle', reception_count: 0, allocated_cost: 0 },
    ]);
    expect(Object.keys(report.parent).toSorted()).toEqual([
      'account_id',
      'allocated_cost',
      'reception_count',
    ]);
    expect(report.parent.account_id).toBe(parent.id);
    for (const part of [report.removed_sub_accounts, report.total]) {
      expect(Object.keys(part).toSorted()).toEqual(['allocated_cost', 'reception_count']);
    }
  });

  it('§10.5 rule 3 moves the usage of a deleted child, and the total stays', async () => {
    const before = await usage();
    await postmesh.api(parent.key, 'DELETE', `{A}/sub-accounts/${leaving.id}`);
    const after = await usage();
    expect(after.sub_accounts.map((child: { account_id: string }) => child.account_id)).toEqual([
      busy.id,
      idle.id,
    ]);
    expect(after.removed_sub_accounts).toEqual({ reception_count: 3, allocated_cost: 0.03 });
    expect(after.total).toEqual(before.total);
  });

  it("§10.5 is the family's own", async () => {
    const stranger = await postmesh.newAccount();
    const { body } = await postmesh.api(stranger.key, 'GET', '{A}/sub-accounts/usage');
    expect([body.total.reception_count, body.sub_accounts]).toEqual([0, []]);
  });
});
