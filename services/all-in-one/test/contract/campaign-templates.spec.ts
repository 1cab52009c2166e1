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
const create = (content: object = { html: HTML }, more: object = {}) =>
  call('POST', '', { body: { name: 'Newsletter', content, ...more } });
async function made(content?: object): Promise<HttpResponse['body']> {
  const response = await create(content);
  expect(response.status).toBe(201);
  return response.body;
}
const read = async (id: string) => (await call('GET', `/${id}`)).body;
const put = (id: string, body: object, headers?: Record<string, string>) =>
  call('PUT', `/${id}`, { body, ...(headers ? { headers } : {}) });
/** What a change of the content makes of it. */
const changed = async (id: string, content: object) => {
  const { status, body } = await put(id, { content });
  expect([status, body.message]).toEqual([200, undefined]);
  return body.content;
};
const refused = async (asked: ReturnType<typeof call>, text: string) =>
  expectError(await asked, 400, expect.stringContaining(text));
const UNRENDERABLE = 'holds a {{, {% or {# that cannot be rendered';

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

  it('spec 3-marketing §9 the list is paged, newest first, without content; name filters like that of lists', async () => {
    const owner = await postmesh.newAccount();
    for (const name of ['100%', 'Spring sale', 'Winter SALE']) {
      await call('POST', '', { body: { name, content: { html: HTML } } }, owner.key);
    }
    const page = async (query: string) => (await call('GET', query, {}, owner.key)).body;
    const names = async (query: string) => (await page(query)).data.map(({ name }: { name: string }) => name);
    const first = await page('?limit=2');
    expect(first.data.map((one: object) => Object.keys(one))[0]).not.toContain('content');
    expect(first.pagination).toMatchObject({ has_more: true, previous_cursor: null });
    expect(await names(`?limit=2&after=${first.pagination.next_cursor}`)).toEqual(['100%']);
    expect([await names('?name=sAlE'), await names('?name=%25'), await names('?name=%20')]).toEqual([
      ['Winter SALE', 'Spring sale'],
      ['100%'],
      ['Winter SALE', 'Spring sale', '100%'],
    ]);
  });

  it('spec 3-marketing §9 name and content are needed, other fields are unknown, a change has at least one', async () => {
    const bodies: [object, string][] = [
      [{ name: null }, 'name must be a string'],
      [{ name: '😀'.repeat(256) }, 'name must be at most 255 characters'],
      [{ content: null }, 'content must be an object'],
      [{ content: { text: 'Hi' } }, 'content must have mjml or html'],
      ...['subject', 'from', 'list_ids', 'editor', 'publish'].map((field): [object, string] => [
        { [field]: 'x' },
        `unknown field: ${field}`,
      ]),
    ];
    for (const [more, text] of bodies) await refused(create(undefined, more), text);
    const { id } = await made();
    await refused(put(id, {}), 'no field to update');
    await refused(put(id, { editor: 'html' }), 'unknown field: editor');
  });

  it('spec 3-marketing §9 X1, spec 3-marketing §9 X2 a delete says so, and then the template is gone from everywhere', async () => {
    const { id } = await made();
    const deleted = await call('DELETE', `/${id}`);
    expect([deleted.status, deleted.body]).toEqual([
      200,
      { message: `campaign template ${id} (Newsletter) deleted successfully` },
    ]);
    for (const method of ['GET', 'DELETE'])
      expectError(await call(method, `/${id}`), 404, 'template not found');
    expectError(await put(id, { name: 'x' }), 404, 'template not found');
    expect((await call('GET')).body.data.map((one: { id: string }) => one.id)).not.toContain(id);
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

  it('spec 3-marketing §3.2 U18 a key replays the answer, also that of a wrong one', async () => {
    const headers = { 'idempotency-key': 'create' };
    const body = { name: 'Once', content: { html: HTML } };
    const first = await call('POST', '', { body, headers });
    const again = await call('POST', '', { body, headers });
    expect([again.status, again.body, again.headers['idempotent-replayed']]).toEqual([
      201,
      first.body,
      'true',
    ]);
    const wrong = { content: { html: '{{' } };
    const key = { 'idempotency-key': 'change' };
    await refused(put(first.body.id, wrong, key), UNRENDERABLE);
    const replayed = await put(first.body.id, wrong, key);
    expect([replayed.status, replayed.headers['idempotent-replayed']]).toEqual([400, 'true']);
    expect(await read(first.body.id)).toEqual(first.body);
  });
});

