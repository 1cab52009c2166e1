import { describe, expect, it } from 'vitest';
import { noteOf, noteOfBody } from './audit-note.rules.js';

const account = '0B6F4A52-7C1D-4E0F-8A39-61B2C7D8E9F0';
const thing = '1b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0';
const lower = account.toLowerCase();
const note = (method: string, path: string, body?: unknown, query = '') =>
  noteOf({ operator: 'oncall', method, path, query: new URLSearchParams(query), body });

describe('the audit entry of an action', () => {
  it.each([
    [`domains/accounts/${account}/settings`, 'domains/accounts/{account_id}/settings', lower, lower],
    [`domains/accounts/${account}/x/${thing}`, 'domains/accounts/{account_id}/x/{id}', lower, thing],
    [`messages/things/${thing}`, 'messages/things/{id}', null, thing],
    ['dead-letters/replay', 'dead-letters/replay', null, null],
    ['domains/domains/a%2Fb.test/unpause', 'domains/domains/a/b.test/unpause', null, null],
    [
      `domains/accounts/${account}/domains/shop.test/pause`,
      'domains/accounts/{account_id}/domains/{domain}/pause',
      lower,
      lower,
    ],
    ['domains/domains/shop.test', 'domains/domains/{domain}', null, null],
    ['accounts/jobs/retry', 'accounts/jobs/retry', null, null],
    ['domains/%zz', 'domains/%zz', null, null],
    ['domains/a%00b', 'domains/a\ufffdb', null, null],
  ])('%s is named', (path, action, account_id, subject_id) => {
    const expected = {
      operator: 'oncall',
      action: `PUT ${action}`,
      account_id,
      subject_id,
      details: { path },
    };
    expect(note('PUT', path)).toEqual(expected);
  });

  it('is bounded', () => {
    const long = note('POST', 'x'.repeat(5_000), { text: 'y'.repeat(5_000) }, `q=${'z'.repeat(5_000)}`);
    expect(long.action).toHaveLength(200);
    expect(JSON.stringify(long).length).toBeLessThan(1_100);
    const fields = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`field${at}`, at]));
    expect(Object.keys(noteOfBody(fields) as object)).toHaveLength(50);
  });

  it('has the query as its details', () => {
    expect(note('DELETE', 'messages/x', undefined, 'domain=a.test').details).toEqual({
      path: 'messages/x',
      query: 'domain=a.test',
    });
  });

  it.each([
    [
      { domain_limit: 50, dns_mode: null },
      { domain_limit: 50, dns_mode: null },
    ],
    [
      { stream: 'messages', ids: ['a', 'b'] },
      { stream: 'messages', ids: '[2 items]' },
    ],
    [{ nested: { private: 'x' } }, { nested: '{1 fields}' }],
    [
      { dkim_private_key: 'x', Password: 'y', secret: null },
      { dkim_private_key: '[hidden]', Password: '[hidden]', secret: null },
    ],
    [['a'], '[1 items]'],
    ['text', 'text'],
    [{ 'a\u0000': 'b\u0000\ud800' }, { 'a\ufffd': 'b\ufffd\ufffd' }],
    [`${'x'.repeat(199)}😀`, `${'x'.repeat(199)}\ufffd`],
    [null, null],
  ])('keeps of the body %j', (body, kept) => {
    expect(noteOfBody(body)).toEqual(kept);
  });
});
