import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { newId } from '@postmesh/contracts';
import { startTestService, type TestResponse, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { MARKETING_SERVICE } from '../marketing.definition.js';

const database = testDatabase();
let under: TestService;
beforeAll(async () => {
  under = await startTestService(MARKETING_SERVICE, {
    databaseUrl: database.url,
    settings: { databasePoolSize: 8 },
  });
});
afterAll(() => under.stop());

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
const call = (method: Method, rest = '', body?: unknown, account_id = under.accountId, headers = {}) =>
  under.call(method, `/v2/accounts/${account_id}/campaign-templates${rest}`, { account_id, body, headers });
const sql = (text: string, parameters: unknown[]) => under.service.get(DataSource).query(text, parameters);
const HTML = '<p>Hello {{ first_name }}</p>';
const create = (content: unknown = { html: HTML }, name: unknown = 'Newsletter') =>
  call('POST', '', { name, content });
async function made(content?: unknown): Promise<TestResponse['body']> {
  const response = await create(content);
  expect(response).toMatchObject({ status: 201 });
  return response.body;
}
const read = async (id: string) => (await call('GET', `/${id}`)).body;
const put = (id: string, body: object) => call('PUT', `/${id}`, body);
/** The result of a write that must succeed. */
const changed = async (id: string, content: object) => {
  const { status, body } = await put(id, { content });
  expect([status, body.message]).toEqual([200, undefined]);
  return body.content;
};
const message = async (asked: Promise<{ status: number; body: { message?: string } }>) => {
  const { status, body } = await asked;
  return `${status} ${body.message}`;
};
const MJML = (inside: string) =>
  `<mjml><mj-body><mj-section><mj-column>${inside}</mj-column></mj-section></mj-body></mjml>`;

describe('a new campaign template', () => {
  it('spec 3-marketing §9: has these fields, with content as §5.1 rule 5 shows it', async () => {
    const { status, body } = await create({ html: `${HTML}\r\n` }, '  Newsletter ');
    expect([status, body]).toEqual([
      201,
      {
        object: 'campaign_template',
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        created_at: expect.stringMatching(/Z$/),
        updated_at: body.created_at,
        name: 'Newsletter',
        editor: 'html',
        content: { html: `${HTML}\n`, text: 'Hello {{ first_name }}', text_is_custom: false },
      },
    ]);
    expect(await read(body.id)).toEqual(body);
    const mjml = MJML('<mj-text>Hello <a href="https://shop.test/{{ id }}">you</a></mj-text>');
    const advanced = await made({ mjml, text: 'My own {{ first_name }}' });
    expect(advanced).toMatchObject({ editor: 'advanced' });
    expect(advanced.content).toEqual({ mjml, text: 'My own {{ first_name }}', text_is_custom: true });
  });

  it('spec 3-marketing §5.1 rule 1, §5.1 rule 2, §5.1 rule 4: HTML stays as it is but for CRLF, and text_is_custom is ignored', async () => {
    const html = '<p class=a>No <b>end\n<!-- as it is -->';
    expect((await made({ html, text: null, text_is_custom: true })).content).toMatchObject({
      html,
      text_is_custom: false,
    });
    expect((await made({ html: '<p>a</p>\r\n', text: 'b\r\nc' })).content).toEqual({
      html: '<p>a</p>\n',
      text: 'b\nc',
      text_is_custom: true,
    });
  });

  it('spec 3-marketing §5.1 rule 5, §5.1 rule 6: MJML is replaced by its HTML; the text follows the HTML', async () => {
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

  it.each<[string, object, string]>([
    ['spec 3-marketing §0 an unknown field', { title: 'x' }, 'unknown field: title'],
    ['spec 3-marketing §0 a read-only field', { id: 'x' }, 'unknown field: id'],
    ['spec 3-marketing §9 the subject', { subject: 'Hi' }, 'unknown field: subject'],
    ['spec 3-marketing §9 the sender', { from: null }, 'unknown field: from'],
    ['spec 3-marketing §9 lists', { list_ids: [] }, 'unknown field: list_ids'],
    ['spec 3-marketing §9 the editor', { editor: 'html' }, 'unknown field: editor'],
    ['spec 3-marketing §9 a switch of other templates', { publish: true }, 'unknown field: publish'],
    ['spec 3-marketing §9 null as name', { name: null }, 'name must be a string'],
    ['spec 3-marketing §9 no name', { name: undefined }, 'name is required'],
    ['spec 3-marketing §9 a blank name', { name: ' \n ' }, 'name must not be empty'],
    [
      'spec 3-marketing §9 a name of 256 emoji',
      { name: '😀'.repeat(256) },
      'name must be at most 255 characters',
    ],
    ['spec 3-marketing §9 no content', { content: undefined }, 'content is required'],
    ['spec 3-marketing §5.1 rule 1 null as content', { content: null }, 'content must be an object'],
    ['spec 3-marketing §5.1 rule 1 empty content', { content: {} }, 'content must have mjml, html or text'],
    ['spec 3-marketing §5.1 rule 1 an unknown key', { content: { amp: 'x' } }, 'unknown field: content.amp'],
    [
      'spec 3-marketing §5.1 rule 1 both designs',
      { content: { mjml: 'x', html: 'y' } },
      'content must have either mjml or html, not both',
    ],
    [
      'spec 3-marketing §5.1 rule 1 text alone',
      { content: { text: 'Hi' } },
      'content must have mjml or html while there is no design',
    ],
    [
      'spec 3-marketing §5.1 rule 4 blank html',
      { content: { html: ' \n' } },
      'content.html must not be empty',
    ],
    ['spec 3-marketing §5.1 rule 4 blank mjml', { content: { mjml: '' } }, 'content.mjml must not be empty'],
    [
      'spec 3-marketing §5.1 rule 4 blank text',
      { content: { html: HTML, text: '\t' } },
      'content.text must not be empty',
    ],
    [
      'spec 3-marketing §5.1 rule 4 too much html',
      { content: { html: 'é'.repeat(524_289) } },
      'content.html must be at most 1 MiB',
    ],
    [
      'spec 3-marketing §5.1 rule 4 too much mjml',
      { content: { mjml: 'x'.repeat(1_048_577) } },
      'content.mjml must be at most 1 MiB',
    ],
    [
      'spec 3-marketing §5.1 rule 4 too much text',
      { content: { html: HTML, text: 'é'.repeat(131_073) } },
      'content.text must be at most 256 KiB',
    ],
    [
      'spec 3-marketing §5.1 rule 4 MJML that makes too much HTML',
      { content: { mjml: MJML(`<mj-text>${'x'.repeat(1_048_000)}</mj-text>`) } },
      'content.mjml: it makes more than 1 MiB of HTML',
    ],
    [
      'spec 3-marketing §5.1 rule 2 problems of MJML',
      { content: { mjml: MJML('\n<mj-x />\n<mj-text colour="x">y</mj-text>') } },
      "content.mjml line 2: Element mj-x doesn't exist or is not registered; content.mjml line 3: Attribute colour is illegal",
    ],
    [
      'spec 3-marketing §5.1 rule 2 an include',
      { content: { mjml: MJML('<mj-include path="./x.mjml" />') } },
      'content.mjml line 1: mj-include is not supported',
    ],
    [
      'spec 3-marketing §3.2 U14 unrenderable html',
      { content: { html: '{% if a %}' } },
      'content.html holds a {{, {% or {#',
    ],
    [
      'spec 3-marketing §3.2 U14 unrenderable mjml, with its line',
      { content: { mjml: MJML('\n<mj-text>{{ a|shout }}</mj-text>') } },
      'content.mjml holds a {{, {% or {# that cannot be rendered: line 2: unknown filter "shout"',
    ],
    [
      'spec 3-marketing §3.2 U14 unrenderable text',
      { content: { html: HTML, text: '{{ a' } },
      'content.text holds a {{, {% or {#',
    ],
    [
      'spec 3-marketing §5.2 an include',
      { content: { html: '{% include "x" %}' } },
      'content.html holds a {{, {% or {#',
    ],
    [
      'spec 3-marketing §5.2 a macro',
      { content: { html: HTML, text: '{% macro x() %}{% endmacro %}' } },
      'content.text holds a {{, {% or {#',
    ],
    [
      'spec 3-marketing §5.1 rule 6 a text that would not render',
      { content: { html: '<html><head>{% if a %}</head><body>x{% endif %}</body></html>' } },
      'the text made from the HTML holds a {{, {% or {#',
    ],
  ])('%s is refused', async (_, body, text) => {
    const { status, body: answer } = await call('POST', '', {
      name: 'x',
      content: { html: HTML },
      ...body,
    });
    expect(status).toBe(400);
    expect(answer.message).toContain(text);
  });

  it('spec 3-marketing §5.1 rule 3: images and stylesheets are at full https URLs or whole expressions', async () => {
    const taken = [
      '<img src="https://a.test/b.png">',
      '<img src="https://{{ host }}/b.png">',
      '<img src=" {{ picture }} ">',
      '<td background="{{ picture|default("https://a.test/b.png") }}">x</td>',
      '<p style="background: url({{ picture }})">x</p>',
      '<link rel="stylesheet" href="https://a.test/c.css">',
      '<a href="http://a.test/">links may be anywhere</a>',
    ];
    expect(await message(create({ html: `${taken.join('\n')}{{ unsubscribe_url }}` }))).toMatch(/^201/);
    const refused = [
      'http://a.test/b.png',
      'b.png',
      '//a.test/b.png',
      'cid:logo',
      'data:image/png;base64,AAAA',
      '{{ base }}/b.png',
      '{{ base }}{{ file }}',
      '{% if a %}https://a.test/b.png{% endif %}',
    ];
    for (const url of refused) {
      expect(await message(create({ html: `<p>x</p>\n<img src="${url}">` }))).toBe(
        `400 content.html line 2: images and stylesheets need a full https:// URL or a {{ variable }}, not '${url}'`,
      );
    }
    for (const html of ['<p style="background:url(b.png)">', '<link rel="stylesheet" href="b.png">']) {
      expect(await message(create({ html }))).toMatch(/^400 .*not 'b.png'$/);
    }
    expect(await message(create({ html: '<img srcset="{{ base }}/b.png 1x">' }))).toMatch(
      /^400 content.html/,
    );
    expect(await message(create({ mjml: MJML('<mj-image src="{{ base }}/b.png" />') }))).toMatch(
      /^400 content.mjml line 1: images/,
    );
  });
});

describe('a changed campaign template', () => {
  it('spec 3-marketing §9: name and content are written at once, the editor never changes', async () => {
    const { id, ...template } = await made();
    const { status, body } = await put(id, { name: ' Winter ' });
    expect([status, body]).toEqual([
      200,
      { ...template, id, name: 'Winter', updated_at: expect.stringMatching(/Z$/) },
    ]);
    expect(await changed(id, { html: '<p>New</p>' })).toEqual({
      html: '<p>New</p>',
      text: 'New',
      text_is_custom: false,
    });
    expect(await read(id)).toMatchObject({ name: 'Winter', editor: 'html', content: { text: 'New' } });
  });

  it('spec 3-marketing §9: a request with no field, or with a field of its own, is refused', async () => {
    const { id } = await made();
    expect(await message(put(id, {}))).toBe('400 no field to update');
    expect(await message(put(id, { editor: 'html' }))).toBe('400 unknown field: editor');
    expect(await message(put(id, { name: null }))).toBe('400 name must be a string');
    expect(await message(put(id, { content: null }))).toBe('400 content must be an object');
    expect(await message(put(newId(), { name: 'x' }))).toBe('404 template not found');
    expect(await message(put('x', { name: 'x' }))).toBe('400 invalid template_id');
  });

  it('spec 3-marketing §3.2 U9: content works in the editor of the design', async () => {
    const { id } = await made();
    const advanced = await made({ mjml: MJML('<mj-text>x</mj-text>') });
    expect(await message(put(id, { content: { mjml: MJML('') } }))).toBe(
      '400 content.mjml is for the editor advanced, not for html',
    );
    expect(await message(put(advanced.id, { content: { html: 'x' } }))).toBe(
      '400 content.html is for the editor html, not for advanced',
    );
  });

  it('spec 3-marketing §3.2 U12: with a new design a hand-written text stays, a derived one is made again', async () => {
    const { id } = await made();
    expect(await changed(id, { html: '<p>Two</p>' })).toMatchObject({ text: 'Two', text_is_custom: false });
    await changed(id, { text: 'Mine' });
    expect(await changed(id, { html: '<p>Three</p>' })).toEqual({
      html: '<p>Three</p>',
      text: 'Mine',
      text_is_custom: true,
    });
  });

  it('spec 3-marketing §3.2 U13: a text of null is made from the HTML, the new one or the stored one', async () => {
    const { id } = await made({ html: '<p>One</p>', text: 'Mine' });
    expect(await changed(id, { html: '<p>Two</p>', text: null })).toMatchObject({
      text: 'Two',
      text_is_custom: false,
    });
    await changed(id, { text: 'Mine' });
    expect(await changed(id, { text: null })).toEqual({
      html: '<p>Two</p>',
      text: 'Two',
      text_is_custom: false,
    });
  });

  it('spec 3-marketing §3.2 U15: a text is derived or hand-written by what it equals', async () => {
    const { id } = await made({ html: '<p>One</p>', text: 'One' });
    expect((await read(id)).content.text_is_custom).toBe(false);
    expect(await changed(id, { html: '<p>Two</p>', text: 'One' })).toMatchObject({
      text: 'Two',
      text_is_custom: false,
    });
    expect(await changed(id, { html: '<p>Three</p>', text: 'Three' })).toMatchObject({
      text_is_custom: false,
    });
    expect(await changed(id, { html: '<p>Four</p>', text: 'Line\r\nline' })).toMatchObject({
      text: 'Line\nline',
      text_is_custom: true,
    });
    // a hand-written text is no derived text of the old design
    expect(await changed(id, { html: '<p>Five</p>', text: 'Line\nline' })).toMatchObject({
      text_is_custom: true,
    });
    await changed(id, { html: '<p>Line<br>line</p>' });
    expect(await changed(id, { text: 'Line\nline' })).toMatchObject({ text_is_custom: false });
    expect(await message(put(id, { content: { text: ' ' } }))).toBe('400 content.text must not be empty');
  });

  it('spec 3-marketing §3.2 U15, U16: a response can be sent back, and changes nothing', async () => {
    for (const content of [
      { html: HTML },
      { html: HTML, text: 'Mine' },
      { mjml: MJML('<mj-text>Hello</mj-text>') },
      { html: '<img src="https://a.test/b.png">' },
    ]) {
      const template = await made(content);
      const { body } = await put(template.id, { name: template.name, content: template.content });
      expect(body).toEqual(template);
    }
  });

  it('spec 3-marketing §3.2 U16: a stored design is not checked again', async () => {
    const { id } = await made();
    const html = '<p>Old</p><img src="http://a.test/b.png">';
    expect(await message(put(id, { content: { html } }))).toMatch(/^400 content.html line 1: images/);
    // stored before that rule existed
    await sql('update campaign_templates set html = $2 where id = $1', [id, html]);
    expect(await changed(id, { html, text: 'Mine' })).toEqual({ html, text: 'Mine', text_is_custom: true });
    expect(await changed(id, { text: null })).toEqual({ html, text: 'Old', text_is_custom: false });
  });

  it('spec 3-marketing §3.2 U14: a given text must render, and a refused request changes nothing (U18)', async () => {
    const { id } = await made();
    const before = await read(id);
    expect(await message(put(id, { name: 'New', content: { html: '<p>{{ x</p>' } }))).toMatch(
      /^400 content.html holds a \{\{, \{% or \{#/,
    );
    expect(await message(put(id, { name: 'New', content: { text: '{% for x %}' } }))).toMatch(
      /^400 content.text holds a \{\{, \{% or \{#/,
    );
    expect(await read(id)).toEqual(before);
  });

  it('spec 3-marketing §3.2 U18: a key replays the answer, also that of a failed request', async () => {
    const keyed = (method: Method, rest: string, key: string, body: object) =>
      call(method, rest, body, under.accountId, { 'idempotency-key': key });
    const body = { name: 'Once', content: { html: HTML } };
    const [first, again] = [await keyed('POST', '', 'create', body), await keyed('POST', '', 'create', body)];
    expect([again.status, again.body, again.headers['idempotent-replayed']]).toEqual([
      201,
      first.body,
      'true',
    ]);
    const wrong = { content: { html: '{{' } };
    const { id } = first.body;
    expect(await message(keyed('PUT', `/${id}`, 'change', wrong))).toMatch(/^400 content.html holds a/);
    const replayed = await keyed('PUT', `/${id}`, 'change', wrong);
    expect([replayed.status, replayed.headers['idempotent-replayed']]).toEqual([400, 'true']);
    expect(await read(id)).toEqual(first.body);
  });

  it('spec 3-marketing §3.2 U17: concurrent changes are all applied, one after the other', async () => {
    const { id } = await made();
    const texts = Array.from({ length: 6 }, (_, at) => `Text ${at}`);
    const answers = await Promise.all([
      put(id, { name: 'Both' }),
      put(id, { content: { html: '<p>Both</p>' } }),
      ...texts.map((text) => put(id, { content: { text } })),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const { name, content } = await read(id);
    expect([name, content.html, content.text_is_custom]).toEqual(['Both', '<p>Both</p>', true]);
    expect(texts).toContain(content.text);
  });
});

describe('the list of campaign templates', () => {
  it('spec 3-marketing §9: is paged, newest first, without content, and filtered by a part of the name', async () => {
    const account = newId();
    for (const name of ['50% Off_Winter', 'spring', 'Winter\\sale']) {
      await call('POST', '', { name, content: { html: HTML } }, account);
    }
    const page = async (query: string) => (await call('GET', query, undefined, account)).body;
    const names = async (query: string) => (await page(query)).data.map(({ name }: { name: string }) => name);
    const first = await page('?limit=2');
    expect(first).toMatchObject({
      object: 'list',
      pagination: { has_more: true, next_cursor: expect.any(String), previous_cursor: null },
    });
    expect(first.data.map(({ name }: { name: string }) => name)).toEqual(['Winter\\sale', 'spring']);
    expect(Object.keys(first.data[0])).toEqual([
      'object',
      'id',
      'created_at',
      'updated_at',
      'name',
      'editor',
    ]);
    expect(await names(`?limit=2&after=${first.pagination.next_cursor}`)).toEqual(['50% Off_Winter']);
    expect(await names('?name=WINTER')).toEqual(['Winter\\sale', '50% Off_Winter']);
    expect(await names('?name=0%25')).toEqual(['50% Off_Winter']);
    expect(await names('?name=f_')).toEqual(['50% Off_Winter']);
    expect(await names('?name=%5C')).toEqual(['Winter\\sale']);
    expect(await names('?name=%20%20')).toHaveLength(3);
    expect(await names('?name=Winter%20x')).toEqual([]);
  });
});

describe('a deleted campaign template', () => {
  it('spec 3-marketing §9 X1, X2: is gone for good', async () => {
    const { id } = await made();
    expect(await message(call('DELETE', `/${id}`))).toBe(
      `200 campaign template ${id} (Newsletter) deleted successfully`,
    );
    for (const method of ['GET', 'DELETE'] as const) {
      expect(await message(call(method, `/${id}`))).toBe('404 template not found');
    }
    expect(await message(put(id, { name: 'x' }))).toBe('404 template not found');
    const { data } = (await call('GET')).body;
    expect(data.map((one: { id: string }) => one.id)).not.toContain(id);
  });
});
