import { newId } from '@postmesh/contracts';
import { testDatabase } from '@postmesh/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCampaigns, type CampaignsUnderTest } from '../testing/campaigns-under-test.js';

const database = testDatabase();
let under: CampaignsUnderTest;
let account: string;
beforeAll(async () => {
  under = await startCampaigns(database.url);
  account = under.account();
});
afterAll(() => under.stop());

const HTML = '<p>Hi <a href="{{ unsubscribe_url }}">stop</a></p>';
const call = (method: 'GET' | 'POST' | 'PUT', rest = '', body?: unknown, headers = {}) =>
  under.campaigns(account, method, rest, body, { headers });
async function made(body: object = {}) {
  const response = await call('POST', '', { name: 'Spring', ...body });
  expect([response.status, response.body.message]).toEqual([201, undefined]);
  return response.body;
}
const read = async (id: string) => (await call('GET', `/${id}`)).body;
async function copyOf(id: string, body?: unknown) {
  const response = await call('POST', `/${id}/duplicate`, body);
  expect([response.status, response.body.message]).toEqual([201, undefined]);
  return response.body;
}

describe('spec 3-marketing §3.2 duplicate', () => {
  it('spec 3-marketing §3.2 D1, D4, D5, D7: of a source in any status the copy is a draft of its own', async () => {
    const lists = [await under.list(account), await under.list(account), await under.list(account)];
    const source = await made({
      subject: 'S',
      preheader: 'P',
      from: { email: 'a@shop.test', name: 'A' },
      reply_to: 'b@other.test',
      list_ids: lists,
      content: { html: HTML, text: 'By hand {{ unsubscribe_url }}' },
    });
    await under.sql('update lists set deleted_at = now() where id = $1', [lists[1]]);
    for (const status of ['draft', 'scheduled', 'paused', 'sent', 'canceled']) {
      await under.sql(
        `update campaigns set status = $2, status_reason = 'r', send_at = now(), send_resumes_at = now(),
           finished_at = now() where id = $1`,
        [source.id, status],
      );
      const before = await read(source.id);
      const copy = await copyOf(source.id);
      expect(copy).toEqual({
        ...source,
        id: expect.not.stringMatching(source.id),
        created_at: expect.any(String),
        updated_at: copy.created_at,
        name: 'Copy of Spring',
        list_ids: [lists[0], lists[2]],
        ready: true,
        issues: [],
      });
      expect(await read(source.id)).toEqual(before);
      expect(await read(copy.id)).toEqual(copy);
    }
    const copy = await copyOf(source.id);
    await call('PUT', `/${copy.id}`, { content: { html: '<p>Other</p>', text: null } });
    expect((await read(source.id)).content).toEqual(source.content);
  });

  it('spec 3-marketing §3.2 D2: the body is optional and holds a name or nothing', async () => {
    const source = await made();
    for (const body of [undefined, {}, { name: null }]) {
      expect((await copyOf(source.id, body)).name).toBe('Copy of Spring');
    }
    expect((await copyOf(source.id, { name: ' Mine ' })).name).toBe('Mine');
    for (const [body, message] of [
      [{ name: ' ' }, 'name must not be empty'],
      [{ name: 'x'.repeat(256) }, 'name must be at most 255 characters'],
      [{ name: 1 }, 'name must be a string'],
      [{ subject: 'S' }, 'unknown field: subject'],
      [[], 'invalid request body'],
    ] as const) {
      const response = await call('POST', `/${source.id}/duplicate`, body);
      expect([response.status, response.body.message]).toEqual([400, message]);
    }
  });

  it('spec 3-marketing §3.2 D3: a generated name is cut to 255 characters', async () => {
    const source = await made({ name: `${'😀'.repeat(246)} b${'x'.repeat(7)}` });
    const copy = await copyOf(source.id);
    expect(copy.name).toBe(`Copy of ${'😀'.repeat(246)} `);
    expect((await copyOf((await copyOf((await made()).id)).id)).name).toBe('Copy of Copy of Spring');
  });

  it('spec 3-marketing §3.2 D6: lists and senders that the source has lost are not copied', async () => {
    const list = await under.list(account);
    const domain_id = newId();
    under.domains.set('gone.test', { domain_id });
    const source = await made({ from: { email: 'a@gone.test' }, reply_to: 'b@gone.test', list_ids: [list] });
    await under.sql(`update campaigns set status = 'sent' where id = $1`, [source.id]);
    await under.sql('update lists set deleted_at = now() where id = $1', [list]);
    await under.domainChanged(account, 'gone.test', true);
    under.domains.delete('gone.test');
    expect(await read(source.id)).toMatchObject({
      from: null,
      reply_to: 'b@gone.test',
      updated_at: source.updated_at,
    });
    expect(await copyOf(source.id)).toMatchObject({
      from: null,
      reply_to: 'b@gone.test',
      list_ids: [],
      editor: null,
      content: null,
    });
    // added again it is another domain
    under.domains.set('gone.test', { domain_id: newId() });
    expect((await copyOf(source.id)).from).toBeNull();
  });

  it('spec 3-marketing §3.2 D6: a bad sender is an issue of the copy', async () => {
    under.domains.set('bad.test', { domain_id: newId() });
    const source = await made({ from: { email: 'a@bad.test' } });
    under.domains.set('bad.test', { ...under.domains.get('bad.test'), dns_valid: false });
    await under.domainChanged(account, 'bad.test');
    const copy = await copyOf(source.id);
    expect(copy.from).toEqual({ email: 'a@bad.test', name: '' });
    expect(copy.issues).toContainEqual(expect.objectContaining({ code: 'sender_domain_invalid' }));
  });

  it('spec 3-marketing §3.2 D7: an unknown campaign is 404, and a key makes one copy', async () => {
    const source = await made();
    const unknown = await call('POST', `/${newId()}/duplicate`);
    expect([unknown.status, unknown.body.message]).toEqual([404, 'campaign not found']);
    const headers = { 'idempotency-key': newId() };
    const first = await call('POST', `/${source.id}/duplicate`, { name: 'Once' }, headers);
    const again = await call('POST', `/${source.id}/duplicate`, { name: 'Once' }, headers);
    expect([again.status, again.text]).toEqual([201, first.text]);
    const bare = { 'idempotency-key': newId() };
    const unnamed = await call('POST', `/${source.id}/duplicate`, undefined, bare);
    expect((await call('POST', `/${source.id}/duplicate`, undefined, bare)).text).toBe(unnamed.text);
    expect((await call('GET', '?name=Once')).body.data).toHaveLength(1);
  });
});
