import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { LinkTokens, type UnsubscribeLink } from '@postmesh/public-links';
import { testDatabase } from '@postmesh/testing';
import { AddSuppressions } from '../suppressions/add-suppressions.js';
import type { SuppressionCause } from '../suppressions/suppression.rules.js';
import {
  PERMANENT,
  startSuppressions,
  type SuppressionsUnderTest,
} from '../testing/suppressions-under-test.js';

const database = testDatabase();
let under: SuppressionsUnderTest;
let origin: string;

beforeAll(async () => {
  under = await startSuppressions(database.url);
  origin = `http://127.0.0.1:${await under.service.listen('127.0.0.1', 0)}`;
});
afterAll(() => under?.stop());

const FORM = 'application/x-www-form-urlencoded';
const ONE_CLICK = 'List-Unsubscribe=One-Click';

function tokenOf(given: Partial<UnsubscribeLink> = {}): string {
  const about = { messageId: newId(), accountId: newId(), domain: 'shop.test', recipient: 'ann@mail.test' };
  return under.service.get(LinkTokens).sign({ kind: 'unsubscribe', ...about, ...given });
}

const get = (token: string) => fetch(`${origin}/public/u/${token}`);
const post = (token: string, body: string | FormData | Buffer<ArrayBuffer>, type?: string) =>
  fetch(`${origin}/public/u/${token}`, {
    method: 'POST',
    body,
    redirect: 'manual',
    ...(type === undefined ? {} : { headers: { 'content-type': type } }),
  });
const rowsOf = (accountId: string) =>
  under.sql<{ revision: string }>('select * from suppressions where account_id = $1 order by domain', [
    accountId,
  ]);

describe('the link (spec 2-messages §12 rule 2)', () => {
  it('shows a page that must not be cached, indexed or framed, and changes nothing', async () => {
    const accountId = newId();
    const response = await get(tokenOf({ accountId }));
    expect(response.status).toBe(200);
    const headers = Object.fromEntries(response.headers);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex, nofollow',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; style-src 'sha256-/),
    });
    expect(headers).not.toHaveProperty('set-cookie');
    const page = await response.text();
    expect(page).toContain('ann@mail.test');
    expect(page).toContain('shop.test');
    expect(await rowsOf(accountId)).toEqual([]);
  });
});

describe('the form (spec 2-messages §12 rule 3)', () => {
  it('suppresses, and shows the same page again without a second row', async () => {
    const accountId = newId();
    const messageId = newId();
    const token = tokenOf({ accountId, messageId });
    const pages = [await post(token, 'confirm=1', FORM), await post(token, 'confirm=1', FORM)];
    expect(pages.map(({ status }) => status)).toEqual([200, 200]);
    const [first, second] = await Promise.all(pages.map((page) => page.text()));
    expect(first).toContain('You are unsubscribed');
    expect(second).toBe(first);
    expect(await rowsOf(accountId)).toMatchObject([{ message_id: messageId }]);
  });
});

describe('one-click (spec 2-messages §12 rule 4)', () => {
  it.each([
    ['urlencoded', ONE_CLICK, FORM],
    ['multipart', undefined, undefined],
  ])('%s is 200 and empty', async (_how, text, type) => {
    const accountId = newId();
    const form = new FormData();
    form.set('List-Unsubscribe', 'One-Click');
    const response = await post(tokenOf({ accountId }), text ?? form, type);
    expect([response.status, await response.text()]).toEqual([200, '']);
    for (const name of ['location', 'set-cookie', 'www-authenticate'])
      expect(response.headers.get(name)).toBeNull();
    expect(await rowsOf(accountId)).toHaveLength(1);
  });

  it.each([
    ['another value', 'List-Unsubscribe=Yes', FORM],
    ['no button', 'confirm=0', FORM],
    ['nothing', '', FORM],
    ['JSON', '{"List-Unsubscribe":"One-Click"}', 'application/json'],
    ['a text', ONE_CLICK, 'text/plain'],
    ['no type', Buffer.from(ONE_CLICK), undefined],
  ])('%s is 400', async (_what, body, type) => {
    const accountId = newId();
    expect((await post(tokenOf({ accountId }), body, type)).status).toBe(400);
    expect(await rowsOf(accountId)).toEqual([]);
  });

  it('a large body is refused unread', async () => {
    expect((await post(tokenOf(), 'x'.repeat(70_000), FORM)).status).toBe(413);
  });
});

