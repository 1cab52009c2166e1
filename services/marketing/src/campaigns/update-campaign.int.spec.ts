import { newId } from '@postmesh/contracts';
import { testDatabase } from '@postmesh/testing';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startCampaigns, type CampaignsUnderTest } from '../testing/campaigns-under-test.js';
import { CampaignsRepository } from './campaigns.repository.js';

const database = testDatabase();
let under: CampaignsUnderTest;
let account: string;
beforeAll(async () => {
  under = await startCampaigns(database.url);
  account = under.account();
});
afterAll(() => under.stop());

const HTML = '<p>Hi {{ first_name }} <a href="{{ unsubscribe_url }}">stop</a></p>';
const DERIVED = 'Hi {{ first_name }} stop ({{ unsubscribe_url }})';
const MJML = (inside: string) =>
  `<mjml><mj-body><mj-section><mj-column><mj-text>${inside}</mj-text></mj-column></mj-section></mj-body></mjml>`;

const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', rest = '', body?: unknown, headers = {}) =>
  under.campaigns(account, method, rest, body, { headers });
async function made(body: object = {}) {
  const response = await call('POST', '', { name: 'Spring', ...body });
  expect([response.status, response.body.message]).toEqual([201, undefined]);
  return response.body;
}
const read = async (id: string) => (await call('GET', `/${id}`)).body;
const put = async (id: string, body: unknown) => {
  const response = await call('PUT', `/${id}`, body);
  expect([response.status, response.body.message]).toEqual([200, undefined]);
  return response.body;
};
/** The API error of a request that changes nothing. */
async function refused(id: string, body: unknown) {
  const before = await read(id);
  const response = await call('PUT', `/${id}`, body);
  expect(await read(id)).toEqual(before);
  return [response.status, response.body.message];
}

