import { newId } from '@postmesh/contracts';
import { testDatabase } from '@postmesh/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFamily, type Family } from './testing/family.js';

// proven again: requests to other services, services that are down, and the row of a change for gateways
const database = testDatabase();
let family: Family;

beforeAll(async () => {
  family = await startFamily(database.url);
});
afterAll(() => family.accounts.stop());

const call: Family['call'] = (...request) => family.call(...request);

describe('§10.3 reading sub-accounts', () => {
  it('shows domains, members and activity, with one question to each neighbour for a whole page', async () => {
    const [one, two] = [await family.child(), await family.child()];
    family.neighbours.domains.set('one.test', { owner: one, id: newId() });
    family.neighbours.domains.set('two.test', { owner: one, id: newId() });
    family.neighbours.activity.set(two, '2026-01-01T00:00:00.000Z');
    await family.sql(
      `insert into members (account_id, user_id, role, created_at, updated_at)
       select $1, owner_id, 'Developer', now(), now() from accounts where id = $1`,
      [two],
    );
    family.neighbours.asked.length = 0;
    const { body } = await call('GET', '?limit=2');
    expect(family.neighbours.asked.toSorted()).toEqual([
      'POST /internal/accounts/activity',
      'POST /internal/domains/counts',
    ]);
    expect(body.data).toMatchObject([
      { id: two, domain_count: 0, member_count: 1, last_activity_at: '2026-01-01T00:00:00.000Z' },
      { id: one, domain_count: 2, member_count: 0, last_activity_at: null },
    ]);
    expect((await call('GET', `/${one}`)).body).toEqual(body.data[1]);
  });

  it('leaves the activity and the counts of messages to a gateway that fills them in', async () => {
    const child = await family.child();
    family.neighbours.activity.set(child, '2026-01-01T00:00:00.000Z');
    family.neighbours.usage.set(child, 3);
    family.neighbours.asked.length = 0;
    const headers = { 'x-figures': 'later' };
    const answers = [
      await call('GET', '?limit=1', { headers }),
      await call('GET', `/${child}`, { headers }),
      await call('POST', `/${child}/unsuspend`, { headers }),
    ];
    expect(answers.map(({ body }) => (body.data?.[0] ?? body).last_activity_at)).toEqual([null, null, null]);
    expect((await call('GET', '/usage', { headers })).body.total.reception_count).toBe(0);
    expect(new Set(family.neighbours.asked)).toEqual(new Set(['POST /internal/domains/counts']));
    const used = { [child]: 3 };
    const path = `/internal/accounts/${family.parent}/usage-report`;
    const report = await family.accounts.internal('POST', path, { period: '2024-02', used });
    expect(report.body).toMatchObject({
      billing_period: { start: '2024-02-01T00:00:00.000Z', end: '2024-03-01T00:00:00.000Z' },
      total: { reception_count: 3 },
    });
    expect(report.body.sub_accounts).toContainEqual(
      expect.objectContaining({ account_id: child, reception_count: 3 }),
    );
    expect((await family.accounts.internal('POST', path, { period: '2024-13', used })).status).toBe(400);
  });

  it('fails when another service is down, and then changes nothing', async () => {
    const child = await family.child();
    family.neighbours.away = true;
    const answers = [
      await call('GET', ''),
      await call('GET', `/${child}`),
      await call('GET', '/usage'),
      await call('PUT', `/${child}`, { body: { name: 'Other' } }),
      await call('POST', `/${child}/suspend`, { body: { reason: 'x' } }),
    ];
    family.neighbours.away = false;
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503]);
    expect((await call('GET', `/${child}`)).body).toMatchObject({ name: 'Acme', status: 'active' });
  });
});

describe('§10.4 rule 6 a new credit', () => {
  it('is written for every gateway to read', async () => {
    const child = await family.child();
    const [before] = await family.sql('select coalesce(max(revision), 0) as at from key_changes');
    await call('PUT', `/${child}`, { body: { monthly_credit: 9 } });
    const dropped = await family.sql('select account_ids from key_changes where revision > $1', [before.at]);
    expect(dropped).toEqual([{ account_ids: [child] }]);
  });
});

describe('requests of other services', () => {
  const ask = (parent: string, child: string) =>
    family.accounts.internal('GET', `/internal/accounts/${parent}/sub-accounts/${child}`);

  it('returns the parent of a child', async () => {
    const child = await family.child();
    const known = await ask(family.parent, child);
    expect([known.status, known.body]).toEqual([
      200,
      { account_id: child, parent_account_id: family.parent },
    ]);
    expect((await ask(newId(), child)).status).toBe(404);
    await call('DELETE', `/${child}`);
    expect((await ask(family.parent, child)).status).toBe(404);
    expect((await ask(family.parent, 'nonsense')).status).toBe(400);
  });
});
