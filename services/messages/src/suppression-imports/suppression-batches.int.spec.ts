import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { memberOf } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import {
  PERMANENT,
  startSuppressions,
  type SuppressionsUnderTest,
} from '../testing/suppressions-under-test.js';

const database = testDatabase();
let under: SuppressionsUnderTest;

beforeAll(async () => {
  under = await startSuppressions(database.url);
});
afterAll(() => under?.stop());

const batch = async (account: string, data: object[], step: '' | '/preview' = '') => {
  const principal = memberOf(account, step === '' ? 'Developer' : 'Analyst');
  const given = await under.call('POST', `/console/api/suppression-batches${step}`, {
    principal,
    body: { data },
  });
  expect([given.status, given.body.message]).toEqual([200, undefined]);
  const { created, extended, unchanged, rejected, done, errors } = given.body;
  return { counts: [created, extended, unchanged, rejected], done, errors };
};
const rowsOf = (account: string) =>
  under.sql<{ email: string; domain: string; reason: string; protected: boolean; expires_at: Date }>(
    `select email, domain, reason, protected, expires_at, message_id from suppressions
     where account_id = $1 order by email, domain`,
    [account],
  );
const list = async (account: string, query = '') =>
  (
    await under.call('GET', `/console/api/suppressions${query}`, {
      principal: memberOf(account, 'Analyst'),
    })
  ).body.data;

const SOON = new Date(Date.now() + 86_400_000).toISOString();
const LATER = new Date(Date.now() + 9 * 86_400_000).toISOString();

describe('an import of suppressions by a member', () => {
  it('from a file of another service keeps its causes: complaints stay protected', async () => {
    const account = under.account('a.test');
    const { status, body } = await under.call('POST', '/console/api/suppression-batches/translation', {
      principal: memberOf(account, 'Analyst'),
      body: {
        service: 'sendgrid',
        form: 'spam_reports',
        columns: ['email', 'created'],
        rows: [
          ['ann@mail.test', '1700000000'],
          ['nonsense', '1700000000'],
        ],
      },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ object: 'suppression_translation', errors: [{ position: 1 }] });
    await batch(
      account,
      body.entries.map(({ position: _position, ...entry }: { position: number }) => entry),
    );
    expect(await rowsOf(account)).toMatchObject([{ email: 'ann@mail.test', protected: true }]);
  });

  it('has the effect that its dry run reported, and none when it is repeated', async () => {
    const account = under.account('a.test', 'b.test');
    await batch(account, [
      { email: 'ann@mail.test', domain: 'a.test', expires_at: SOON },
      { email: 'old@mail.test', domain: 'a.test' },
    ]);
    const before = await rowsOf(account);
    const file = [
      { email: 'Ann@MAIL.test', domain: 'a.test', expires_at: LATER, reason: 'Asked' },
      { email: 'old@mail.test', domain: 'a.test', expires_at: SOON },
      { email: 'new@mail.test', reason: 'FBL Complaint Report', created_at: '2024-05-06T07:08:09Z' },
      { email: 'nonsense' },
      { email: 'x@mail.test', domain: 'foreign.test' },
      { email: 'y@mail.test', expires_at: '2020-01-01T00:00:00Z' },
    ];
    const expected = {
      counts: [1, 1, 1, 3],
      done: 6,
      errors: [
        { position: 3, reason: 'email is not a valid email address' },
        { position: 4, reason: 'domain not found: foreign.test' },
        { position: 5, reason: 'expires_at must be in the future' },
      ],
    };
    expect(await batch(account, file, '/preview')).toEqual(expected);
    expect(await rowsOf(account)).toEqual(before);
    expect(await batch(account, file)).toEqual(expected);
    const after = await rowsOf(account);
    expect(after.map(({ email, domain }) => `${email} ${domain}`)).toEqual([
      'ann@mail.test a.test',
      'new@mail.test a.test',
      'new@mail.test b.test',
      'old@mail.test a.test',
    ]);
    for (const step of ['/preview', ''] as const) {
      expect((await batch(account, file, step)).counts).toEqual([0, 0, 3, 3]);
      expect(await rowsOf(account)).toEqual(after);
    }
    expect(await list(account, '?email=new@mail.test&domain=b.test')).toMatchObject([
      { created_at: '2024-05-06T07:08:09.000Z', source: 'import', protected: true, message_id: null },
    ]);
  });

  it("never weakens the recipient's own decision, and keeps the message behind it", async () => {
    const account = under.account('a.test');
    const messageId = newId();
    await under.sql(
      `insert into suppressions (account_id, domain, email, id, reason, protected, source, created_at, expires_at, message_id)
       values ($1, 'a.test', 'ann@mail.test', $2, 'FBL Complaint Report', true, 'recipient', now(), $3, $4)`,
      [account, newId(), PERMANENT, messageId],
    );
    const before = await rowsOf(account);
    const given = { email: 'ann@mail.test', domain: 'a.test', expires_at: SOON, reason: 'On request' };
    expect((await batch(account, [given])).counts).toEqual([0, 0, 1, 0]);
    expect((await batch(account, [{ ...given, expires_at: PERMANENT }])).counts).toEqual([0, 0, 1, 0]);
    expect(await rowsOf(account)).toEqual(before);
    expect(await list(account)).toMatchObject([
      { email: 'ann@mail.test', message_id: messageId, source: 'recipient' },
    ]);
  });

  it('of entries for all of many domains is worked on in parts', async () => {
    const account = under.account(...Array.from({ length: 1_200 }, (_, n) => `d${n}.test`));
    const file = Array.from({ length: 7 }, (_, n) => ({ email: `r${n}@mail.test`, domain: '*' }));
    const first = await batch(account, file);
    expect([first.done, first.counts]).toEqual([5, [5, 0, 0, 0]]);
    expect((await batch(account, file.slice(first.done))).counts).toEqual([2, 0, 0, 0]);
    expect(await rowsOf(account)).toHaveLength(8_400);
  });

  it('is refused to roles that may not write suppressions, and has up to a thousand entries', async () => {
    const account = under.account('a.test');
    const ask = async (role: 'Analyst' | 'Developer', data: unknown) => {
      const { status, body } = await under.call('POST', '/console/api/suppression-batches', {
        principal: memberOf(account, role),
        body: { data },
      });
      return [status, body.message];
    };
    const many = Array.from({ length: 1_001 }, () => ({ email: 'a@mail.test' }));
    expect((await ask('Analyst', [{ email: 'a@mail.test' }]))[0]).toBe(403);
    expect(await ask('Developer', many)).toEqual([400, 'data must have at most 1000 items']);
    expect(await ask('Developer', [])).toEqual([400, 'data must have at least 1 items']);
    expect(await rowsOf(account)).toEqual([]);
  });
});