describe('spec 3-marketing §3.2 update: fields', () => {
  it('spec 3-marketing §3.2 U1, §2.5: any other field is unknown, template_id, editor and segments too', async () => {
    const { id } = await made();
    for (const field of [
      'template_id',
      'editor',
      'segment_ids',
      'status',
      'send_at',
      'id',
      'ready',
      'tags',
    ]) {
      expect(await refused(id, { name: 'X', [field]: null })).toEqual([400, `unknown field: ${field}`]);
    }
  });

  it('spec 3-marketing §3.2 U2: an omitted field is neither changed nor checked', async () => {
    const list = await under.list(account);
    under.domains.set('later.test', { domain_id: newId() });
    const campaign = await made({
      subject: 'S',
      from: { email: 'a@later.test', name: 'A' },
      list_ids: [list],
      content: { html: HTML },
    });
    under.domains.set('later.test', { ...under.domains.get('later.test'), dns_valid: false });
    await under.domainChanged(account, 'later.test');
    const renamed = await put(campaign.id, { name: 'Renamed' });
    expect(renamed).toEqual({
      ...campaign,
      name: 'Renamed',
      updated_at: expect.any(String),
      ready: false,
      issues: [expect.objectContaining({ code: 'sender_domain_invalid' })],
    });
    expect(renamed.updated_at).not.toBe(campaign.updated_at);
  });

  it('spec 3-marketing §3.2 U3: a request with no field is 400, before the campaign is read', async () => {
    const { id } = await made();
    expect(await refused(id, {})).toEqual([400, 'no field to update']);
    expect((await call('PUT', `/${newId()}`, {})).status).toBe(400);
    expect((await call('PUT', `/${newId()}`, { name: 'X' })).status).toBe(404);
  });

  it('spec 3-marketing §3.2 U4: a campaign that is no draft is 409, with any fields', async () => {
    const { id } = await made();
    for (const status of [
      'validating',
      'waiting_for_review',
      'scheduled',
      'sending',
      'paused',
      'sent',
      'canceled',
      'failed',
    ]) {
      await under.sql('update campaigns set status = $2 where id = $1', [id, status]);
      for (const body of [
        { name: 'X' },
        { list_ids: [newId()] },
        { from: { email: 'a@unknown.test' } },
        { content: { html: '<p>{{ broken</p>' } },
      ]) {
        expect(await refused(id, body)).toEqual([409, 'campaign is not a draft']);
      }
    }
  });

  it('spec 3-marketing §3.2 U5, U6: a name is kept, the others are cleared by null and by an empty text', async () => {
    const { id } = await made({ subject: 'S', preheader: 'P', reply_to: 'a@other.test' });
    expect(await put(id, { name: '  Autumn ' })).toMatchObject({ name: 'Autumn' });
    for (const [name, message] of [
      [null, 'name must be a string'],
      ['  ', 'name must not be empty'],
      ['x'.repeat(256), 'name must be at most 255 characters'],
    ]) {
      expect(await refused(id, { name })).toEqual([400, message]);
    }
    const cleared = { subject: null, preheader: null, reply_to: null };
    expect(await put(id, { subject: '', preheader: ' ', reply_to: '' })).toMatchObject(cleared);
    await put(id, { subject: 'S', preheader: 'P', reply_to: 'a@other.test' });
    expect(await put(id, cleared)).toMatchObject(cleared);
  });

  it('spec 3-marketing §3.2 U7: null clears the sender and keeps the reply-to, a value is checked', async () => {
    const { id } = await made({ from: { email: 'a@shop.test', name: 'A' }, reply_to: 'help@other.test' });
    expect(await put(id, { from: null })).toMatchObject({ from: null, reply_to: 'help@other.test' });
    expect(await put(id, { from: { email: 'B@shop.test' } })).toMatchObject({
      from: { email: 'b@shop.test', name: '' },
      reply_to: 'help@other.test',
    });
    expect(await refused(id, { from: { email: 'a@unknown.test' } })).toEqual([
      400,
      'from.email must be on one of your domains with valid DNS records',
    ]);
  });

  it('spec 3-marketing §3.2 U8: list_ids replaces all lists in the given order', async () => {
    const [a, b, c] = [await under.list(account), await under.list(account), await under.list(account)];
    const { id } = await made({ list_ids: [a, b] });
    expect(await put(id, { list_ids: [c, b, c] })).toMatchObject({ list_ids: [c, b] });
    const gone = newId();
    await under.sql('update lists set deleted_at = now() where id = $1', [a]);
    for (const [list_ids, message] of [
      [[], 'list_ids must have at least 1 item'],
      [null, 'list_ids must be an array'],
      [Array.from({ length: 51 }, () => newId()), 'list_ids must have at most 50 items'],
      [[b, gone], `list ${gone} not found`],
      [[a], `list ${a} not found`],
    ] as const) {
      expect(await refused(id, { name: 'X', list_ids })).toEqual([400, message]);
    }
  });
});

