import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  eventually,
  expectError,
  sharedInstallation,
  TIMESTAMP,
  unique,
  uniqueDomain,
  UUID_V7,
  type Account,
  type HttpResponse,
} from './harness.js';
import { ok } from './sender.js';

const postmesh = sharedInstallation();
let account: Account;
let domain: string;
let from: { email: string; name: string };
beforeAll(async () => {
  account = await postmesh.newAccount();
  domain = await postmesh.verifiedDomain(account);
  from = { email: `news@${domain}`, name: 'Shop' };
});

const HTML = '<p>Hi {{ first_name|default("you") }} <a href="{{ unsubscribe_url }}">stop</a></p>';
const TEXT = 'Hi {{ first_name|default("you") }} stop ({{ unsubscribe_url }})';
const MJML = (inside: string) =>
  `<mjml><mj-body><mj-section><mj-column><mj-text>${inside}</mj-text></mj-column></mj-section></mj-body></mjml>`;

const api = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  postmesh.api(account.key, method, `{A}/${path}`, { ...(body === undefined ? {} : { body }), headers });
const create = async (body: object = {}) =>
  ok(await api('POST', 'campaigns', { name: 'Spring', ...body }), 201);
const read = async (id: string) => ok(await api('GET', `campaigns/${id}`), 200);
const put = async (id: string, body: object) => ok(await api('PUT', `campaigns/${id}`, body), 200);
const copyOf = async (id: string, body?: object) =>
  ok(await api('POST', `campaigns/${id}/duplicate`, body), 201);
const list = async (): Promise<string> => ok(await api('POST', 'lists', { name: 'List' }), 201).id;
async function subscriber(listId: string): Promise<void> {
  const { email } = ok(await api('POST', 'contacts', { email: `${unique('ann')}@mail.test` }), 201);
  ok(await api('PUT', `lists/${listId}/contacts/${email}`, {}), 200);
}
const codes = (campaign: { issues: { code: string }[] }) => campaign.issues.map(({ code }) => code);
/** An error whose text begins like this, or is this. */
function expectApiError(response: HttpResponse, status: number, message: string | RegExp): void {
  const text = typeof message === 'string' ? message : expect.stringMatching(message);
  expect([response.status, response.body]).toEqual([status, { message: text }]);
}
/** As the state machine would; its own moves are tested with it. */
const become = (id: string, status: string) =>
  postmesh.sql('update marketing.campaigns set status = $2 where id = $1', [id, status]);
/** An API error changes nothing. */
async function refused(id: string, body: object, status: number, message: string | RegExp) {
  const before = await read(id);
  expectApiError(await api('PUT', `campaigns/${id}`, body), status, message);
  expect(await read(id)).toEqual(before);
}