describe('spec 3-marketing §5.1 content of templates', () => {
  it('spec 3-marketing §5.1 rule 1 has at most one design, at least one part, and no other keys', async () => {
    await refused(create({}), 'content must have mjml, html or text');
    await refused(create({ mjml: 'x', html: 'y' }), 'content must have either mjml or html, not both');
    await refused(create({ html: HTML, amp: 'x' }), 'unknown field: content.amp');
    expect((await made({ html: HTML, text: null, text_is_custom: true })).content.text_is_custom).toBe(false);
  });

  it('spec 3-marketing §5.1 rule 2 MJML is compiled strictly, each problem with its line; HTML stays as it is', async () => {
    await refused(
      create({ mjml: MJML('\n<mj-x />\n<mj-text colour="x">y</mj-text>') }),
      "content.mjml line 2: Element mj-x doesn't exist or is not registered; content.mjml line 3:",
    );
    await refused(create({ mjml: MJML('<mj-include path="/etc/passwd" />') }), 'mj-include is not supported');
    const html = '<p class=a>No <b>end\n<!-- as it is -->';
    expect((await made({ html })).content.html).toBe(html);
  });

  it('spec 3-marketing §5.1 rule 3 images and stylesheets are at https URLs or whole expressions', async () => {
    await made({
      html: '<img src="https://a.test/{{ id }}.png"><img src="{{ a|default("https://a.test/b.png") }}">',
    });
    for (const url of [
      'http://a.test/b.png',
      'b.png',
      'data:image/png;base64,AA',
      'cid:x',
      '{{ base }}/b.png',
    ]) {
      await refused(create({ html: `<p>x</p>\n<img src="${url}">` }), `content.html line 2: images`);
    }
    await refused(create({ html: '<p style="background:url(b.png)">' }), "not 'b.png'");
    await refused(create({ html: '<link rel="stylesheet" href="c.css">' }), "not 'c.css'");
  });

  it('spec 3-marketing §5.1 rule 4 parts are not blank and not too large; line breaks are LF', async () => {
    await refused(create({ html: ' ' }), 'content.html must not be empty');
    await refused(create({ html: HTML, text: '\n' }), 'content.text must not be empty');
    await refused(create({ html: 'é'.repeat(524_289) }), 'content.html must be at most 1 MiB');
    await refused(create({ html: HTML, text: 'é'.repeat(131_073) }), 'content.text must be at most 256 KiB');
    await refused(
      create({ mjml: MJML(`<mj-text>${'x'.repeat(1_048_000)}</mj-text>`) }),
      'more than 1 MiB of HTML',
    );
    const { content } = await made({ html: '<p>a</p>\r\n', text: 'b\r\nc' });
    expect(content).toEqual({ html: '<p>a</p>\n', text: 'b\nc', text_is_custom: true });
  });

  it('spec 3-marketing §5.1 rule 5, spec 3-marketing §5.1 rule 6 MJML stands for its HTML; the text follows the HTML', async () => {
    const mjml = MJML('<mj-text>Hello <a href="https://a.test/{{ id }}">you</a></mj-text>');
    const { id, content } = await made({ mjml });
    expect(content).toEqual({ mjml, text: 'Hello you (https://a.test/{{ id }})', text_is_custom: false });
    const next = await changed(id, { mjml: MJML('<mj-image src="https://a.test/b.png" alt="A cup" />') });
    expect([next.text, next.text_is_custom]).toEqual(['A cup', false]);
    // nothing to read: the key is left out
    expect(Object.keys(await changed(id, { mjml: MJML('<mj-divider />') }))).toEqual([
      'mjml',
      'text_is_custom',
    ]);
  });

  it('spec 3-marketing §5.1 rule 7, spec 3-marketing §11 a design of blocks is put in by an operator; through the API it takes text', async () => {
    const path = `/operator/marketing/accounts/${account.id}/campaign-templates`;
    const blocks = { rows: [{ text: 'Hello' }] };
    const body = { name: 'Blocks', blocks, content: { html: HTML } };
    const template = await postmesh.operator('POST', path, body);
    expect([template.status, template.body]).toMatchObject([201, { editor: 'simple', blocks }]);
    const { id } = template.body;
    expect((await read(id)).content).toEqual({ html: HTML, text: TEXT, text_is_custom: false });
    await refused(
      put(id, { content: { html: HTML } }),
      'content.html is for the editor html, not for simple',
    );
    expect(await changed(id, { text: 'Mine' })).toMatchObject({ html: HTML, text: 'Mine' });
    const next = { blocks: [], content: { html: '<p>Two</p>' } };
    const replaced = await postmesh.operator('PUT', `${path}/${id}/simple-design`, next);
    expect(replaced.body).toMatchObject({ blocks: [], content: { html: '<p>Two</p>', text: 'Mine' } });

    const campaign = await postmesh.api(account.key, 'POST', '{A}/campaigns', { body: { name: 'x' } });
    const draft = `/operator/marketing/accounts/${account.id}/campaigns/${campaign.body.id}/simple-design`;
    const { status, body: shown } = await postmesh.operator('PUT', draft, {
      blocks,
      content: { html: HTML },
    });
    expect([status, shown]).toMatchObject([200, { editor: 'simple', blocks, content: { text: TEXT } }]);
    expect((await postmesh.operator('GET', draft)).body).toEqual(shown);
    const audit = `/operator/accounts/audit?account_id=${account.id}&limit=1`;
    expect((await postmesh.operator('GET', audit)).body.data).toMatchObject([
      { action: 'PUT marketing/accounts/{account_id}/campaigns/{id}/simple-design' },
    ]);
  });
});