describe('spec 3-marketing §3.2 update: content', () => {
  it('spec 3-marketing §3.2 U9: content works in the editor of the design', async () => {
    const html = await made({ content: { html: HTML } });
    expect(await refused(html.id, { content: { mjml: MJML('Hi') } })).toEqual([
      400,
      'content.mjml is for the editor advanced, not for html',
    ]);
    const mjml = await made({ content: { mjml: MJML('Hi') } });
    expect(mjml).toMatchObject({ editor: 'advanced', content: { mjml: MJML('Hi'), text: 'Hi' } });
    expect(await refused(mjml.id, { content: { html: HTML } })).toEqual([
      400,
      'content.html is for the editor html, not for advanced',
    ]);
  });

  it('spec 3-marketing §3.2 U10: the first design sets the editor, text alone is no design', async () => {
    const { id } = await made();
    const [status, message] = await refused(id, { content: { text: 'Hi' } });
    expect([status, message]).toEqual([400, expect.stringMatching(/^content must have mjml or html/)]);
    expect(await refused(id, { content: { mjml: MJML('<mj-x/>') } })).toEqual([
      400,
      expect.stringMatching(/^content.mjml line 1/),
    ]);
    expect(await put((await made()).id, { content: { mjml: MJML('Hi') } })).toMatchObject({
      editor: 'advanced',
      content: { mjml: MJML('Hi'), text: 'Hi', text_is_custom: false },
    });
    expect(await put(id, { content: { html: HTML } })).toMatchObject({ editor: 'html' });
  });

  it('spec 3-marketing §3.2 U11: of a simple design only the text can be written', async () => {
    const { id } = await made();
    await under.sql(`update campaigns set editor = 'simple', html = $2, text = $3 where id = $1`, [
      id,
      HTML,
      DERIVED,
    ]);
    for (const content of [{ html: HTML }, { mjml: MJML('Hi') }]) {
      expect((await refused(id, { content }))[0]).toBe(400);
    }
    expect(await put(id, { content: { text: 'Mine', text_is_custom: false } })).toMatchObject({
      editor: 'simple',
      content: { html: HTML, text: 'Mine', text_is_custom: true },
    });
  });

  it('spec 3-marketing §3.2 U12, U13: a hand-written text stays with a new design until text is null', async () => {
    const { id } = await made({ content: { html: HTML } });
    expect((await put(id, { content: { html: '<p>Two</p>' } })).content).toMatchObject({
      text: 'Two',
      text_is_custom: false,
    });
    await put(id, { content: { text: 'By hand' } });
    expect((await put(id, { content: { html: '<p>Three</p>' } })).content).toEqual({
      html: '<p>Three</p>',
      text: 'By hand',
      text_is_custom: true,
    });
    expect((await put(id, { content: { html: '<p>Four</p>', text: null } })).content).toEqual({
      html: '<p>Four</p>',
      text: 'Four',
      text_is_custom: false,
    });
    await put(id, { content: { text: 'By hand' } });
    expect((await put(id, { content: { text: null } })).content.text).toBe('Four');
    await under.sql(`update campaigns set html = null, text = 'x', text_is_custom = true where id = $1`, [
      id,
    ]);
    expect((await refused(id, { content: { text: null } }))[0]).toBe(400);
  });

  it('spec 3-marketing §3.2 U14: stored and given parts have to render', async () => {
    const { id } = await made({ content: { html: HTML } });
    await under.sql(`update campaigns set text = '{{ broken', text_is_custom = true where id = $1`, [id]);
    const holds = expect.stringMatching(/holds a \{\{, \{% or \{# that cannot be rendered/);
    for (const body of [
      { content: { html: '<p>New</p>' } },
      { content: { text: '{% if x %}' } },
      { content: { html: '<p>{{ broken</p>', text: 'fine' } },
      { subject: '{{ broken' },
      { preheader: '{# broken' },
    ]) {
      expect(await refused(id, body)).toEqual([400, holds]);
    }
    expect(await put(id, { content: { html: '<p>New</p>', text: null } })).toMatchObject({
      content: { text: 'New' },
    });
  });

  it('spec 3-marketing §3.2 U15: a text that equals the derived one is derived', async () => {
    const { id } = await made({ content: { html: HTML } });
    await put(id, { content: { text: 'By hand\r\nin two lines' } });
    expect((await read(id)).content).toMatchObject({ text: 'By hand\nin two lines', text_is_custom: true });
    const kept = await read(id);
    expect(await put(id, { content: kept.content })).toEqual(kept);
    expect((await put(id, { content: { text: DERIVED } })).content.text_is_custom).toBe(false);
    const { content } = await put(id, {
      content: { html: '<p>Two</p>', text: DERIVED, text_is_custom: true },
    });
    expect(content).toEqual({ html: '<p>Two</p>', text: 'Two', text_is_custom: false });
    expect(await refused(id, { content: { text: ' ' } })).toEqual([400, 'content.text must not be empty']);
    for (const none of [{}, null, { text_is_custom: true }]) {
      expect((await refused(id, { content: none }))[0]).toBe(400);
    }
  });

  it('spec 3-marketing §3.2 U16: stored content is not checked again, and an unchanged request changes nothing', async () => {
    const { id } = await made();
    const old = '<img src="http://old.test/a.png">';
    await under.sql(`update campaigns set editor = 'html', html = $2, text = 'Old' where id = $1`, [id, old]);
    const before = await read(id);
    expect(await put(id, { content: { html: old } })).toEqual(before);
    expect(await put(id, { content: before.content })).toEqual(before);
    expect((await refused(id, { content: { html: `${old} ` } }))[0]).toBe(400);
  });
});

describe('spec 3-marketing §3.2 update: as a whole', () => {
  it('spec 3-marketing §3.2 U17: concurrent changes wait for each other, and each is based on the newest state', async () => {
    const { id } = await made({ content: { html: HTML } });
    const list = await under.list(account);
    const holder = under.service.get(DataSource).createQueryRunner();
    await holder.startTransaction();
    await holder.query(
      `update campaigns set subject = 'first', html = '<p>first</p>', text = 'first' where id = $1`,
      [id],
    );
    const waiting = Promise.all([
      put(id, { name: 'second' }),
      put(id, { content: { html: '<p>third</p>' } }),
      put(id, { list_ids: [list] }),
    ]);
    await under.waiters(1);
    await holder.commitTransaction();
    await holder.release();
    await waiting;
    expect(await read(id)).toMatchObject({
      name: 'second',
      subject: 'first',
      content: { html: '<p>third</p>', text: 'third' },
      list_ids: [list],
    });
  });

  it('spec 3-marketing §3.2 U17: a change that would wait too long is 503, and its key can be used again', async () => {
    const { id } = await made();
    const campaigns = under.service.get(CampaignsRepository);
    const { lockWaitMs } = campaigns;
    campaigns.lockWaitMs = 300;
    onTestFinished(() => void (campaigns.lockWaitMs = lockWaitMs));
    const holder = under.service.get(DataSource).createQueryRunner();
    await holder.startTransaction();
    await holder.query('select from campaigns where id = $1 for update', [id]);
    const headers = { 'idempotency-key': newId() };
    const busy = await call('PUT', `/${id}`, { name: 'second' }, headers);
    expect([busy.status, busy.headers['retry-after']]).toEqual([503, '1']);
    await holder.rollbackTransaction();
    await holder.release();
    expect((await call('PUT', `/${id}`, { name: 'second' }, headers)).body.name).toBe('second');
  });

  it('spec 3-marketing §3.2 U18: an API error is stored for its key, also after the cause is gone', async () => {
    const { id } = await made({ name: 'Before' });
    const headers = { 'idempotency-key': newId() };
    const body = { name: 'After', from: { email: 'a@soon.test' } };
    const first = await call('PUT', `/${id}`, body, headers);
    expect(first.status).toBe(400);
    expect(await read(id)).toMatchObject({ name: 'Before', from: null });
    under.domains.set('soon.test', { domain_id: newId() });
    const again = await call('PUT', `/${id}`, body, headers);
    expect([again.status, again.body, again.headers['idempotent-replayed']]).toEqual([
      400,
      first.body,
      'true',
    ]);
    expect((await call('PUT', `/${id}`, { name: 'Other' }, headers)).status).toBe(422);
    expect(await put(id, body)).toMatchObject({ name: 'After', from: { email: 'a@soon.test' } });
  });

  it('spec 3-marketing §3.2 U18: a success is replayed as it was', async () => {
    const { id } = await made();
    const headers = { 'idempotency-key': newId() };
    const first = await call('PUT', `/${id}`, { name: 'Once' }, headers);
    await put(id, { name: 'Twice' });
    const again = await call('PUT', `/${id}`, { name: 'Once' }, headers);
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect((await read(id)).name).toBe('Twice');
  });

  it('spec 3-marketing §3.2 U19: a request that changes nothing keeps updated_at', async () => {
    const list = await under.list(account);
    const campaign = await made({
      subject: 'S',
      from: { email: 'a@shop.test', name: 'A' },
      reply_to: 'b@shop.test',
      list_ids: [list],
      content: { html: HTML },
    });
    const { name, subject, preheader, from, reply_to, list_ids, content } = campaign;
    const same = { name, subject, preheader, from, reply_to, list_ids, content };
    expect(await put(campaign.id, same)).toEqual(campaign);
  });
});