describe('the effect (spec 2-messages §12 rule 5)', () => {
  it('is a protected row without an end, published as created once', async () => {
    const accountId = newId();
    const token = tokenOf({ accountId });
    await post(token, ONE_CLICK, FORM);
    await post(token, 'confirm=1', FORM);
    const [row] = await rowsOf(accountId);
    expect(row).toMatchObject({
      domain: 'shop.test',
      email: 'ann@mail.test',
      reason: 'Unsubscribed',
      protected: true,
      source: 'recipient',
      expires_at: new Date(PERMANENT),
    });
    await post(tokenOf({ accountId, domain: 'other.test' }), ONE_CLICK, FORM);
    const told = await under.told.until(() => {
      const events = under.told.events.filter(({ account_id }) => account_id === accountId);
      return events.length > 1 && events;
    });
    expect(told).toMatchObject([
      { kind: 'created', domain: 'shop.test', reason: 'Unsubscribed', expires_at: PERMANENT },
      { kind: 'created', domain: 'other.test' },
    ]);
  });

  it('protects an existing row, and makes it permanent', async () => {
    const accountId = newId();
    const bounced = {
      ...{ accountId, domain: 'shop.test', email: 'ann@mail.test', reason: 'Too many hard bounces' },
      ...{
        protected: false,
        source: 'automatic',
        createdAt: new Date(),
        expiresAt: new Date(Date.now() + 60_000),
      },
    } as SuppressionCause;
    await under.service
      .get(DataSource)
      .transaction((tx) => under.service.get(AddSuppressions).execute(tx, [bounced]));
    await post(tokenOf({ accountId }), ONE_CLICK, FORM);
    expect(await rowsOf(accountId)).toMatchObject([
      { reason: 'Too many hard bounces', protected: true, expires_at: new Date(PERMANENT) },
    ]);
  });

  it('handles a burst for many accounts in few transactions, and loses none', async () => {
    const accounts = Array.from({ length: 5 }, () => newId());
    const tokens = Array.from({ length: 500 }, (_, nth) =>
      tokenOf({ accountId: accounts[nth % 5]!, recipient: `r${nth % 250}@mail.test` }),
    );
    const statuses = await Promise.all(
      tokens.map(async (token) => (await post(token, ONE_CLICK, FORM)).status),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    const counts = await Promise.all(accounts.map(async (account) => (await rowsOf(account)).length));
    expect(counts).toEqual([50, 50, 50, 50, 50]);
  });

  it('is none for a deleted account: the page is the same, nothing is stored', async () => {
    const accountId = newId();
    await under.sql('insert into deleted_accounts (account_id) values ($1)', [accountId]);
    const token = tokenOf({ accountId });
    expect((await get(token)).status).toBe(200);
    expect(await (await post(token, 'confirm=1', FORM)).text()).toContain('You are unsubscribed');
    expect((await post(token, ONE_CLICK, FORM)).status).toBe(200);
    expect(await rowsOf(accountId)).toEqual([]);
  });

  it('is none for a sandbox message', async () => {
    const accountId = newId();
    const token = tokenOf({ accountId, sandbox: true });
    expect((await post(token, ONE_CLICK, FORM)).status).toBe(200);
    expect(await rowsOf(accountId)).toEqual([]);
  });
});

describe('the way back', () => {
  const back = (token: string, body = 'back=all') =>
    fetch(`${origin}/public/r/${token}`, { method: 'POST', body, headers: { 'content-type': FORM } });

  it('lifts the suppression that the unsubscribe has made, also when it is taken twice', async () => {
    const accountId = newId();
    const token = tokenOf({ accountId });
    await post(token, 'confirm=1', FORM);
    const page = await fetch(`${origin}/public/r/${token}`);
    expect([page.status, (await page.text()).includes('Subscribe again')]).toEqual([200, true]);
    expect(await rowsOf(accountId)).toHaveLength(1);
    for (const answer of [await back(token), await back(token)])
      expect(await answer.text()).toContain('You are subscribed again');
    expect(await rowsOf(accountId)).toEqual([]);
    const told = await under.told.until(() => {
      const events = under.told.events.filter(({ account_id }) => account_id === accountId);
      return events.length > 1 && events;
    });
    expect(told.map(({ kind }) => kind)).toEqual(['created', 'removed']);
  });

  it.each(['confirm=1', ONE_CLICK, 'back=these', ''])('is not taken by the form %j', async (body) => {
    const accountId = newId();
    const token = tokenOf({ accountId });
    await post(token, 'confirm=1', FORM);
    expect((await back(token, body)).status).toBe(400);
    expect(await rowsOf(accountId)).toHaveLength(1);
  });

  it('does not lift what has another reason', async () => {
    const accountId = newId();
    const complained = {
      ...{ accountId, domain: 'shop.test', email: 'ann@mail.test', reason: 'Spam complaint' },
      ...{ protected: true, source: 'recipient', createdAt: new Date(), expiresAt: new Date(PERMANENT) },
    } as SuppressionCause;
    await under.service
      .get(DataSource)
      .transaction((tx) => under.service.get(AddSuppressions).execute(tx, [complained]));
    const token = tokenOf({ accountId });
    await post(token, 'confirm=1', FORM);
    expect(await (await back(token)).text()).toContain('This cannot be undone here');
    expect(await rowsOf(accountId)).toHaveLength(1);
    expect((await back('x')).status).toBe(404);
  });
});

describe('a bad token (spec 2-messages §12 rule 6)', () => {
  it('is a 404 page, with any request', async () => {
    const other = under.service.get(LinkTokens).sign({ kind: 'open', messageId: newId() });
    const good = tokenOf();
    for (const token of ['x', other, `${good.slice(0, -1)}${good.endsWith('A') ? 'B' : 'A'}`, `${good}A`]) {
      for (const response of [
        await get(token),
        await post(token, ONE_CLICK, FORM),
        await post(token, 'x', FORM),
      ]) {
        expect(response.status).toBe(404);
        expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
        expect(response.headers.get('x-robots-tag')).toContain('noindex');
        expect(await response.text()).toContain('This link does not work');
      }
    }
  });
});
