import { newId, Transient } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/http';
import { ApiCall } from '@postmesh/service-host';
import { testDatabase } from '@postmesh/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { TEMPLATE_LANGUAGE } from '@postmesh/templates';
import { startCampaigns, type CampaignsUnderTest } from '../testing/campaigns-under-test.js';
import { RecheckContents } from './recheck-contents.js';

const database = testDatabase();
let under: CampaignsUnderTest;
let account: string;
beforeAll(async () => {
  under = await startCampaigns(database.url);
});
afterAll(() => under.stop());
beforeEach(() => {
  account = under.account();
  under.domains.clear();
  under.domains.set('shop.test', {});
});

const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', rest = '', body?: unknown) =>
  under.campaigns(account, method, rest, body);
async function made(body: object = {}) {
  const response = await call('POST', '', { name: 'Spring', ...body });
  expect([response.status, response.body.message]).toEqual([201, undefined]);
  return response.body;
}
const codes = (campaign: { issues: { code: string }[] }) => campaign.issues.map(({ code }) => code);
const refused = async (body: object) => {
  const response = await call('POST', '', { name: 'Spring', ...body });
  return [response.status, response.body.message];
};
const HTML = '<p>Hi {{ first_name }} <a href="{{ unsubscribe_url }}">stop</a></p>';

