import { testDatabase } from '@postmesh/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFamily, type Family } from './testing/family.js';

const database = testDatabase();
let family: Family;

beforeAll(async () => {
  family = await startFamily(database.url);
});
afterAll(() => family.accounts.stop());

const call: Family['call'] = (...request) => family.call(...request);
const create = (body: object, more: object = {}) =>
  call('POST', '', { body: { name: 'Acme', website: 'acme.test', ...body }, ...more });
const operate = (path: string, body?: unknown) => family.accounts.internal('POST', `/operator/${path}`, body);
const states = (id: string) => family.states(id);

describe('§10.4 suspension', () => {
  const suspend = (child: string, reason = 'spam') => call('POST', `/${child}/suspend`, { body: { reason } });
  const unsuspend = (child: string) => call('POST', `/${child}/unsuspend`);
  const stored = async (child: string) => {
    const [row] = await family.sql(
      'select suspended_by, suspension_reason, suspended_at is not null as at from accounts where id = $1',
      [child],
    );
    return row;
  };

  it('rule 1, 2 keeps reason, time and actor of the first one, and ends', async () => {
    const child = await family.child();
    expect((await suspend(child, ' spam ')).body.status).toBe('suspended');
    expect((await suspend(child, 'more spam')).body.status).toBe('suspended');
    expect(await stored(child)).toEqual({ suspended_by: 'parent', suspension_reason: 'spam', at: true });
    const resumed = await unsuspend(child);
    expect([resumed.status, resumed.body.status]).toEqual([200, 'active']);
    expect([(await unsuspend(child)).status, await stored(child)]).toEqual([
      200,
      { suspended_by: null, suspension_reason: null, at: false },
    ]);
    const entries = await family.sql(
      'select action, actor_kind, details from audit_entries where subject_id = $1 order by id',
      [child],
    );
    expect(entries.slice(1)).toEqual([
      { action: 'account.suspend', actor_kind: 'api-key', details: { reason: 'spam' } },
      { action: 'account.resume', actor_kind: 'api-key', details: {} },
    ]);
    await expect.poll(() => states(child)).toEqual(['active', 'suspended', 'active']);
  });

  it.each([
    [{}, 'reason is required'],
    [{ reason: ' ' }, 'reason must not be empty'],
    [{ reason: 'é'.repeat(501) }, 'reason must be at most 500 characters'],
    [{ reason: 'x', status: 'x' }, 'unknown field: status'],
  ])('refuses %j', async (body, message) => {
    const refused = await call('POST', `/${await family.child()}/suspend`, { body });
    expect([refused.status, refused.body]).toEqual([400, { message }]);
  });

  it('rule 1 happens once when many ask at once', async () => {
    const child = await family.child();
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((reason) => suspend(child, reason)));
    expect(answers.map(({ status, body }) => [status, body.status])).toEqual(
      Array.from({ length: 4 }, () => [200, 'suspended']),
    );
    const entries = await family.sql(
      `select details ->> 'reason' as reason from audit_entries where subject_id = $1 and action = 'account.suspend'`,
      [child],
    );
    expect(entries).toEqual([{ reason: (await stored(child)).suspension_reason }]);
  });

  it.each([
    ['suspend', 'resume'],
    ['block', 'unblock'],
  ])('rule 2 does not lift what the operator did: %s', async (begin, end) => {
    const child = await family.child();
    await operate(`accounts/${child}/${begin}`, { reason: 'abuse' });
    const refused = await unsuspend(child);
    expect([refused.status, refused.body]).toEqual([
      403,
      { message: 'this sub account was paused by the service operator' },
    ]);
    expect((await call('GET', `/${child}`)).body.status).toBe('suspended');
    await operate(`accounts/${child}/${end}`);
    expect((await call('GET', `/${child}`)).body.status).toBe('active');
  });

  it("rule 3 shows the parent's suspension, which unsuspending does not lift", async () => {
    const [child, own] = [await family.child(), await family.child()];
    await suspend(own);
    await operate(`accounts/${family.parent}/suspend`, { reason: 'unpaid' });
    const born = await create({});
    const shown = async (id: string) => (await call('GET', `/${id}`)).body.status;
    expect([await shown(child), await shown(own), born.body.status]).toEqual([
      'parent-suspended',
      'suspended',
      'parent-suspended',
    ]);
    const tried = await unsuspend(child);
    expect([tried.status, tried.body.status]).toEqual([200, 'parent-suspended']);
    expect((await unsuspend(own)).body.status).toBe('parent-suspended');
    await operate(`accounts/${family.parent}/resume`);
    expect([await shown(child), await shown(own), await shown(born.body.id)]).toEqual([
      'active',
      'active',
      'active',
    ]);
    await expect.poll(() => states(born.body.id)).toEqual(['parent-suspended', 'active']);
  });

  it('rule 3 reaches a child that is made in the very moment of it', async () => {
    const made = await Promise.all([
      ...Array.from({ length: 5 }, () => create({})),
      operate(`accounts/${family.parent}/suspend`, { reason: 'unpaid' }),
      ...Array.from({ length: 5 }, () => create({})),
    ]);
    const ids = made.flatMap(({ body }) => (body.object === 'sub_account' ? [body.id] : []));
    await expect.poll(() => ids.map((id) => states(id).at(-1))).toEqual(ids.map(() => 'parent-suspended'));
    await operate(`accounts/${family.parent}/resume`);
  });
});

describe('§10.4 rule 5 deleting a sub-account', () => {
  it.each([
    ['active', () => Promise.resolve()],
    ['suspended', (id: string) => call('POST', `/${id}/suspend`, { body: { reason: 'x' } })],
    ['paused by the operator', (id: string) => operate(`accounts/${id}/suspend`, { reason: 'x' })],
  ])('that is %s is final', async (_state, prepare) => {
    const child = await family.child();
    await prepare(child);
    const gone = await call('DELETE', `/${child}`);
    expect([gone.status, gone.body]).toEqual([200, { message: 'sub account deleted' }]);
    const after = await Promise.all([
      call('GET', `/${child}`),
      call('PUT', `/${child}`, { body: { name: 'x' } }),
      call('POST', `/${child}/suspend`, { body: { reason: 'x' } }),
      call('POST', `/${child}/unsuspend`),
      call('GET', `/${child}/api-keys`),
      call('POST', `/${child}/api-keys`, { body: { label: 'k', scopes: ['lists:read'] } }),
      call('DELETE', `/${child}`),
    ]);
    expect(after.map(({ status, body }) => [status, body.message])).toEqual(
      after.map(() => [404, 'sub account not found']),
    );
    const { body } = await call('GET', '');
    expect(body.data.map((one: { id: string }) => one.id)).not.toContain(child);
    await expect.poll(() => states(child).at(-1)).toBe('deleted');
  });

  it('happens once when many ask at once', async () => {
    const child = await family.child();
    const answers = await Promise.all([1, 2, 3].map(() => call('DELETE', `/${child}`)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404]);
  });
});
