import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  eventually,
  expectError,
  sharedInstallation,
  TIMESTAMP,
  unique,
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

const api = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  postmesh.api(account.key, method, `{A}/${path}`, { ...(body === undefined ? {} : { body }), headers });
const create = async (body: object = {}) =>
  ok(await api('POST', 'campaigns', { name: 'Spring', ...body }), 201);
const read = async (id: string) => ok(await api('GET', `campaigns/${id}`), 200);
const put = async (id: string, body: object) => ok(await api('PUT', `campaigns/${id}`, body), 200);
const list = async (): Promise<string> => ok(await api('POST', 'lists', { name: 'List' }), 201).id;
async function subscriber(listId: string): Promise<void> {
  const { email } = ok(await api('POST', 'contacts', { email: `${unique('ann')}@mail.test` }), 201);
  ok(await api('PUT', `lists/${listId}/contacts/${email}`, {}), 200);
}
const codes = (campaign: { issues: { code: string }[] }) => campaign.issues.map(({ code }) => code);
/** Expects an error with this text, or with a text that begins with it. */
function expectApiError(response: HttpResponse, status: number, message: string | RegExp): void {
  const text = typeof message === 'string' ? message : expect.stringMatching(message);
  expect([response.status, response.body]).toEqual([status, { message: text }]);
}
describe('spec 3-marketing §3.2 create, list and get', () => {
  it('spec 3-marketing §3.2 a create answers with the whole campaign, a list without lists, content and issues', async () => {
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
  });
});

it('spec 3-marketing §3.2 a draft is deleted with the scope for it', async () => {
  const { id } = await create();
  const weak = await postmesh.newKey(account, { scopes: ['campaigns:write', 'campaigns:read'] });
  expectError(
    await postmesh.api(weak, 'DELETE', `{A}/campaigns/${id}`),
    403,
    'insufficient permissions for the required scope',
  );
  ok(await api('DELETE', `campaigns/${id}`), 200);
});

it('a draft has an issue for as long as the domain of its sender is paused', async () => {
  const listId = await list();
  await subscriber(listId);
  const draft = await create({ subject: 'S', from, list_ids: [listId], content: { html: HTML } });
  expect(draft.ready).toBe(true);
  const pause = (action: string) =>
    postmesh.operator(
      'POST',
      `/operator/domains/accounts/${account.id}/domains/${domain}/${action}`,
      action === 'pause' ? { reason: 'a test' } : undefined,
    );
  ok(await pause('pause'), 200);
  await eventually(async () => codes(await read(draft.id))).toEqual(['sender_domain_paused']);
  ok(await pause('unpause'), 200);
  await eventually(async () => (await read(draft.id)).ready).toBe(true);
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

  it('spec 3-marketing §3.2 test-send: missing fields are named, and an hour has 20 test messages', async () => {
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
