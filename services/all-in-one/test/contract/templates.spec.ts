import { beforeAll, describe, expect, it } from 'vitest';
import {
  expectError,
  sharedInstallation,
  TIMESTAMP,
  unique,
  UUID_V7,
  type Account,
  type ApiKey,
  type ApiOptions,
} from './harness.js';

const postmesh = sharedInstallation();
let account: Account;
let domain: string;
beforeAll(async () => {
  account = await postmesh.newAccount();
  domain = await postmesh.verifiedDomain(account);
});

const call = (method: string, rest = '', options: ApiOptions = {}, key: ApiKey = account.key) =>
  postmesh.api(key, method, `{A}/templates${rest}`, options);
const create = (body: object) => call('POST', '', { body: { name: 'Login code', ...body } });
const HTML = { html: '<p>Hi</p>' };
async function made(body: object = {}): Promise<string> {
  const response = await create({ content: HTML, ...body });
  expect(response.status).toBe(201);
  return response.body.id;
}
const put = (id: string, body: object) => call('PUT', `/${id}`, { body });
const read = async (id: string, rest = '') => {
  const { status, body } = await call('GET', `/${id}${rest}`);
  expect(status).toBe(200);
  return body;
};
const versionNumbers = async (id: string) =>
  (await read(id, '/versions')).data.map(({ version }: { version: number }) => version);
const MJML = (inside: string) =>
  `<mjml><mj-body><mj-section><mj-column>${inside}</mj-column></mj-section></mj-body></mjml>`;

describe('spec 2-messages §6.1 resources', () => {
  it('spec 2-messages §6.1 Template, TemplateDraft, TemplateVersion and TemplateVersionDetail have these fields', async () => {
    const { status, body } = await create({
      subject: 'Your code {{ code }}',
      preheader: 'Valid 10 minutes',
      from: { email: `No-Reply@${domain}`, name: 'Shop' },
      reply_to: { email: 'help@mail.test' },
      content: {
        html: '<p>Hi {{ first_name|default("there") }}, code <b>{{ code }}</b> <a href="{{ unsubscribe_url }}">stop</a></p>',
      },
      publish: true,
    });
    const copy = {
      subject: 'Your code {{ code }}',
      preheader: 'Valid 10 minutes',
      variables: [
        { name: 'first_name', required: false },
        { name: 'code', required: true },
        { name: 'unsubscribe_url', required: false },
      ],
      from: { email: `no-reply@${domain}`, name: 'Shop' },
      reply_to: { email: 'help@mail.test', name: '' },
      content: {
        html: '<p>Hi {{ first_name|default("there") }}, code <b>{{ code }}</b> <a href="{{ unsubscribe_url }}">stop</a></p>',
        text: 'Hi {{ first_name|default("there") }}, code {{ code }} stop ({{ unsubscribe_url }})',
        text_is_custom: false,
      },
    };
    const template = {
      object: 'template',
      id: expect.stringMatching(UUID_V7),
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: expect.stringMatching(TIMESTAMP),
      name: 'Login code',
      editor: 'html',
      has_draft: false,
      ...copy,
    };
    expect([status, body]).toEqual([201, template]);
    expect(await read(body.id)).toEqual(body);

    const version = {
      object: 'template_version',
      id: expect.stringMatching(UUID_V7),
      version: 1,
      published_at: expect.stringMatching(TIMESTAMP),
      published_by: { type: 'api_key', id: account.key.id },
    };
    const list = await read(body.id, '/versions');
    expect(list).toEqual({ object: 'list', data: [version] });
    expect(await read(body.id, `/versions/${list.data[0].id}`)).toEqual({ ...version, ...copy });

    expect((await put(body.id, { subject: 'Code' })).body).toEqual({ ...template, has_draft: true });
    expect(await read(body.id, '/draft')).toEqual({
      object: 'template_draft',
      template_id: body.id,
      updated_at: expect.stringMatching(TIMESTAMP),
      ...copy,
      subject: 'Code',
      issues: [],
    });
  });

  it('spec 2-messages §6.1 content omits fields that do not apply or are empty, and is null without a body', async () => {
    const advanced = await create({ content: { mjml: MJML('<mj-text>Hi</mj-text>') }, publish: true });
    expect(advanced.body).toMatchObject({ editor: 'advanced' });
    expect(Object.keys(advanced.body.content)).toEqual(['mjml', 'text', 'text_is_custom']);
    const text = await create({ editor: 'simple', content: { text: 'Hi' }, publish: true });
    expect(text.body.content).toEqual({ text: 'Hi', text_is_custom: true });
    const empty = await create({ editor: 'html' });
    expect(empty.body).toMatchObject({
      content: null,
      subject: '',
      preheader: '',
      from: null,
      reply_to: null,
    });
  });

  it('spec 2-messages §6.1 the publisher is null once its key is deleted', async () => {
    const key = await postmesh.newKey(account);
    const { body } = await call('POST', '', { body: { name: 'x', content: HTML, publish: true } }, key);
    const publisher = async () => (await read(body.id, '/versions')).data[0].published_by;
    expect(await publisher()).toEqual({ type: 'api_key', id: key.id });
    await postmesh.api(account.key, 'DELETE', `{A}/api-keys/${key.id}`);
    expect(await publisher()).toBeNull();
  });
});

