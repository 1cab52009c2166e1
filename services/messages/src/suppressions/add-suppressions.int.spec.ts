import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccountId } from '@postmesh/contracts';
import { testDatabase } from '@postmesh/testing';
import { startSuppressions, type SuppressionsUnderTest } from '../testing/suppressions-under-test.js';
import { AddSuppressions } from './add-suppressions.js';
import { PERMANENT, type SuppressionCause } from './suppression.rules.js';

// proven again: several concurrent causes, and the events of each change
const database = testDatabase();
let under: SuppressionsUnderTest;

beforeAll(async () => {
  under = await startSuppressions(database.url);
});
afterAll(() => under?.stop());

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
const cause = (account: string, more: Partial<SuppressionCause> = {}): SuppressionCause => ({
  accountId: account as AccountId,
  domain: 'shop.test',
  email: 'ann@mail.test',
  reason: 'Too many hard bounces',
  protected: false,
  source: 'automatic',
  createdAt: new Date(),
  expiresAt: inDays(30),
  ...more,
});
const complaint = {
  reason: 'FBL Complaint Report',
  protected: true,
  source: 'recipient',
  expiresAt: PERMANENT,
} as const;
const add = (...causes: SuppressionCause[]) =>
  under.service.get(DataSource).transaction((tx) => under.service.get(AddSuppressions).execute(tx, causes));

describe('§14.3 rule 4: a cause for an address that has a row', () => {
  it('moves its end to the later date and protects it, without being published as a new one', async () => {
    const account = under.account();
    const [first] = await add(cause(account));
    expect(first).toMatchObject({ kind: 'created', protected: false });
    expect(await add(cause(account, { expiresAt: inDays(7) }))).toEqual([]);
    const [longer] = await add(cause(account, { expiresAt: inDays(60), reason: 'other' }));
    expect(longer).toMatchObject({ kind: 'extended', id: first?.id, reason: 'Too many hard bounces' });
    const [complained] = await add(cause(account, { ...complaint, expiresAt: inDays(1) }));
    expect(complained).toMatchObject({ kind: 'extended', protected: true, expiresAt: longer?.expiresAt });
    expect(await add(cause(account, { ...complaint, expiresAt: inDays(1) }))).toEqual([]);
    // a row stays protected until it ends
    const [last] = await add(cause(account, { expiresAt: inDays(90) }));
    expect(last).toMatchObject({ kind: 'extended', protected: true });
    const told = await under.told.until(() => {
      const events = under.told.events.filter(({ account_id }) => account_id === account);
      return events.length === 4 && events;
    });
    expect(told.map(({ kind }) => kind)).toEqual(['created', 'extended', 'extended', 'extended']);
    expect(told.at(-1)).toMatchObject({ protected: true, expires_at: last?.expiresAt.toISOString() });
  });

  it('replaces a row that has expired, protection and all', async () => {
    const account = under.account();
    const [first] = await add(cause(account, complaint));
    await under.sql(`update suppressions set expires_at = now() - interval '1 second' where id = $1`, [
      first?.id,
    ]);
    const [second] = await add(cause(account));
    expect(second).toMatchObject({ kind: 'created', protected: false, reason: 'Too many hard bounces' });
  });

  it('is one with others for the same address in the same batch', async () => {
    const account = under.account();
    const rows = await add(cause(account), cause(account, complaint), cause(account, { domain: 'b.test' }));
    expect(rows.map(({ domain, protected: own }) => [domain, own])).toEqual([
      ['shop.test', true],
      ['b.test', false],
    ]);
    expect(rows[0]?.expiresAt).toEqual(PERMANENT);
  });
});

describe('many at once', () => {
  it('in any order of addresses and accounts, are serialised and none is lost', async () => {
    const accounts = [under.account(), under.account(), under.account()];
    const batches = Array.from({ length: 12 }, (_, n) =>
      Array.from({ length: 60 }, (__, at) => {
        const place = n % 2 === 0 ? at : 59 - at;
        return cause(accounts[place % 3]!, { email: `r${place}@mail.test`, expiresAt: inDays(n + 1) });
      }),
    );
    await Promise.all(batches.map((batch) => add(...batch)));
    const rows = await under.sql<{ count: number; ends: number }>(
      'select count(*)::int, count(distinct date(expires_at))::int as ends from suppressions where account_id = any($1::uuid[])',
      [accounts],
    );
    expect(rows).toEqual([{ count: 60, ends: 1 }]);
  });

  it('have revisions in the order of their events, also when a row is removed and created again', async () => {
    const account = under.account('shop.test');
    const remove = () => under.suppressions(account, 'DELETE', '?email=ann@mail.test');
    await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? add(cause(account)) : remove())));
    await add(cause(account, { expiresAt: inDays(99) }));
    const [row] = await under.sql<{ revision: string }>(
      'select revision from suppressions where account_id = $1',
      [account],
    );
    const events = await under.told.until(() => {
      const of = under.told.events.filter(({ account_id }) => account_id === account);
      return of.some(({ revision }) => revision === Number(row?.revision)) && of;
    });
    const revisions = events.map(({ revision }) => revision);
    expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
    expect(new Set(revisions).size).toBe(revisions.length);
    // a row is created, changed and removed in turn
    const kinds = events.map(({ kind }) => kind).join(' ');
    expect(kinds).not.toMatch(/created created|removed removed|removed extended/);
  });
});