describe('spec 3-marketing §3.2 the text of a changed template', () => {
  it('spec 3-marketing §3.2 U9, spec 3-marketing §3.2 U10 content works in the editor of the design, which the first one sets', async () => {
    const html = await made();
    const mjml = await made({ mjml: MJML('<mj-text>x</mj-text>') });
    await refused(put(html.id, { content: { mjml: MJML('') } }), 'for the editor advanced, not for html');
    await refused(put(mjml.id, { content: { html: HTML } }), 'for the editor html, not for advanced');
  });

  it('spec 3-marketing §3.2 U12, spec 3-marketing §3.2 U13 a hand-written text stays, a derived one follows, null makes it', async () => {
    const { id } = await made({ html: '<p>One</p>' });
    expect(await changed(id, { html: '<p>Two</p>' })).toMatchObject({ text: 'Two', text_is_custom: false });
    await changed(id, { text: 'Mine' });
    expect(await changed(id, { html: '<p>Three</p>' })).toMatchObject({ text: 'Mine', text_is_custom: true });
    expect(await changed(id, { html: '<p>Four</p>', text: null })).toMatchObject({
      text: 'Four',
      text_is_custom: false,
    });
  });

  it('spec 3-marketing §3.2 U14, spec 3-marketing §5.2 what is sent must render', async () => {
    const { id } = await made();
    for (const source of [
      '{{ a',
      '{% if a %}',
      '{{ a|shout }}',
      '{% include "x" %}',
      '{% macro x() %}{% endmacro %}',
    ]) {
      await refused(put(id, { content: { html: source } }), `content.html ${UNRENDERABLE}`);
      await refused(put(id, { content: { text: source } }), `content.text ${UNRENDERABLE}`);
    }
  });

  it('spec 3-marketing §3.2 U15, spec 3-marketing §3.2 U16 what equals a derived text is derived; what is read can be sent back', async () => {
    const template = await made({ html: '<p>One</p>', text: 'One' });
    const { id, content } = template;
    expect(content.text_is_custom).toBe(false);
    expect((await put(id, { content })).body).toEqual(template);
    expect(await changed(id, { html: '<p>Two</p>', text: 'One' })).toMatchObject({ text: 'Two' });
    const custom = await changed(id, { html: '<p>Three</p>', text: 'Mine' });
    expect(custom.text_is_custom).toBe(true);
    expect(await changed(id, custom)).toEqual(custom);
  });
});