describe('spec 2-messages §6.2 operations', () => {
  it('spec 2-messages §6.2 the list is paginated, newest first, without content', async () => {
    const owner = await postmesh.newAccount();
    for (const name of ['a', 'b', 'c']) await call('POST', '', { body: { name, content: HTML } }, owner.key);
    const page = async (rest: string) => (await call('GET', rest, {}, owner.key)).body;
    const names = ({ data }: { data: { name: string }[] }) => data.map(({ name }) => name);
    const first = await page('?limit=2&after=&before=');
    expect(names(first)).toEqual(['c', 'b']);
    expect(first.data[0]).not.toHaveProperty('content');
    const second = await page(`?limit=2&after=${first.pagination.next_cursor}`);
    expect([names(second), second.pagination.has_more]).toEqual([['a'], false]);
    expect(names(await page(`?limit=2&before=${second.pagination.previous_cursor}`))).toEqual(['c', 'b']);
  });

  it('spec 2-messages §6.2 each operation needs its scope', async () => {
    const id = await made({ publish: true });
    const operations = {
      read: [
        ['GET', ''],
        ['GET', `/${id}`],
        ['GET', `/${id}/draft`],
        ['GET', `/${id}/versions`],
      ],
      write: [
        ['POST', ''],
        ['PUT', `/${id}`],
        ['DELETE', `/${id}/draft`],
        ['POST', `/${id}/publish`],
        ['POST', `/${id}/versions/${id}/restore`],
      ],
      delete: [['DELETE', `/${id}`]],
    };
    for (const [action, list] of Object.entries(operations)) {
      const others = ['read', 'write', 'delete'].filter((other) => other !== action);
      const key = await postmesh.newKey(account, { scopes: others.map((other) => `templates:${other}`) });
      for (const [method = '', rest = ''] of list) {
        expectError(
          await call(method, rest, {}, key),
          403,
          'insufficient permissions for the required scope',
        );
      }
    }
  });

  it('spec 2-messages §6.2 POST, PUT, publish and restore honour an Idempotency-Key', async () => {
    const keyed = async (method: string, rest: string, body?: object) => {
      const options = { headers: { 'idempotency-key': unique('key') }, ...(body ? { body } : {}) };
      const [first, second] = [await call(method, rest, options), await call(method, rest, options)];
      expect([second.status, second.body]).toEqual([first.status, first.body]);
      expect(second.headers['idempotent-replayed']).toBe('true');
      return first.body;
    };
    const { id } = await keyed('POST', '', { name: 'Once', content: HTML });
    await keyed('POST', `/${id}/publish`);
    await keyed('PUT', `/${id}`, { subject: 'Twice', publish: true });
    const [{ id: version }] = (await read(id, '/versions')).data;
    await keyed('POST', `/${id}/versions/${version}/restore`);
    expect(await versionNumbers(id)).toEqual([2, 1]);
  });

  it('spec 2-messages §6.2 delete answers a message, and 404 the second time', async () => {
    const id = await made();
    const { status, body } = await call('DELETE', `/${id}`);
    expect([status, body]).toEqual([200, { message: 'template deleted successfully' }]);
    expectError(await call('DELETE', `/${id}`), 404, 'template not found');
  });

  it('spec 2-messages §6.2 the draft: 404 without one, discarded with the same 200', async () => {
    const id = await made({ publish: true });
    expectError(await call('GET', `/${id}/draft`), 404, 'template has no draft');
    await put(id, { subject: 'New' });
    for (let round = 0; round < 2; round += 1) {
      const { status, body } = await call('DELETE', `/${id}/draft`);
      expect([status, body.has_draft, body.subject]).toEqual([200, false, '']);
    }
  });

  it('spec 2-messages §6.2 publish ignores its body, restore takes none or one', async () => {
    const id = await made({ content: { html: 'One' } });
    expect((await call('POST', `/${id}/publish`, { rawBody: '[no JSON' })).status).toBe(200);
    await put(id, { content: { html: 'Two' }, publish: true });
    const one = (await read(id, '/versions')).data[1].id;
    const restore = (options: ApiOptions = {}) => call('POST', `/${id}/versions/${one}/restore`, options);
    expect((await restore()).body.has_draft).toBe(true);
    expect((await restore({ body: {} })).body.has_draft).toBe(true);
    expectError(await restore({ body: { name: 'x' } }), 400, 'unknown field: name');
    expectError(await restore({ rawBody: 'x' }), 400, 'invalid request body');
    expect((await restore({ body: { publish: true } })).body).toMatchObject({
      has_draft: false,
      content: { html: 'One' },
    });
    expect(await versionNumbers(id)).toEqual([3, 2, 1]);
  });

  it('spec 2-messages §6.2 400 for a bad uuid, 404 for an unknown template', async () => {
    const id = await made({ publish: true });
    const other = (await read(await made({ publish: true }), '/versions')).data[0].id;
    const stranger = await postmesh.newAccount();
    expectError(await call('GET', '/nonsense'), 400, 'invalid template_id');
    expectError(await call('GET', `/${id}/versions/nonsense`), 400, 'invalid version_id');
    expectError(await call('GET', '/nonsense/versions/nonsense'), 400, 'invalid template_id');
    expectError(await call('GET', `/${other}`), 404, 'template not found');
    for (const method of ['GET', 'DELETE'])
      expectError(await call(method, `/${id}`, {}, stranger.key), 404, 'template not found');
    expectError(await call('GET', `/${id}/versions/${other}`), 404, 'template version not found');
    expectError(await call('POST', `/${id}/versions/${other}/restore`), 404, 'template version not found');
    expect((await call('GET', `/${id.toUpperCase()}`)).body.id).toBe(id);
  });
});