describe('spec 3-marketing §3.2 create, list and get', () => {
  it('spec 3-marketing §3.1 §3.2 a create answers with the whole campaign, a list without lists, content and issues', async () => {
    const lists = [await list(), await list()];
    const campaign = await create({
      subject: ' Sale\nnow ',
      preheader: 'Only today',
      from,
      reply_to: 'Help@Other.test',
      list_ids: [lists[1], lists[0], lists[1]],
      content: { html: HTML },
    });
    const listed = {
      object: 'campaign',
      id: expect.stringMatching(UUID_V7),
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: campaign.created_at,
      name: 'Spring',
      subject: 'Sale now',
      preheader: 'Only today',
      from,
      reply_to: 'help@other.test',
      status: 'draft',
      status_reason: null,
      send_at: null,
      send_resumes_at: null,
      finished_at: null,
      editor: 'html',
      ready: false,
    };
    expect(campaign).toEqual({
      ...listed,
      list_ids: [lists[1], lists[0]],
      content: { html: HTML, text: TEXT, text_is_custom: false },
      issues: [{ code: 'lists_empty', message: "the campaign's lists have no subscribers" }],
    });
    expect(await read(campaign.id)).toEqual(campaign);
    const page = ok(await api('GET', 'campaigns?limit=1'), 200);
    expect(page.data).toEqual([listed]);
    expect(Object.keys(page.pagination)).toEqual(['has_more', 'next_cursor', 'previous_cursor']);
    const name = unique('Named%');
    const named = await create({ name });
    const filtered = ok(
      await api('GET', `campaigns?status=sent&status=draft&name=${encodeURIComponent(name)}`),
      200,
    );
    expect(filtered.data.map(({ id }: { id: string }) => id)).toEqual([named.id]);
    expectApiError(await api('GET', 'campaigns?status=open'), 400, /^invalid status/);
    expectError(await api('GET', 'campaigns/x'), 400, 'invalid campaign_id');
    expectError(await api('GET', `campaigns/${randomUUID()}`), 404, 'campaign not found');
  });

  it('spec 3-marketing §3.2 §5.1 a create that is wrong says how', async () => {
    const gone = randomUUID();
    for (const [body, status, message] of [
      [{ name: ' ' }, 400, 'name must not be empty'],
      [{ name: 'x', editor: 'html' }, 400, 'unknown field: editor'],
      [{ name: 'x', subject: '{{ a' }, 400, /^subject holds a/],
      [
        { name: 'x', from: { email: `a@${uniqueDomain()}` } },
        400,
        'from.email must be on one of your domains with valid DNS records',
      ],
      [{ name: 'x', list_ids: [gone] }, 400, `list ${gone} not found`],
      [{ name: 'x', template_id: gone }, 404, 'template not found'],
      [
        { name: 'x', template_id: gone, content: { html: HTML } },
        400,
        'template_id and content cannot be given together',
      ],
      [{ name: 'x', content: { text: 'Hi' } }, 400, /^content must have mjml or html/],
      [{ name: 'x', content: { html: '<img src="/a.png">' } }, 400, /^content.html/],
    ] as const) {
      expectApiError(await api('POST', 'campaigns', body), status, message);
    }
  });
});

