import { createHash } from 'node:crypto';
import { newId, type AccountId } from '@postmesh/contracts';
import { testDatabase } from '@postmesh/testing';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSignUps, type SignUpsUnderTest } from '../sign-ups/testing/sign-ups-under-test.js';
import { recordConsents, type NewConsent } from './consent-records.js';

const database = testDatabase();
let marketing: SignUpsUnderTest;
beforeAll(async () => {
  marketing = await startSignUps(database.url);
});
afterAll(() => marketing?.stop());

const TEXT = 'I want the news.';

async function newContact(accountId: AccountId, email: string): Promise<string> {
  const made = await marketing.call('POST', `/v2/accounts/${accountId}/contacts`, {
    account_id: accountId,
    body: { email },
  });
  return made.body.id;
}
const record = (accountId: AccountId, consents: readonly Partial<NewConsent>[]) =>
  marketing.service.get(DataSource).transaction((tx) =>
    recordConsents(
      tx,
      accountId,
      consents.map((one) => ({
        ...{ contactId: newId(), listId: newId(), action: 'granted', way: 'form', text: TEXT },
        ...{ email: 'ann@mail.test', ip: '203.0.113.9', at: new Date() },
        ...one,
      })),
    ),
  );
const verify = async (accountId: AccountId, after = '') =>
  (await marketing.console(accountId, 'GET', `/consents/verification${after && `?after=${after}`}`)).body;
const all = async (accountId: AccountId) =>
  (await marketing.console(accountId, 'GET', '/consents')).body.data;

describe('the chain of consents', () => {
  it('is whole with concurrent writers, and each account has its own', async () => {
    const [account, other] = [marketing.account(), marketing.account()];
    expect(await verify(account)).toMatchObject({ last: 0, has_more: false, problem: null });
    await Promise.all([
      record(account, [{}, {}]),
      record(other, [{}]),
      record(account, [{}]),
      record(account, [{ action: 'withdrawn' }, {}]),
    ]);
    expect(await verify(account)).toMatchObject({ last: 5, has_more: false, problem: null });
    expect(await verify(other)).toMatchObject({ last: 1, problem: null });
    expect((await all(account)).map(({ seq }: { seq: number }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect(await verify(account, '3')).toMatchObject({ last: 5, problem: null });
    expect((await marketing.console(account, 'GET', '/consents/verification?after=9')).status).toBe(400);
  });

  it.each([
    [
      'a changed address',
      `update consent_records set details = jsonb_set(details, '{email}', '"eve@mail.test"')`,
      2,
    ],
    ['a changed time', `update consent_records set at = at - interval '1 year'`, 2],
    ['another text', `update consent_records set text_digest = repeat('0', 64)`, 2],
    ['a removed record', 'delete from consent_records', 2],
    ['a removed end', 'delete from consent_records', 3],
  ])('shows %s', async (_, sql, seq) => {
    const account = marketing.account();
    await record(account, [{}, {}, {}]);
    await marketing.sql(`${sql} where account_id = $1 and seq = $2`, [account, seq]);
    const { last, problem } = await verify(account);
    expect([last, problem]).toEqual([seq - 1, expect.stringMatching(/record [23]/)]);
  });

  it('is verified by anyone from its export, as the documentation says', async () => {
    const account = marketing.account();
    await record(account, [{}, { action: 'withdrawn', way: 'preferences' }]);
    let hash = Buffer.alloc(32);
    for (const row of await all(account)) {
      const sha = (text: string) => createHash('sha256').update(text).digest('hex');
      expect(sha(JSON.stringify([row.salt, row.email, row.ip]))).toBe(row.details_digest);
      expect(sha(TEXT)).toBe(row.text_digest);
      const fields = [
        row.seq,
        row.contact_id,
        row.list_id,
        row.action,
        row.way,
        row.form_id,
        row.text_version,
      ];
      const line = JSON.stringify([...fields, row.text_digest, row.at, row.details_digest]);
      hash = createHash('sha256').update(hash).update(line).digest();
      expect(hash.toString('hex')).toBe(row.hash);
    }
  });

  it('is still whole without the person of a deleted contact', async () => {
    const account = marketing.account();
    const contactId = await newContact(account, 'gone@mail.test');
    await record(account, [{ contactId, email: 'gone@mail.test' }, {}]);
    const path = `/contacts/${contactId}/consents`;
    expect((await marketing.console(account, 'GET', path)).body.data).toMatchObject([
      { email: 'gone@mail.test' },
    ]);
    expect((await marketing.console(marketing.account(), 'GET', path)).status).toBe(404);
    const contact = `/v2/accounts/${account}/contacts/${contactId}`;
    expect((await marketing.call('DELETE', contact, { account_id: account })).status).toBe(200);
    expect((await marketing.console(account, 'GET', path)).status).toBe(404);
    expect((await all(account))[0]).toMatchObject({ email: null, ip: null, salt: null });
    expect(await verify(account)).toMatchObject({ last: 2, problem: null });
  });
});