describe('spec 2-messages §6.3 the write body', () => {
  it.each<[object, string]>([
    [{ name: undefined }, 'name is required'],
    [{ name: ' \n ' }, 'name must not be empty'],
    [{ name: null }, 'name must be a string'],
    [{ name: '😀'.repeat(256) }, 'name must be at most 255 characters'],
    [{ nickname: 'x' }, 'unknown field: nickname'],
    [{ variables: [] }, 'variables is not writable'],
    [{ content: undefined }, 'editor is required when content has neither mjml nor html'],
    [{ content: { text: 'Hi' } }, 'editor is required when content has neither mjml nor html'],
    [{ editor: 'word' }, 'editor must be one of: advanced, simple, html'],
    [{ editor: 'advanced' }, 'content.html is for the editor html, not for advanced'],
    [{ editor: 'simple' }, 'content.html is for the editor html, not for simple'],
    [{ subject: 'x'.repeat(999) }, 'subject must be at most 998 characters'],
    [{ preheader: 'x'.repeat(501) }, 'preheader must be at most 500 characters'],
    [{ subject: 7 }, 'subject must be a string'],
    [{ subject: 'a\u0000b' }, 'subject must not contain a NUL character'],
    [{ from: { email: 'a@foreign.test' } }, "domain 'foreign.test' not found in this account"],
    [{ from: { email: 'shop.test' } }, 'from.email is not a valid email address'],
    [{ from: 'a@shop.test' }, 'from must be an object'],
    [{ from: { email: 'a@shop.test', id: 1 } }, 'unknown field: from.id'],
    [{ reply_to: { email: 'a@mail.test' } }, 'reply_to needs a sender, give from'],
    [{ content: null }, 'content must be an object'],
    [{ content: {} }, 'content must have mjml, html or text'],
    [{ content: { mjml: 'x', html: 'x' } }, 'content must have either mjml or html, not both'],
    [{ content: { html: 'x', amp: 'y' } }, 'unknown field: content.amp'],
    [{ editor: 'html', content: undefined, publish: true }, 'template has no content to publish'],
    [{ publish: 'yes' }, 'publish must be a boolean'],
  ])('spec 2-messages §6.3 POST with %j is 400', async (fields, message) => {
    expectError(await create({ content: HTML, ...fields }), 400, message);
  });

  it('spec 2-messages §6.3 PUT takes any field alone, but no editor and not nothing', async () => {
    const id = await made();
    for (const body of [{}, { publish: null }]) expectError(await put(id, body), 400, 'no changes given');
    expect((await put(id, { publish: false })).status).toBe(200);
    expectError(await put(id, { editor: 'html' }), 400, 'unknown field: editor');
    expectError(await put(id, { name: null }), 400, 'name must be a string');
    expectError(await put(id, { content: null }), 400, 'content must be an object');
    expect((await put(id, { name: ' New ' })).body).toMatchObject({ name: 'New', has_draft: true });
    expect((await put(id, { publish: true })).body).toMatchObject({ has_draft: false, content: HTML });
  });

  it('spec 2-messages §6.3 subject and preheader: line breaks become spaces, null and "" clear', async () => {
    const id = await made({ subject: ' a\r\nb\nc ', preheader: 'a\rb' });
    expect(await read(id, '/draft')).toMatchObject({ subject: 'a b c', preheader: 'a b' });
    await put(id, { subject: null, preheader: '' });
    expect(await read(id, '/draft')).toMatchObject({ subject: '', preheader: '' });
  });

  it('spec 2-messages §6.3 from: replaces both parts, null clears the reply-to, too; the domain must be able to send', async () => {
    const id = await made({ from: { email: `a@${domain}`, name: 'A' }, reply_to: { email: 'b@mail.test' } });
    await put(id, { from: { email: `b@${domain}` } });
    expect(await read(id, '/draft')).toMatchObject({
      from: { email: `b@${domain}`, name: '' },
      reply_to: { email: 'b@mail.test', name: '' },
    });
    expectError(
      await put(id, { reply_to: { email: 'b@mail.test', name: 'B' } }),
      400,
      'reply_to.name must be empty',
    );
    expectError(
      await put(id, { reply_to: { email: '上海@mail.test' } }),
      400,
      'reply_to.email must be an ASCII address',
    );
    await put(id, { reply_to: null });
    expect(await read(id, '/draft')).toMatchObject({ from: { email: `b@${domain}` }, reply_to: null });
    await put(id, { reply_to: { email: 'b@mail.test' } });
    await put(id, { from: null });
    expect(await read(id, '/draft')).toMatchObject({ from: null, reply_to: null });
    const unverified = `${unique('new')}.test`;
    await postmesh.api(account.key, 'POST', '{A}/domains', { body: { domain: unverified } });
    expectError(
      await put(id, { from: { email: `a@${unverified}` } }),
      400,
      `domain '${unverified}' does not have valid DNS records`,
    );
    const paused = await postmesh.verifiedDomain(account);
    const pause = `/operator/domains/accounts/${account.id}/domains/${paused}/pause`;
    expect((await postmesh.operator('POST', pause, { reason: 'bounce_rate' })).status).toBeLessThan(300);
    expectError(
      await put(id, { from: { email: `a@${paused}` } }),
      400,
      `Sending from domain '${paused}' is paused. Check your dashboard for the reason.`,
    );
  });

  it('spec 2-messages §6.3 rule 1 MJML is compiled strictly, each problem with its line; each editor has its own design', async () => {
    const mjml = MJML('\n<mj-text colour="red">x</mj-text>\n<mj-include path="/etc/passwd" />');
    expectError(await create({ content: { mjml } }), 400, 'content.mjml line 3: mj-include is not supported');
    expectError(
      await create({ content: { mjml: mjml.replace('mj-include', 'mj-nothing') } }),
      400,
      "content.mjml line 2: Attribute colour is illegal; content.mjml line 3: Element mj-nothing doesn't exist or is not registered",
    );
    const advanced = await made({ content: { mjml: MJML('<mj-text>Hi</mj-text>') } });
    const simple = await made({ editor: 'simple', content: { text: 'Hi' } });
    expectError(
      await put(advanced, { content: HTML }),
      400,
      'content.html is for the editor html, not for advanced',
    );
    expectError(
      await put(simple, { content: HTML }),
      400,
      'content.html is for the editor html, not for simple',
    );
    expect((await put(simple, { content: { text: 'Bye' } })).status).toBe(200);
  });

  it('spec 2-messages §6.3 rule 2 images and stylesheets need a full https:// URL or a variable in front', async () => {
    const refused = (content: object) => create({ content });
    expectError(
      await refused({ html: '<p>\n<img src="http://a.test/b.png"></p>' }),
      400,
      "content.html line 2: images and stylesheets need a full https:// URL or a {{ variable }}, not 'http://a.test/b.png'",
    );
    expect((await refused({ html: '<link rel="stylesheet" href="a.css">' })).status).toBe(400);
    expect((await refused({ mjml: MJML('<mj-image src="b.png" />') })).status).toBe(400);
    const html =
      '<img src="{{ base }}/a.png"><img src="https://a.test/{{ b }}.png"><a href="http://a.test">x</a>';
    expect((await refused({ html })).status).toBe(201);
  });

  it('spec 2-messages §6.3 rule 3 a design that is sent back is not checked again, except for its size', async () => {
    const id = await made({ publish: true });
    const stored = '<img src="cid:logo">';
    await postmesh.sql('update messages.template_copies set html = $2 where template_id = $1', [id, stored]);
    expect((await put(id, { content: { html: stored }, name: 'Same' })).body).toMatchObject({
      has_draft: false,
    });
    // equal to the published design, while the draft has another one
    await put(id, { content: { html: '<p>Else</p>' } });
    expect((await put(id, { content: { html: stored } })).status).toBe(200);
    expect((await put(id, { content: { html: `${stored} ` } })).status).toBe(400);
  });

  it('spec 2-messages §6.3 rule 4 limits, line breaks, blank texts', async () => {
    expectError(
      await create({ content: { html: 'x'.repeat(1_048_577) } }),
      400,
      'content.html must be at most 1 MiB',
    );
    expectError(
      await create({ content: { mjml: 'é'.repeat(524_289) } }),
      400,
      'content.mjml must be at most 1 MiB',
    );
    expectError(
      await create({ content: { ...HTML, text: 'x'.repeat(262_145) } }),
      400,
      'content.text must be at most 256 KiB',
    );
    expectError(await create({ content: { ...HTML, text: ' \r\n' } }), 400, 'content.text must not be empty');
    expectError(await create({ content: { html: ' ' } }), 400, 'content.html must not be empty');
    const id = await made({ content: { html: '<p>a</p>\r\n<p>b</p>', text: 'a\r\nb' }, publish: true });
    const { content, ...shown } = await read(id);
    expect(content).toEqual({ html: '<p>a</p>\n<p>b</p>', text: 'a\nb', text_is_custom: true });
    const crlf = { ...content, html: '<p>a</p>\r\n<p>b</p>', text: 'a\r\nb' };
    for (const sentBack of [content, crlf]) {
      expect((await put(id, { content: sentBack })).body).toEqual({ ...shown, content, has_draft: false });
    }
  });

  it('spec 2-messages §6.3 rule 5 text: null is derived, absent with a design is derived again, a derived one stays derived', async () => {
    const id = await made({ content: { html: '<p>One</p>', text: 'Mine' }, publish: true });
    const text = async (content: object) => {
      expect((await put(id, { content })).status).toBe(200);
      const { body } = await call('GET', `/${id}/draft`);
      return [body.content.text, body.content.text_is_custom];
    };
    // a design that does not change keeps the text
    expect((await put(id, { content: { html: '<p>One</p>' } })).body.has_draft).toBe(false);
    expect(await text({ text: null })).toEqual(['One', false]);
    expect(await text({ text: 'Mine too' })).toEqual(['Mine too', true]);
    expect(await text({ html: '<p>Two</p>' })).toEqual(['Two', false]);
    expect(await text({ html: '<p>Three</p>', text: 'Three' })).toEqual(['Three', false]);
    expect(await text({ html: '<p>Four</p>', text: 'Three' })).toEqual(['Four', false]);
    // derived from an earlier design
    expect(await text({ text: 'Two' })).toEqual(['Two', true]);
    expect(await text({ text: 'Four' })).toEqual(['Four', false]);
    expect(await text({ mjml: null, html: '<p>Five</p>', text: null })).toEqual(['Five', false]);
    expectError(
      await put(id, { content: { mjml: null, html: null } }),
      400,
      'content must have mjml, html or text',
    );
    expectError(
      await create({ editor: 'html', content: { text: null } }),
      400,
      'content.text cannot be made: there is no HTML',
    );
    const problem = await put(id, { content: { text: 'Hi {{ name' } });
    expect([problem.status, problem.body.message]).toEqual([
      400,
      expect.stringMatching(/^content\.text holds a \{\{, \{% or \{# that cannot be rendered: /),
    ]);
  });

  it('spec 2-messages §6.3 rule 6 a body that cannot be rendered may be saved, and blocks publishing', async () => {
    const unfinished = { html: '<p>Hi {% if name %}</p>' };
    const { status, body } = await create({ content: unfinished });
    expect([status, body.has_draft]).toEqual([201, true]);
    const { id } = body;
    for (const response of [
      await call('POST', `/${id}/publish`),
      await put(id, { publish: true }),
      await create({ content: unfinished, publish: true }),
    ]) {
      expect([response.status, response.body.message]).toEqual([
        400,
        expect.stringMatching(/^content\.html holds a \{\{, \{% or \{# that cannot be rendered: /),
      ]);
    }
    expect(await read(id, '/versions')).toMatchObject({ data: [] });
  });
});

describe('spec 2-messages §6.4 draft, publish, version', () => {
  it('spec 2-messages §6.4 rule 1 everything but the name goes to the draft; the name applies last', async () => {
    const created = await create({
      subject: 'x',
      preheader: 'x',
      from: { email: `a@${domain}` },
      content: HTML,
    });
    const hidden = { subject: '', preheader: '', variables: [], from: null, content: null };
    expect(created.body).toMatchObject({ name: 'Login code', ...hidden, has_draft: true });
    expect(created.body.updated_at).toBe(created.body.created_at);
    const id = await made({ publish: true });
    const { body } = await put(id, { name: 'New', subject: 'New' });
    expect(body).toMatchObject({ name: 'New', subject: '', has_draft: true });
    expect((await put(id, { name: 'Newer', from: { email: 'a@foreign.test' } })).status).toBe(400);
    expect((await read(id)).name).toBe('New');
  });

  it('spec 2-messages §6.4 rule 2 there is one draft, and an update starts from it', async () => {
    const id = await made({ publish: true });
    await put(id, { subject: 'Subject' });
    await put(id, { preheader: 'Preview' });
    expect(await read(id, '/draft')).toMatchObject({
      subject: 'Subject',
      preheader: 'Preview',
      content: HTML,
    });
  });

  it('spec 2-messages §6.4 rule 3 a draft equal to the published copy is none; repeating changes nothing', async () => {
    const id = await made({ subject: 'One', publish: true });
    await put(id, { subject: 'Two' });
    const drafted = await read(id, '/draft');
    await put(id, { subject: 'Two' });
    expect(await read(id, '/draft')).toEqual(drafted);
    expect((await put(id, { subject: 'One' })).body.has_draft).toBe(false);
  });

  it('spec 2-messages §6.4 rule 4 publish makes the draft the published copy and version n+1', async () => {
    const id = await made({ content: { html: 'One' }, publish: true });
    await put(id, { content: { html: 'Two' }, subject: 'Two' });
    const { body } = await call('POST', `/${id}/publish`);
    expect(body).toMatchObject({ subject: 'Two', content: { html: 'Two' }, has_draft: false });
    expect(await versionNumbers(id)).toEqual([2, 1]);
    expect((await call('POST', `/${id}/publish`)).body).toEqual(body);
    expect(await versionNumbers(id)).toEqual([2, 1]);
  });

  it('spec 2-messages §6.4 rule 4 nothing to publish is 400, and a create then creates nothing', async () => {
    const owner = await postmesh.newAccount();
    const body = { name: 'x', editor: 'html', subject: 'Only this' };
    const post = (more: object) => call('POST', '', { body: { ...body, ...more } }, owner.key);
    expectError(await post({ publish: true }), 400, 'template has no content to publish');
    expect((await call('GET', '', {}, owner.key)).body.data).toEqual([]);
    const { id } = (await post({})).body;
    expectError(
      await call('POST', `/${id}/publish`, {}, owner.key),
      400,
      'template has no content to publish',
    );
  });

  it('spec 2-messages §6.4 rule 5 the 50 newest versions are kept', async () => {
    const id = await made({ publish: true });
    await postmesh.sql('update messages.templates set last_version = 60 where id = $1', [id]);
    await postmesh.sql(
      `insert into messages.template_versions (template_id, version, id, copy_id, published_at)
       select v.template_id, n, gen_random_uuid(), v.copy_id, v.published_at
       from messages.template_versions v, generate_series(11, 60) n where v.template_id = $1`,
      [id],
    );
    await put(id, { subject: 'New', publish: true });
    expect(await versionNumbers(id)).toEqual(Array.from({ length: 50 }, (_, index) => 61 - index));
  });

  it('spec 2-messages §6.4 rule 6 restore replaces the draft; with publish the checks come first', async () => {
    const id = await made({ content: { html: 'One' }, publish: true });
    await put(id, { content: { html: 'Two' }, publish: true });
    const [two, one] = (await read(id, '/versions')).data;
    const restore = (version: string, body?: object) =>
      call('POST', `/${id}/versions/${version}/restore`, body ? { body } : {});
    expect((await restore(one.id)).body).toMatchObject({ has_draft: true, content: { html: 'Two' } });
    expect((await read(id, '/draft')).content).toMatchObject({ html: 'One', text: 'One' });
    expect((await restore(two.id)).body.has_draft).toBe(false);
    await put(id, { subject: 'Draft' });
    await postmesh.sql(
      `update messages.template_copies set html = '{% if %}' where id in
         (select copy_id from messages.template_versions where id = $1)`,
      [one.id],
    );
    expect((await restore(one.id, { publish: true })).status).toBe(400);
    expect((await read(id, '/draft')).subject).toBe('Draft');
  });

  it('spec 2-messages §6.4 rule 8 writers at the same time do not lose each other’s fields', async () => {
    const id = await made({ publish: true });
    const fields = [
      { name: 'New' },
      { subject: 'Subject' },
      { preheader: 'Preview' },
      { from: { email: `a@${domain}` } },
      { content: { html: 'New' } },
    ];
    const responses = await Promise.all(fields.map((body) => put(id, { ...body, publish: true })));
    expect(responses.map(({ status }) => status)).toEqual(fields.map(() => 200));
    expect(await read(id)).toMatchObject({
      name: 'New',
      subject: 'Subject',
      preheader: 'Preview',
      from: { email: `a@${domain}` },
      content: { html: 'New' },
      has_draft: false,
    });
    // each publish is a version; the name belongs to none
    expect(await versionNumbers(id)).toHaveLength(fields.length);
  });

  it('spec 2-messages §6.4 rule 9 deleting is soft: the row stays, and no request finds it', async () => {
    const id = await made({ publish: true });
    await call('DELETE', `/${id}`);
    const asked: [string, string][] = [
      ['GET', ''],
      ['PUT', ''],
      ['DELETE', ''],
      ['GET', '/draft'],
      ['POST', '/publish'],
      ['GET', '/versions'],
    ];
    for (const [method, rest] of asked) {
      const options = method === 'PUT' ? { body: { name: 'x' } } : {};
      expectError(await call(method, `/${id}${rest}`, options), 404, 'template not found');
    }
    expect(await postmesh.sql('select from messages.templates where id = $1', [id])).toHaveLength(1);
  });
});

describe('spec 2-messages §4 variables of a template', () => {
  it('spec 2-messages §4 rule 14 are the free names of HTML, text and preview text, in this order', async () => {
    const { body } = await create({
      subject: '{{ only_in_subject }}',
      preheader: '{{ preview }} {{ a }}',
      content: {
        html: '{% set mine = 1 %}{{ mine }}{% for item in items %}{{ item.x }}{% endfor %}{{ user.city }}{{ a }}{{ email }}',
        text: '{{ b }}',
      },
      publish: true,
    });
    expect(body.variables).toEqual(
      ['items', 'user', 'a', 'email', 'b', 'preview'].map((name) => ({ name, required: name !== 'email' })),
    );
  });

  it('spec 2-messages §4 rule 15 are required when one use is outside of a fallback', async () => {
    const html =
      '{{ a|default("x") }}{{ b or "x" }}{% if c %}{{ c }}{% endif %}{{ d if d else "x" }}{{ e|d("x") }}{{ e }}';
    const { body } = await create({ content: { html }, publish: true });
    expect(body.variables).toEqual(
      ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, required: name === 'e' })),
    );
  });
});
