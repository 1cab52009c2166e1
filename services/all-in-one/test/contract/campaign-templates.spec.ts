import { beforeAll, describe, expect, it } from 'vitest';
import {
  expectError,
  sharedInstallation,
  TIMESTAMP,
  UUID_V7,
  type Account,
  type ApiKey,
  type ApiOptions,
  type HttpResponse,
} from './harness.js';

const postmesh = sharedInstallation();
let account: Account;
beforeAll(async () => {
  account = await postmesh.newAccount();
});

const P = '{A}/campaign-templates';
const call = (method: string, rest = '', options: ApiOptions = {}, key: ApiKey = account.key) =>
  postmesh.api(key, method, `${P}${rest}`, options);
const HTML = '<h1>Hello {{ first_name|default("there") }}</h1><a href="{{ unsubscribe_url }}">stop</a>';
const TEXT = 'Hello {{ first_name|default("there") }}\n\nstop ({{ unsubscribe_url }})';
const MJML = (inside: string) =>
  `<mjml><mj-body><mj-section><mj-column>${inside}</mj-column></mj-section></mj-body></mjml>`;
const create = (content: object = { html: HTML }) =>
  call('POST', '', { body: { name: 'Newsletter', content } });
async function made(content?: object): Promise<HttpResponse['body']> {
  const response = await create(content);
  expect(response.status).toBe(201);
  return response.body;
}
const read = async (id: string) => (await call('GET', `/${id}`)).body;
const put = (id: string, body: object) => call('PUT', `/${id}`, { body });
/** Changes the content. @returns the stored content */
const changed = async (id: string, content: object) => {
  const { status, body } = await put(id, { content });
  expect([status, body.message]).toEqual([200, undefined]);
  return body.content;
};

describe('spec 3-marketing §9 campaign templates', () => {
  it('spec 3-marketing §9 a template has these fields; a write is effective at once', async () => {
    const { status, body } = await create();
    expect([status, body]).toEqual([
      201,
      {
        object: 'campaign_template',
        id: expect.stringMatching(UUID_V7),
        created_at: expect.stringMatching(TIMESTAMP),
        updated_at: body.created_at,
        name: 'Newsletter',
        editor: 'html',
        content: { html: HTML, text: TEXT, text_is_custom: false },
      },
    ]);
    const renamed = await put(body.id, { name: '  Winter ' });
    expect([renamed.status, renamed.body]).toEqual([
      200,
      { ...body, name: 'Winter', updated_at: expect.stringMatching(TIMESTAMP) },
    ]);
    expect(await read(body.id)).toEqual(renamed.body);
  });

  it('spec 3-marketing §9 X3, X5: campaigns keep their copies, and none is made of a deleted template', async () => {
    const template = await made({ mjml: MJML('<mj-text>One {{ unsubscribe_url }}</mj-text>'), text: 'Mine' });
    const campaign = (body: object) =>
      postmesh.api(account.key, 'POST', '{A}/campaigns', { body: { name: 'x', ...body } });
    const copy = await campaign({ template_id: template.id });
    expect([copy.status, copy.body.editor, copy.body.content]).toEqual([201, 'advanced', template.content]);
    await changed(template.id, { mjml: MJML('<mj-text>Two</mj-text>'), text: null });
    await call('DELETE', `/${template.id}`);
    const later = await postmesh.api(account.key, 'GET', `{A}/campaigns/${copy.body.id}`);
    expect(later.body).toEqual(copy.body);
    expectError(await campaign({ template_id: template.id }), 404, 'template not found');
  });

  it('spec 3-marketing §9 X4, X7: each operation needs its scope; DELETE is not keyed', async () => {
    const { id } = await made();
    const operations: Record<string, [string, string][]> = {
      read: [
        ['GET', ''],
        ['GET', `/${id}`],
      ],
      write: [
        ['POST', ''],
        ['PUT', `/${id}`],
      ],
      delete: [['DELETE', `/${id}`]],
    };
    for (const action of Object.keys(operations)) {
      const others = Object.keys(operations).filter((one) => one !== action);
      const key = await postmesh.newKey(account, { scopes: others.map((one) => `templates:${one}`) });
      for (const [method, rest] of operations[action] ?? []) {
        expectError(
          await call(method, rest, method === 'GET' ? {} : { body: {} }, key),
          403,
          'insufficient permissions for the required scope',
        );
      }
    }
    const keyed = { headers: { 'idempotency-key': 'delete' } };
    expect((await call('DELETE', `/${id}`, keyed)).status).toBe(200);
    const again = await call('DELETE', `/${id}`, keyed);
    expectError(again, 404, 'template not found');
    expect(again.headers['idempotent-replayed']).toBeUndefined();
  });

  it('spec 3-marketing §9 X6 ids of others, of transactional templates and of no form delete nothing', async () => {
    const { id } = await made();
    const other = await postmesh.newAccount();
    expectError(await call('DELETE', `/${id}`, {}, other.key), 404, 'template not found');
    expectError(await call('GET', `/${id}`, {}, other.key), 404, 'template not found');
    const transactional = await postmesh.api(account.key, 'POST', '{A}/templates', {
      body: { name: 'x', content: { html: HTML } },
    });
    expectError(await call('DELETE', `/${transactional.body.id}`), 404, 'template not found');
    expectError(await postmesh.api(account.key, 'GET', `{A}/templates/${id}`), 404, 'template not found');
    expectError(await call('DELETE', '/no-uuid'), 400, 'invalid template_id');
    expect((await call('GET', `/${id}`)).status).toBe(200);
  });
});

it('spec 3-marketing §11 an operator puts a design of blocks into a template or a draft, and that is audited', async () => {
  const path = `/operator/marketing/accounts/${account.id}/campaign-templates`;
  const blocks = { rows: [{ text: 'Hello' }] };
  const design = { blocks, content: { html: HTML } };
  const template = await postmesh.operator('POST', path, { name: 'Blocks', ...design });
  expect([template.status, template.body]).toMatchObject([201, { editor: 'simple', blocks }]);
  const campaign = await postmesh.api(account.key, 'POST', '{A}/campaigns', { body: { name: 'x' } });
  const draft = `/operator/marketing/accounts/${account.id}/campaigns/${campaign.body.id}/simple-design`;
  const { status, body: shown } = await postmesh.operator('PUT', draft, design);
  expect([status, shown]).toMatchObject([200, { editor: 'simple', blocks, content: { text: TEXT } }]);
  const audit = `/operator/accounts/audit?account_id=${account.id}&limit=1`;
  expect((await postmesh.operator('GET', audit)).body.data).toMatchObject([
    { action: 'PUT marketing/accounts/{account_id}/campaigns/{id}/simple-design' },
  ]);
});
