import { newId } from '@postmesh/contracts';
import { SuppressionsPage, type ListedSuppression } from '@postmesh/messages-contract';
import { testDatabase } from '@postmesh/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startSuppressions, type SuppressionsUnderTest } from '../testing/suppressions-under-test.js';

const database = testDatabase();
let under: SuppressionsUnderTest;

beforeAll(async () => {
  under = await startSuppressions(database.url);
});
afterAll(() => under?.stop());
beforeEach(() => under.sql('truncate suppressions'));

/** @param rows SQL expressions of `nth`, 1… */
const insert = (
  count: number,
  { account = `'${newId()}'`, domain = `'shop.test'`, email = `'r' || nth || '@mail.test'` },
) =>
  under.sql(
    `insert into suppressions (account_id, domain, email, id, reason, protected, source, created_at, expires_at)
     select (${account})::uuid, ${domain}, ${email}, gen_random_uuid(), '', false, 'api', now(), now() + interval '1 hour'
     from generate_series(1, $1) as nth`,
    [count],
  );

async function page(after?: string): Promise<SuppressionsPage> {
  const query = after === undefined ? '' : `?after=${after}`;
  const { status, body } = await under.internal('GET', `/internal/suppressions${query}`);
  expect(status).toBe(200);
  return SuppressionsPage.parse(body);
}

async function pages(): Promise<ListedSuppression[][]> {
  const read: ListedSuppression[][] = [];
  for (let after: string | null | undefined = undefined; after !== null && read.length < 10;) {
    const { suppressions, next }: SuppressionsPage = await page(after);
    read.push(suppressions);
    after = next;
  }
  return read;
}

describe('the pages of all suppressions', () => {
  it('have each row once, a thousand each, in bytewise order', async () => {
    await insert(1_500, { account: 'gen_random_uuid()' });
    await insert(1_000, { domain: `'d' || nth % 7 || '.test'`, email: `'R-_a.' || nth || '@mail.test'` });
    const read = await pages();
    expect(read.map((rows) => rows.length)).toEqual([1_000, 1_000, 500]);
    const places = read.flat().map((row) => `${row.account_id}\0${row.domain}\0${row.recipient}`);
    expect(places).toEqual([...new Set(places)].sort());
  });

  it('end with the last full one when no row follows', async () => {
    await insert(1_000, {});
    expect((await pages()).map((rows) => rows.length)).toEqual([1_000, 0]);
  });

  it('leave out expired rows, and have all other fields for a copy', async () => {
    const account = newId();
    await insert(2, { account: `'${account}'` });
    await under.sql(
      `update suppressions set expires_at = now() - interval '1 second' where email like 'r1@%'`,
    );
    const { suppressions, next } = await page();
    expect(next).toBeNull();
    expect(suppressions).toEqual([
      {
        account_id: account,
        domain: 'shop.test',
        recipient: 'r2@mail.test',
        expires_at: expect.any(String),
        revision: expect.any(Number),
      },
    ]);
  });

  it.each(['x', 'W10', Buffer.from('["a","b","c"]').toString('base64url')])(
    'are refused from %s',
    async (after) => {
      const { status } = await under.internal('GET', `/internal/suppressions?after=${after}`);
      expect(status).toBe(400);
    },
  );
});
