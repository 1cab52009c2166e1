import { KeyLookupResponse } from '@postmesh/accounts-contract';
import { Pepper } from '@postmesh/secrets';
import { testDatabase } from '@postmesh/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFamily, type Family } from './testing/family.js';

// proven again: concurrent requests, entries of the audit, and the events that other services get
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

  it('rule 1 happens once for concurrent requests', async () => {
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

  it('rule 3 reaches a child that is made in the very moment of it', async () => {
    const made = await Promise.all([
      ...Array.from({ length: 5 }, () => create({})),
      operate(`accounts/${family.parent}/suspend`, { reason: 'unpaid' }),
      ...Array.from({ length: 5 }, () => create({})),
    ]);
    const ids = made.flatMap(({ body }) => (body.object === 'sub_account' ? [body.id] : []));
    await expect.poll(() => ids.map((id) => states(id).at(-1))).toEqual(ids.map(() => 'parent-suspended'));
    await operate(`accounts/${family.parent}/resume`);
    await expect.poll(() => ids.map((id) => states(id).at(-1))).toEqual(ids.map(() => 'active'));
  });
});

describe('§10.4 rule 5 deleting a sub-account', () => {
  it('happens once for concurrent requests, with one event', async () => {
    const child = await family.child();
    const answers = await Promise.all([1, 2, 3].map(() => call('DELETE', `/${child}`)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404]);
    await expect.poll(() => states(child)).toEqual(['active', 'deleted']);
  });

  it('rejects its keys from then on, also those made concurrently', async () => {
    const gone = await family.child();
    const create = () =>
      call('POST', `/${gone}/api-keys`, { body: { label: 'Production', scopes: ['lists:read'] } });
    const { body: before } = await create();
    expect(await family.sql('select created_by from api_keys where id = $1', [before.id])).toEqual([
      { created_by: null },
    ]);
    const [made, deleted] = await Promise.all([create(), call('DELETE', `/${gone}`)]);
    expect(deleted.status).toBe(200);
    expect(await lookUp(before.secret_key)).toEqual([]);
    if (made.status === 201) expect(await lookUp(made.body.secret_key)).toEqual([]);
    else expect([made.status, made.body]).toEqual([404, { message: 'sub account not found' }]);
  });
});

async function lookUp(secret: string) {
  const pepper = family.accounts.service.get(Pepper);
  const hashes = pepper.candidates(secret).map((hash) => hash.toString('base64'));
  const { body } = await family.accounts.internal('POST', '/internal/keys/lookup', { hashes });
  return KeyLookupResponse.parse(body).keys;
}