describe('spec 3-marketing §3.2 update', () => {
  it('spec 3-marketing §2.5, §3.2 U1, U3, U5, U8: what is wrong with a request is told, and nothing changes', async () => {
    const { id } = await create();
    const gone = randomUUID();
    for (const [body, message] of [
      [{ template_id: gone }, 'unknown field: template_id'],
      [{ editor: 'html' }, 'unknown field: editor'],
      [{ segment_ids: [] }, 'unknown field: segment_ids'],
      [{}, 'no field to update'],
      [{ name: null }, 'name must be a string'],
      [{ name: ' ' }, 'name must not be empty'],
      [{ name: 'x'.repeat(256) }, 'name must be at most 255 characters'],
      [{ list_ids: [] }, /^list_ids must have/],
      [{ list_ids: null }, /^list_ids must be/],
      [{ name: 'Other', list_ids: [gone] }, `list ${gone} not found`],
    ] as const) {
      await refused(id, body, 400, message);
    }
    const lists = [await list(), await list()];
    expect(await put(id, { list_ids: [lists[1], lists[0], lists[1]] })).toMatchObject({
      list_ids: [lists[1], lists[0]],
    });
    expect(await put(id, { list_ids: [lists[0]], name: ' Other ' })).toMatchObject({
      name: 'Other',
      list_ids: [lists[0]],
    });
  });

  it('spec 3-marketing §3.2 U2, U6, U7, U19: fields are cleared and kept, and a request that changes nothing keeps updated_at', async () => {
    const campaign = await create({ subject: 'S', preheader: 'P', from, reply_to: 'a@b.test' });
    const { name, subject, preheader, reply_to } = campaign;
    expect(await put(campaign.id, { name, subject, preheader, from, reply_to })).toEqual(campaign);
    const cleared = await put(campaign.id, { subject: null, preheader: '', from: null });
    expect(cleared).toMatchObject({
      subject: null,
      preheader: null,
      from: null,
      reply_to: 'a@b.test',
      ready: false,
    });
    expect(codes(cleared)).toEqual(['subject_missing', 'sender_missing', 'lists_missing', 'content_missing']);
    expect(cleared.updated_at > campaign.updated_at).toBe(true);
    expect(await put(campaign.id, { reply_to: '', from: { email: from.email } })).toMatchObject({
      reply_to: null,
      from: { email: from.email, name: '' },
    });
  });

  it('spec 3-marketing §3.2 U4: what is not a draft is neither changed nor deleted', async () => {
    const { id } = await create();
    await become(id, 'sent');
    await refused(id, { name: 'Other' }, 409, 'campaign is not a draft');
    await refused(id, { from: { email: 'a@nowhere.test' } }, 409, 'campaign is not a draft');
    expectError(await api('DELETE', `campaigns/${id}`), 409, 'campaign is not a draft');
    expect(await read(id)).toMatchObject({ status: 'sent', ready: null, issues: null });
  });

  it('spec 3-marketing §3.2 U9, U10, U11: content is of the editor that the first design sets', async () => {
    const { id } = await create();
    await refused(id, { content: { text: 'Hi' } }, 400, /^content must have mjml or html/);
    await refused(
      id,
      { content: { mjml: '<mjml><mj-body><mj-x/></mj-body></mjml>' } },
      400,
      /^content.mjml line 1/,
    );
    expect(await put(id, { content: { mjml: MJML('Hi') } })).toMatchObject({
      editor: 'advanced',
      content: { mjml: MJML('Hi'), text: 'Hi', text_is_custom: false },
    });
    await refused(id, { content: { html: HTML } }, 400, /for the editor html/);
    const simple = await create();
    await postmesh.sql(
      "update marketing.campaigns set editor = 'simple', html = $2, text = '' where id = $1",
      [simple.id, HTML],
    );
    await refused(simple.id, { content: { html: '<p>Other</p>' } }, 400, /for the editor html/);
    expect((await put(simple.id, { content: { text: 'Hi', text_is_custom: false } })).content).toEqual({
      html: HTML,
      text: 'Hi',
      text_is_custom: true,
    });
  });

  it('spec 3-marketing §3.2 U12, U13, U14, U15, U16: a text by hand stays until it is given up, and has to render', async () => {
    const { id } = await create({ content: { html: HTML } });
    const content = async (given: object) => (await put(id, { content: given })).content;
    expect(await content({ html: '<p>Two</p>' })).toMatchObject({ text: 'Two', text_is_custom: false });
    expect(await content({ text: 'By\r\nhand' })).toMatchObject({ text: 'By\nhand', text_is_custom: true });
    const kept = await read(id);
    expect(await put(id, { content: kept.content })).toEqual(kept);
    expect(await content({ html: '<p>Three</p>' })).toMatchObject({ text: 'By\nhand', text_is_custom: true });
    expect(await content({ text: 'Three' })).toMatchObject({ text: 'Three', text_is_custom: false });
    await content({ text: 'By hand' });
    expect(await content({ html: '<p>Four</p>', text: null })).toMatchObject({
      text: 'Four',
      text_is_custom: false,
    });
    const unrenderable = /holds a \{\{, \{% or \{# that cannot be rendered/;
    for (const given of [{ text: '{{ broken' }, { html: '{% if %}' }]) {
      await refused(id, { content: given }, 400, unrenderable);
    }
    await postmesh.sql(
      "update marketing.campaigns set text = '{{ broken', text_is_custom = true where id = $1",
      [id],
    );
    await refused(id, { content: { html: '<p>Five</p>' } }, 400, unrenderable);
    await refused(id, { content: { text: ' ' } }, 400, 'content.text must not be empty');
  });

  it('spec 3-marketing §3.2 U17: changes at the same time are all made, each over the newest state', async () => {
    const { id } = await create();
    const listId = await list();
    await Promise.all([
      put(id, { name: 'Together' }),
      put(id, { subject: 'S' }),
      put(id, { preheader: 'P' }),
      put(id, { from }),
      put(id, { reply_to: 'a@b.test' }),
      put(id, { list_ids: [listId] }),
      put(id, { content: { html: HTML } }),
    ]);
    expect(await read(id)).toMatchObject({
      name: 'Together',
      subject: 'S',
      preheader: 'P',
      from,
      reply_to: 'a@b.test',
      list_ids: [listId],
      content: { html: HTML },
    });
  });

  it('spec 3-marketing §3.2 U18: an API error is stored for its key, a corrected request has another', async () => {
    const { id } = await create();
    const key = { 'idempotency-key': randomUUID() };
    const body = { name: 'Other', list_ids: [randomUUID()] };
    const first = await api('PUT', `campaigns/${id}`, body, key);
    expect(first.status).toBe(400);
    const again = await api('PUT', `campaigns/${id}`, body, key);
    expect([again.status, again.body, again.headers['idempotent-replayed']]).toEqual([
      400,
      first.body,
      'true',
    ]);
    expect(await read(id)).toMatchObject({ name: 'Spring', list_ids: [] });
    expect((await api('PUT', `campaigns/${id}`, { name: 'Other' }, key)).status).toBe(422);
    const made = await api('PUT', `campaigns/${id}`, { name: 'Other' }, { 'idempotency-key': randomUUID() });
    expect(made.body.name).toBe('Other');
  });
});

describe('spec 3-marketing §3.2 delete and duplicate', () => {
  it('spec 3-marketing §3.2 a draft is deleted for good, with the scope for it', async () => {
    const listId = await list();
    const { id } = await create({ list_ids: [listId] });
    const weak = await postmesh.newKey(account, { scopes: ['campaigns:write', 'campaigns:read'] });
    expectError(
      await postmesh.api(weak, 'DELETE', `{A}/campaigns/${id}`),
      403,
      'insufficient permissions for the required scope',
    );
    expect((await api('DELETE', `campaigns/${id}`)).body).toEqual({
      message: `campaign ${id} (Spring) deleted successfully`,
    });
    expectError(await api('DELETE', `campaigns/${id}`), 404, 'campaign not found');
    expect((await api('GET', `lists/${listId}`)).status).toBe(200);
  });

  it('spec 3-marketing §3.2 D1, D4, D5, D7: a copy of a source in any status is a draft of its own', async () => {
    const listId = await list();
    const source = await create({
      subject: 'S',
      preheader: 'P',
      from,
      reply_to: 'a@b.test',
      list_ids: [listId],
      content: { html: HTML, text: 'By hand' },
    });
    await postmesh.sql(
      `update marketing.campaigns set status = 'sent', status_reason = 'r', send_at = now(), finished_at = now()
       where id = $1`,
      [source.id],
    );
    const before = await read(source.id);
    const copy = await copyOf(source.id);
    expect(copy).toEqual({
      ...source,
      id: expect.stringMatching(UUID_V7),
      name: 'Copy of Spring',
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: copy.created_at,
    });
    expect(copy.id).not.toBe(source.id);
    await put(copy.id, { content: { html: '<p>Mine</p>', text: null } });
    expect(await read(source.id)).toEqual(before);
  });

  it('spec 3-marketing §3.2 D2, D3: the name is given, or made and cut to 255 characters', async () => {
    const source = await create({ name: 'x'.repeat(255) });
    expect((await copyOf(source.id)).name).toBe(`Copy of ${'x'.repeat(247)}`);
    expect((await copyOf(source.id, { name: ' Mine ' })).name).toBe('Mine');
    expect((await copyOf(source.id, {})).name).toMatch(/^Copy of x/);
    expectError(
      await api('POST', `campaigns/${source.id}/duplicate`, { name: '' }),
      400,
      'name must not be empty',
    );
    expectError(
      await api('POST', `campaigns/${source.id}/duplicate`, { tags: [] }),
      400,
      'unknown field: tags',
    );
    const key = { 'idempotency-key': randomUUID() };
    const first = await api('POST', `campaigns/${source.id}/duplicate`, undefined, key);
    expect((await api('POST', `campaigns/${source.id}/duplicate`, undefined, key)).body).toEqual(first.body);
    expectError(await api('POST', `campaigns/${randomUUID()}/duplicate`), 404, 'campaign not found');
  });

  it('spec 3-marketing §3.2 D6: a deleted domain and deleted lists are not copied, the reply-to is', async () => {
    const doomed = await postmesh.verifiedDomain(account);
    const listId = await list();
    const source = await create({ from: { email: `a@${doomed}` }, reply_to: 'a@b.test', list_ids: [listId] });
    await become(source.id, 'sent');
    expect((await api('DELETE', `lists/${listId}`)).status).toBe(200);
    expect((await api('DELETE', `domains/${doomed}`)).status).toBe(200);
    await eventually(async () => (await read(source.id)).from).toBe(null);
    expect(await read(source.id)).toMatchObject({
      reply_to: 'a@b.test',
      list_ids: [],
      updated_at: source.updated_at,
    });
    expect(await copyOf(source.id)).toMatchObject({
      from: null,
      reply_to: 'a@b.test',
      list_ids: [],
      editor: null,
      content: null,
    });
  });
});

describe('spec 3-marketing §3.3 issues', () => {
  it('spec 3-marketing §3.3, §5.3: reported in their order, each at most once, until the draft is ready', async () => {
    const listId = await list();
    const { id, ...campaign } = await create();
    expect(codes({ issues: campaign.issues })).toEqual([
      'subject_missing',
      'sender_missing',
      'lists_missing',
      'content_missing',
    ]);
    const filled = await put(id, {
      subject: 'S',
      from,
      list_ids: [listId],
      content: { html: '<p>{# unsubscribe_url #}</p>' },
    });
    expect(codes(filled)).toEqual(['lists_empty', 'unsubscribe_link_missing']);
    await subscriber(listId);
    expect(codes(await put(id, { content: { html: HTML } }))).toEqual([]);
    const pause = (action: string) =>
      postmesh.operator(
        'POST',
        `/operator/domains/accounts/${account.id}/domains/${domain}/${action}`,
        action === 'pause' ? { reason: 'a test' } : undefined,
      );
    ok(await pause('pause'), 200);
    await eventually(async () => codes(await read(id))).toEqual(['sender_domain_paused']);
    ok(await pause('unpause'), 200);
    await eventually(async () => (await read(id)).ready).toBe(true);
  });
});

describe('spec 3-marketing §3.2 preview', () => {
  it('spec 3-marketing §3.2 preview: shows the message to a contact, with what is missing, and sends nothing', async () => {
    const { email } = ok(
      await api('POST', 'contacts', { email: `${unique('ann')}@mail.test`, first_name: 'Ann' }),
      201,
    );
    const draft = await create({ subject: 'For {{ first_name }} {{ n }}', content: { html: HTML }, from });
    const path = `campaigns/${draft.id}/preview`;
    const shown = ok(await api('POST', path, { contact: email, substitutions: { n: 2 ** 53 } }), 200);
    expect(shown).toMatchObject({
      object: 'message_preview',
      subject: 'For Ann 9007199254740992',
      html: expect.stringMatching(/^<p>Hi Ann <a href="http[^"]*\/u\/[\w-]+">stop<\/a><\/p>$/),
      text: expect.stringMatching(/^Hi Ann stop \(http/),
      headers: { From: [`Shop <${from.email}>`], To: [`Ann <${email}>`] },
      issues: [{ code: 'lists_missing' }],
    });
    expect(shown.headers['List-Unsubscribe-Post']).toEqual(['List-Unsubscribe=One-Click']);
    const bare = ok(await api('POST', `campaigns/${(await create()).id}/preview`), 200);
    expect(bare).toMatchObject({ subject: '', html: null, text: null });
    expect(codes(bare)).toEqual(['subject_missing', 'sender_missing', 'lists_missing', 'content_missing']);
    const looping = await create({
      content: {
        html: '<p>{% for x in range(99999) %}{{ x }}{% endfor %}{{ unsubscribe_url }}</p>',
        text: 'Hi',
      },
    });
    const { html, text, issues } = ok(await api('POST', `campaigns/${looping.id}/preview`, {}), 200);
    expect([html, text, issues.at(-1)]).toEqual([
      null,
      'Hi',
      { code: 'content_unrenderable', message: 'content.html: line 1: more than 10000 loop steps' },
    ]);
    expectApiError(await api('POST', path, { contact: 'none@mail.test' }), 404, 'contact not found');
    expectApiError(await api('POST', `campaigns/${randomUUID()}/preview`), 404, 'campaign not found');
  });
});

describe('spec 3-marketing §3.2 test-send', () => {
  it('spec 3-marketing §3.2 test-send: a test arrives with the values of a contact, and is no message of the campaign', async () => {
    const campaign = await create({ subject: 'For {{ first_name }}', from, content: { html: HTML } });
    const email = `${unique('ann')}@mail.test`.toLowerCase();
    ok(await api('POST', 'contacts', { email, first_name: 'Ann' }), 201);
    const sent = ok(await api('POST', `campaigns/${campaign.id}/test-send`, { to: [email] }), 202);
    expect(sent).toEqual({
      object: 'list',
      data: [
        {
          object: 'message',
          id: expect.stringMatching(new RegExp(`^<[0-9a-f-]{36}@${domain}>$`)),
          recipient: { email, name: 'Ann' },
          status: 'queued',
        },
      ],
    });
    await eventually(async () => (await postmesh.messagesTo(email)).map(({ subject }) => subject)).toEqual([
      '[Test] For Ann',
    ]);
    const [message] = await postmesh.messagesTo(email);
    expect(await postmesh.messageText(message?.id ?? '')).not.toMatch(/^list-unsubscribe/im);
    const id = sent.data[0].id.slice(1, 37);
    expect(ok(await api('GET', `messages/${id}`), 200)).toMatchObject({ template_id: null });
    expect(await read(campaign.id)).toEqual(campaign);
  });

  it('spec 3-marketing §3.2 test-send: what it needs is told, and 20 test messages are an hour’s', async () => {
    const empty = await create();
    const path = `campaigns/${empty.id}/test-send`;
    expectError(await api('POST', path, {}), 400, 'to is required');
    expectError(
      await api('POST', path, { to: ['a@mail.test'] }),
      400,
      'campaign is not ready: subject_missing, sender_missing, content_missing',
    );
    await put(empty.id, { subject: 'S', from, content: { html: HTML } });
    expectError(
      await api('POST', path, { to: ['a@mail.test'], contact: 'nobody@x.test' }),
      404,
      'contact not found',
    );
    const weak = await postmesh.newKey(account, { scopes: ['campaigns:write'] });
    expect((await postmesh.api(weak, 'POST', `{A}/${path}`, { body: { to: ['a@mail.test'] } })).status).toBe(
      403,
    );
    await postmesh.sql(
      `insert into marketing.campaign_tests (id, campaign_id, created_at, messages)
       values (gen_random_uuid(), $1, now(), 19)`,
      [empty.id],
    );
    ok(await api('POST', path, { to: ['a@mail.test'] }), 202);
    const late = await api('POST', path, { to: ['a@mail.test'] });
    expect([late.status, Number(late.headers['retry-after']) > 0]).toEqual([429, true]);
  });
});
