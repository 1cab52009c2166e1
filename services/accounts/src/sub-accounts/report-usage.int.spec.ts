import { testDatabase } from '@postmesh/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFamily, type Family } from './testing/family.js';
import { billingPeriod } from './usage-report.rules.js';

const database = testDatabase();
let family: Family;

beforeAll(async () => {
  family = await startFamily(database.url, { pricePerMessage: 0.01, currency: 'eur' });
});
afterAll(() => family.accounts.stop());

describe('§10.5 usage', () => {
  it('shares the cost of the month among parent, children and removed children', async () => {
    const old = await family.child({ name: 'Old' });
    const gone = await family.child({ name: 'Gone' });
    const idle = await family.child({ name: 'Idle' });
    await family.call('POST', `/${idle}/suspend`, { body: { reason: 'x' } });
    for (const [id, count] of [
      [family.parent, 100],
      [old, 300],
      [gone, 50],
    ] as const) {
      family.neighbours.usage.set(id, count);
    }
    await family.call('DELETE', `/${gone}`);
    family.neighbours.asked.length = 0;
    const { status, body } = await family.call('GET', '/usage');
    const { start, end, month } = billingPeriod(new Date());
    expect(family.neighbours.asked).toEqual([
      `GET /internal/accounts/${family.parent}/usage?period=${month}`,
    ]);
    expect([status, body]).toEqual([
      200,
      {
        billing_period: { start: start.toISOString(), end: end.toISOString() },
        currency: 'eur',
        allocation_method: 'proportional',
        allocation_note: expect.any(String),
        parent: { account_id: family.parent, reception_count: 100, allocated_cost: 1 },
        sub_accounts: [
          { account_id: old, name: 'Old', reception_count: 300, allocated_cost: 3 },
          { account_id: idle, name: 'Idle', reception_count: 0, allocated_cost: 0 },
        ],
        removed_sub_accounts: { reception_count: 50, allocated_cost: 0.5 },
        total: { reception_count: 450, allocated_cost: 4.5 },
      },
    ]);
  });

  it('needs its own scope', async () => {
    expect((await family.call('GET', '/usage', { scopes: ['sub-accounts:read'] })).status).toBe(403);
    expect((await family.call('GET', '/usage', { scopes: ['sub-accounts:usage'] })).status).toBe(200);
  });
});