describe('spec 3-marketing §3.2 create', () => {
  it('spec 3-marketing §3.1, §4.1 T1: a create with only a name is a draft with four issues', async () => {
    const campaign = await made({ name: '  Spring  ' });
    expect(campaign).toEqual({
      object: 'campaign',
      id: expect.any(String),
      created_at: expect.any(String),
      updated_at: campaign.created_at,
      name: 'Spring',
      subject: null,
      preheader: null,
      from: null,
      reply_to: null,
      status: 'draft',
      status_reason: null,
      send_at: null,
      send_resumes_at: null,
      finished_at: null,
      list_ids: [],
      editor: null,
      content: null,
      ready: false,
      issues: [
        { code: 'subject_missing', message: 'the campaign has no subject' },
        { code: 'sender_missing', message: 'the campaign has no sender' },
        { code: 'lists_missing', message: 'the campaign has no list' },
        { code: 'content_missing', message: 'the campaign has no content' },
      ],
    });
    expect((await call('GET', `/${campaign.id}`)).body).toEqual(campaign);
  });

  it('spec 3-marketing §3.2 a create with everything is ready', async () => {
    const [first, second] = [await under.list(account), await under.list(account, 0)];
    const campaign = await made({
      subject: ' Sale\r\nnow ',
      preheader: 'Read\nme',
      from: { email: ' News@Shop.TEST ' },
      reply_to: ' Help@Other.test',
      list_ids: [second, first, second.toUpperCase()],
      content: { html: `\r\n${HTML}\r\n` },
    });
    expect(campaign).toMatchObject({
      subject: 'Sale now',
      preheader: 'Read me',
      from: { email: 'news@shop.test', name: '' },
      reply_to: 'help@other.test',
      list_ids: [second, first],
      editor: 'html',
      content: {
        html: `\n${HTML}\n`,
        text: 'Hi {{ first_name }} stop ({{ unsubscribe_url }})',
        text_is_custom: false,
      },
      ready: true,
      issues: [],
    });
    expect((await call('GET', `/${campaign.id}`)).body).toEqual(campaign);
  });

  it('spec 3-marketing §3.2 a campaign template is copied, and later changes of it have no effect', async () => {
    const id = newId();
    await under.sql(
      `insert into campaign_templates (id, account_id, created_at, updated_at, name, editor, mjml, html, text, text_is_custom)
       values ($1, $2, now(), now(), 'T', 'advanced', '<mjml/>', $3, 'Mine {{ unsubscribe_url }}', true)`,
      [id, account, HTML],
    );
    const campaign = await made({ template_id: id });
    const content = { mjml: '<mjml/>', text: 'Mine {{ unsubscribe_url }}', text_is_custom: true };
    expect(campaign).toMatchObject({ editor: 'advanced', content });
    expect(codes(campaign)).not.toContain('unsubscribe_link_missing');
    await under.sql('delete from campaign_templates where id = $1', [id]);
    expect((await call('GET', `/${campaign.id}`)).body).toEqual(campaign);
    expect(await refused({ template_id: id })).toEqual([404, 'template not found']);
    expect(await refused({ template_id: id, content: { html: HTML } })).toEqual([
      400,
      'template_id and content cannot be given together',
    ]);
  });

  it('spec 3-marketing §3.2 a bad body is refused with the field that is wrong, and makes no campaign', async () => {
    const list = await under.list(account);
    const foreign = await under.list(under.account());
    const many = Array.from({ length: 51 }, () => newId());
    const noSender = 'from.email must be on one of your domains with valid DNS records';
    under.domains.set('broken.test', { dns_valid: false }).set('paused.test', { paused: true });
    for (const [body, message] of [
      [{ tags: [] }, 'unknown field: tags'],
      [{ id: newId() }, 'unknown field: id'],
      [{ editor: 'html' }, 'unknown field: editor'],
      [{ name: null }, 'name must be a string'],
      [{ name: '  ' }, 'name must not be empty'],
      [{ name: '😀'.repeat(256) }, 'name must be at most 255 characters'],
      [{ subject: 'x'.repeat(999) }, 'subject must be at most 998 characters'],
      [{ preheader: 'x'.repeat(501) }, 'preheader must be at most 500 characters'],
      [{ subject: '{{ a' }, /^subject holds a \{\{, \{% or \{# that cannot be rendered/],
      [{ preheader: '{% if %}' }, /^preheader holds a/],
      [{ from: { email: 'nobody' } }, 'from.email is not a valid email address'],
      [{ from: { email: 'a@shop.test', name: 'x'.repeat(256) } }, 'from.name must be at most 255 characters'],
      [{ from: { email: 'a@shop.test', title: '' } }, 'unknown field: from.title'],
      [{ from: { email: 'a@unknown.test' } }, noSender],
      [{ from: { email: 'a@broken.test' } }, noSender],
      [{ from: { email: 'a@paused.test' } }, noSender],
      [{ reply_to: 'nobody' }, 'reply_to is not a valid email address'],
      [{ reply_to: '上海@else.test' }, 'reply_to must be an ASCII address'],
      [{ reply_to: { email: 'a@shop.test' } }, 'reply_to must be a string'],
      [{ list_ids: ['x'] }, 'list_ids[0] is invalid (a UUID such as 01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01)'],
      [{ list_ids: many }, 'list_ids must have at most 50 items'],
      [{ list_ids: [list, foreign] }, `list ${foreign} not found`],
      [{ template_id: 'x' }, 'template_id is invalid (a UUID such as 01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01)'],
      [{ content: null }, 'content must be an object'],
      [{ content: {} }, 'content must have mjml, html or text'],
      [{ content: { text: 'Hi' } }, /^content must have mjml or html/],
      [{ content: { html: ' ' } }, 'content.html must not be empty'],
      [{ content: { html: '<p>{{ a</p>' } }, /^content.html holds a/],
      [{ content: { html: '<img src="http://x.test/a.png">' } }, /^content.html/],
      [{ content: { mjml: '<mjml><mj-body><mj-nothing/></mj-body></mjml>' } }, /^content.mjml line 1/],
    ] as const) {
      expect(await refused(body), JSON.stringify(body).slice(0, 80)).toEqual([
        400,
        typeof message === 'string' ? message : expect.stringMatching(message),
      ]);
    }
    expect((await call('GET')).body.data).toEqual([]);
  });

  it('spec 3-marketing §3.2 255 emoji are a name, and 50 lists after merging are enough', async () => {
    const lists = await Promise.all(Array.from({ length: 50 }, () => under.list(account, 0)));
    const campaign = await made({ name: '😀'.repeat(255), list_ids: [...lists, ...lists] });
    expect(campaign.list_ids).toEqual(lists);
    expect(codes(campaign)).toContain('lists_empty');
  });
});

describe('spec 3-marketing §3.2 reading', () => {
  it('spec 3-marketing §3.2 a list omits lists, content and issues, and has all three pagination keys', async () => {
    const list = await under.list(account);
    const ready = await made({
      subject: 'S',
      from: { email: 'a@shop.test', name: 'Shop' },
      list_ids: [list],
      content: { html: HTML },
    });
    const other = await made();
    const { list_ids: _lists, content: _content, issues: _issues, ...shown } = ready;
    const page = await call('GET', '?limit=1');
    expect(page.body).toEqual({
      object: 'list',
      data: [expect.objectContaining({ id: other.id, ready: false, editor: null })],
      pagination: { has_more: true, next_cursor: expect.any(String), previous_cursor: null },
    });
    const next = await call('GET', `?after=${page.body.pagination.next_cursor}`);
    expect(next.body.data).toEqual([shown]);
    expect(shown).toMatchObject({
      ready: true,
      editor: 'html',
      from: { email: 'a@shop.test', name: 'Shop' },
    });
  });

  it('spec 3-marketing §3.2 filters narrow the list by status, name and time', async () => {
    const spring = await made({ name: 'Spring 100%_\\' });
    const autumn = await made({ name: 'Autumn' });
    await under.sql(`update campaigns set status = 'sent', finished_at = now() where id = $1`, [autumn.id]);
    const third = await made({ name: 'Winter' });
    await under.sql(`update campaigns set status = 'paused' where id = $1`, [third.id]);
    const ids = async (query: string) =>
      (await call('GET', query)).body.data.map(({ id }: { id: string }) => id);
    expect(await ids('?status=sent')).toEqual([autumn.id]);
    expect(await ids('?status=sent&status=paused')).toEqual([third.id, autumn.id]);
    expect(await ids('?status=&name=')).toHaveLength(3);
    for (const part of ['sPRing', '%25', '_', '%5C', ' spring ']) {
      expect(await ids(`?name=${part}`)).toEqual([spring.id]);
    }
    expect(await ids(`?from_time=${third.created_at}`)).toContain(third.id);
    expect(await ids(`?to_time=${spring.created_at}`)).toContain(spring.id);
    expect(await ids('?from_time=2999-01-01T00:00:00Z')).toEqual([]);
    for (const [query, message] of [
      ['?status=draft,sent', /^invalid status/],
      ['?status=sent&status=x', /^invalid status/],
      ['?from_time=yesterday', /^invalid from_time/],
      ['?from_time=2026-02-01T00:00:00Z&to_time=2026-01-01T00:00:00Z', /^from_time must not be after/],
      ['?limit=0', /^limit must be/],
      ['?after=x', /^invalid cursor/],
    ] as const) {
      const response = await call('GET', query);
      expect([response.status, response.body.message]).toEqual([400, expect.stringMatching(message)]);
    }
  });

  it('spec 3-marketing §3.2 an unknown campaign and one of another account are 404, a malformed id is 400', async () => {
    const campaign = await made();
    const gone = await call('GET', `/${newId()}`);
    expect([gone.status, gone.body.message]).toEqual([404, 'campaign not found']);
    const foreign = await under.campaigns(under.account(), 'GET', `/${campaign.id}`);
    expect([foreign.status, foreign.body.message]).toEqual([404, 'campaign not found']);
    const malformed = await call('GET', '/x');
    expect([malformed.status, malformed.body.message]).toEqual([400, 'invalid campaign_id']);
  });
});

describe('spec 3-marketing §3.3 issues', () => {
  it('spec 3-marketing §3.3 a sender is checked when the campaign is read', async () => {
    const campaign = await made({ from: { email: 'a@shop.test' } });
    const sender = async () => {
      const { body } = await call('GET', `/${campaign.id}`);
      const [listed] = (await call('GET')).body.data;
      expect(listed.from).toEqual(body.from);
      return [body.from, codes(body).filter((code) => code.startsWith('sender'))];
    };
    const from = { email: 'a@shop.test', name: '' };
    const changed = (facts: object) => {
      under.domains.set('shop.test', facts);
      return under.domainChanged(account, 'shop.test');
    };
    expect(await sender()).toEqual([from, []]);
    await changed({ dns_valid: false, paused: true });
    expect(await sender()).toEqual([from, ['sender_domain_invalid', 'sender_domain_paused']]);
    await changed({ domain_id: newId() });
    expect(await sender()).toEqual([null, ['sender_missing']]);
    under.domains.delete('shop.test');
    expect(await sender()).toEqual([null, ['sender_missing']]);
  });

  it('spec 3-marketing §3.3, §5.3: lists and content are checked, and a campaign that is no draft has no issues', async () => {
    const list = await under.list(account, 0);
    const campaign = await made({
      list_ids: [list],
      content: { html: '<p>unsubscribe_url {# {{ unsubscribe_url }} #}</p>' },
    });
    expect(codes(campaign)).toEqual([
      'subject_missing',
      'sender_missing',
      'lists_empty',
      'unsubscribe_link_missing',
    ]);
    await under.sql(`update campaigns set status = 'scheduled' where id = $1`, [campaign.id]);
    expect((await call('GET', `/${campaign.id}`)).body).toMatchObject({ ready: null, issues: null });
    expect((await call('GET')).body.data).toEqual([expect.objectContaining({ ready: null })]);
  });
});

describe('spec 3-marketing §3.3 issues of a content stored with another template language', () => {
  const stale = (id: string, language: string | null) =>
    under.sql('update campaigns set content_issues = $2, content_language = $3 where id = $1', [
      id,
      ['content_unrenderable'],
      language,
    ]);
  const recheck = () => under.service.get(RecheckContents).run(new AbortController().signal);

  it('are determined again, and the draft stays unchanged', async () => {
    const campaign = await made({ content: { html: HTML } });
    await stale(campaign.id, 'of the release before');
    await recheck();
    expect((await call('GET', `/${campaign.id}`)).body).toEqual(campaign);
    await stale(campaign.id, TEMPLATE_LANGUAGE);
    await recheck();
    expect(codes((await call('GET', `/${campaign.id}`)).body)).toContain('content_unrenderable');
  });

  it('spec 3-marketing §3.2 send: are determined under the lock, not taken from the row', async () => {
    const list = await under.list(account);
    const ready = {
      subject: 'S',
      from: { email: 'news@shop.test' },
      list_ids: [list],
      content: { html: HTML },
    };
    const campaign = await made(ready);
    await under.sql(
      `update campaigns set html = html || '{{ x|gone_filter }}', content_language = $2 where id = $1`,
      [campaign.id, TEMPLATE_LANGUAGE],
    );
    const { status, body } = await call('POST', `/${campaign.id}/send`);
    expect([status, body.message]).toEqual([
      400,
      'campaign is not ready: content_unrenderable, unsubscribe_link_missing',
    ]);
  });
});

it('a preview is given up by the messages service when its client has disconnected', async () => {
  const { id } = await made();
  const left = AbortSignal.abort(new Transient('the client has disconnected'));
  vi.spyOn(ApiCall.prototype, 'signal', 'get').mockReturnValueOnce(left);
  const rendering = vi.spyOn(under.service.get(InternalClient), 'request');
  expect(await call('POST', `/${id}/preview`, {})).toMatchObject({ status: 503 });
  const [[service, request] = []] = rendering.mock.calls;
  expect([service, request?.signal]).toEqual(['messages', left]);
  vi.restoreAllMocks();
});

describe('spec 3-marketing §3.2 delete', () => {
  it('spec 3-marketing §4.1 T2: a draft is deleted with its design, its lists stay', async () => {
    const list = await under.list(account);
    const campaign = await made({ list_ids: [list], content: { html: HTML } });
    const gone = await call('DELETE', `/${campaign.id}`);
    expect([gone.status, gone.body]).toEqual([
      200,
      { message: `campaign ${campaign.id} (Spring) deleted successfully` },
    ]);
    expect((await call('GET', `/${campaign.id}`)).status).toBe(404);
    expect((await call('DELETE', `/${campaign.id}`)).body.message).toBe('campaign not found');
    expect(await under.sql('select id from lists where id = $1', [list])).toHaveLength(1);
  });

  it('spec 3-marketing §3.2 only a draft can be deleted', async () => {
    const campaign = await made();
    for (const status of ['validating', 'scheduled', 'sending', 'sent', 'failed']) {
      await under.sql('update campaigns set status = $2 where id = $1', [campaign.id, status]);
      const response = await call('DELETE', `/${campaign.id}`);
      expect([response.status, response.body.message]).toEqual([409, 'campaign is not a draft']);
    }
    expect((await call('GET', `/${campaign.id}`)).status).toBe(200);
  });
});

it('campaigns and imports that have changed are given to the stream of the console', async () => {
  const { id } = await made();
  const changes = async (seconds: number, of = account) => {
    const since = new Date(Date.now() - seconds * 1_000).toISOString();
    const { body } = await under.internal('GET', `/internal/accounts/${of}/recent-changes?since=${since}`);
    return body.changes as object[];
  };
  expect(await changes(60)).toEqual([{ kind: 'campaign', id, state: 'draft', at: expect.any(String) }]);
  await under.sql(`update campaigns set updated_at = now() - interval '1 hour' where id = $1`, [id]);
  expect(await changes(60)).toEqual([]);
  // its counters move while it is being sent, and its row does not
  await under.sql(`update campaigns set status = 'sending' where id = $1`, [id]);
  expect(await changes(60)).toMatchObject([{ id, state: 'sending' }]);
  await under.sql(
    `insert into contact_imports (id, account_id, operator, format, columns, state, worked_at)
     values ($1, $2, 'ops', 'csv', '{email}', 'waiting', now())`,
    [newId(), account],
  );
  expect(await changes(60)).toContainEqual(expect.objectContaining({ kind: 'import', state: 'waiting' }));
  expect(await changes(7_200, newId())).toEqual([]);
});
