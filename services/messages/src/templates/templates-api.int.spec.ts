import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '@postmesh/testing';
import { startTemplates, type TemplatesUnderTest } from '../testing/templates-under-test.js';
import { PublishedTemplates } from './published-templates.js';
import { PurgeTemplates } from './purge-templates.js';

const database = testDatabase();
let under: TemplatesUnderTest;
let account: string;
beforeAll(async () => {
  under = await startTemplates(database.url);
  account = under.account();
  under.domains.set('paused.test', { paused: true });
  under.domains.set('new.test', { dns_valid: false });
});
afterAll(() => under.stop());

const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', rest: string, body?: unknown, more: object = {}) =>
  under.templates(account, method, rest, { ...(body === undefined ? {} : { body }), ...more });
const create = (body: object = {}) =>
  call('POST', '', { name: 'Login code', content: { html: '<p>Hi</p>' }, ...body });
async function made(body: object = {}): Promise<string> {
  const response = await create(body);
  expect(response).toMatchObject({ status: 201 });
  return response.body.id;
}
const get = async (id: string) => (await call('GET', `/${id}`)).body;
const draft = async (id: string) => (await call('GET', `/${id}/draft`)).body;
const put = (id: string, body: object) => call('PUT', `/${id}`, body);
const versions = async (id: string) => (await call('GET', `/${id}/versions`)).body.data;

const MJML = (inside: string) =>
  `<mjml><mj-body><mj-section><mj-column>${inside}</mj-column></mj-section></mj-body></mjml>`;

describe('POST …/templates', () => {
  it('keeps everything but the name in a draft', async () => {
    const { status, body } = await create({
      subject: ' Your\r\ncode ',
      preheader: 'Valid\n10 minutes',
      from: { email: 'No-Reply@Shop.test', name: 'Shop' },
      reply_to: { email: 'help@other.test' },
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      object: 'template',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      created_at: expect.stringMatching(/Z$/),
      updated_at: body.created_at,
      name: 'Login code',
      subject: '',
      preheader: '',
      variables: [],
      from: null,
      reply_to: null,
      editor: 'html',
      has_draft: true,
      content: null,
    });
    expect(await get(body.id)).toEqual(body);
    expect(await draft(body.id)).toEqual({
      object: 'template_draft',
      template_id: body.id,
      updated_at: expect.stringMatching(/Z$/),
      subject: 'Your code',
      preheader: 'Valid 10 minutes',
      variables: [],
      from: { email: 'no-reply@shop.test', name: 'Shop' },
      reply_to: { email: 'help@other.test', name: '' },
      content: { html: '<p>Hi</p>', text: 'Hi', text_is_custom: false },
      issues: [],
    });
  });

  it('publishes when it is told to', async () => {
    const { body } = await create({ subject: 'Code', publish: true });
    expect(body).toMatchObject({
      has_draft: false,
      subject: 'Code',
      content: { html: '<p>Hi</p>', text: 'Hi' },
    });
    expect(await versions(body.id)).toMatchObject([{ version: 1, published_by: { type: 'api_key' } }]);
    expect(await call('GET', `/${body.id}/draft`)).toMatchObject({
      status: 404,
      body: { message: 'template has no draft' },
    });
  });

  it('compiles MJML', async () => {
    const mjml = MJML('<mj-text>Hello <a href="https://shop.test/{{ id }}">you</a></mj-text>');
    const { body } = await create({ content: { mjml }, publish: true });
    expect(body).toMatchObject({ editor: 'advanced', has_draft: false });
    expect(body.content).toEqual({
      mjml,
      text: 'Hello you (https://shop.test/{{ id }})',
      text_is_custom: false,
    });
    const sent = await under.service.get(PublishedTemplates).find(account, body.id);
    expect(sent?.html).toMatch(/^<!doctype html>[^]*Hello <a href="https:\/\/shop\.test\/\{\{ id }}">/);
  });

  it.each<[string, object, string]>([
    ['no name', { name: undefined }, 'name is required'],
    ['a blank name', { name: ' \n ' }, 'name must not be empty'],
    ['null as name', { name: null }, 'name must be a string'],
    ['a name that is too long', { name: 'é'.repeat(256) }, 'name must be at most 255 characters'],
    ['an unknown field', { title: 'x' }, 'unknown field: title'],
    ['a field that is not writable', { variables: [] }, 'variables is not writable'],
    ['no editor', { content: undefined }, 'editor is required when content has neither mjml nor html'],
    [
      'an editor for text alone',
      { content: { text: 'Hi' } },
      'editor is required when content has neither mjml nor html',
    ],
    ['another editor', { editor: 'advanced' }, 'content.html is for the editor html, not for advanced'],
    ['an unknown editor', { editor: 'word' }, 'editor must be one of: advanced, simple, html'],
    ['a subject that is too long', { subject: 'x'.repeat(999) }, 'subject must be at most 998 characters'],
    [
      'a preheader that is too long',
      { preheader: 'x'.repeat(501) },
      'preheader must be at most 500 characters',
    ],
    ['a subject that is no text', { subject: 7 }, 'subject must be a string'],
    ['a NUL character', { subject: 'a\u0000b' }, 'subject must not contain a NUL character'],
    [
      'a foreign domain',
      { from: { email: 'a@foreign.test' } },
      "domain 'foreign.test' not found in this account",
    ],
    [
      'an unverified domain',
      { from: { email: 'a@new.test' } },
      "domain 'new.test' does not have valid DNS records",
    ],
    [
      'a paused domain',
      { from: { email: 'a@paused.test' } },
      "Sending from domain 'paused.test' is paused. Check your dashboard for the reason.",
    ],
    ['no address', { from: { email: 'shop.test' } }, 'from.email is not a valid email address'],
    ['an address of a text', { from: 'a@shop.test' }, 'from must be an object'],
    ['a field of from', { from: { email: 'a@shop.test', id: 1 } }, 'unknown field: from.id'],
    ['a reply-to alone', { reply_to: { email: 'a@b.test' } }, 'reply_to needs a sender, give from'],
    [
      'a reply-to beyond ASCII',
      { from: { email: 'a@shop.test' }, reply_to: { email: '上海@else.test' } },
      'reply_to.email must be an ASCII address',
    ],
    [
      'a named reply-to',
      { from: { email: 'a@shop.test' }, reply_to: { email: 'a@b.test', name: 'A' } },
      'reply_to.name must be empty',
    ],
    ['null as content', { content: null }, 'content must be an object'],
    ['empty content', { content: {} }, 'content must have mjml, html or text'],
    [
      'both designs',
      { content: { mjml: '<mjml/>', html: 'x' } },
      'content must have either mjml or html, not both',
    ],
    ['a blank text', { content: { html: 'x', text: ' ' } }, 'content.text must not be empty'],
    ['blank HTML', { content: { html: '\r\n' } }, 'content.html must not be empty'],
    ['an unknown field of content', { content: { html: 'x', amp: 'y' } }, 'unknown field: content.amp'],
    ['large HTML', { content: { html: 'é'.repeat(524_289) } }, 'content.html must be at most 1 MiB'],
    ['large MJML', { content: { mjml: 'x'.repeat(1_048_577) } }, 'content.mjml must be at most 1 MiB'],
    [
      'a large text',
      { content: { html: 'x', text: 'x'.repeat(262_145) } },
      'content.text must be at most 256 KiB',
    ],
    [
      'a text alone that is to be made',
      { editor: 'html', content: { text: null } },
      'content.text cannot be made: there is no HTML',
    ],
    [
      'nothing to publish',
      { editor: 'html', content: undefined, publish: true },
      'template has no content to publish',
    ],
    ['publish as a text', { publish: 'yes' }, 'publish must be a boolean'],
  ])('%s is 400', async (_, fields, message) => {
    expect(await create(fields)).toMatchObject({ status: 400, body: { message } });
  });

  it('says every problem of MJML with its line', async () => {
    const mjml = MJML('\n<mj-text colour="red">x</mj-text>\n<mj-nothing />\n');
    expect(await create({ content: { mjml } })).toMatchObject({
      status: 400,
      body: {
        message:
          "content.mjml line 2: Attribute colour is illegal; content.mjml line 3: Element mj-nothing doesn't exist or is not registered",
      },
    });
  });
});

describe('PUT …/templates/{id}', () => {
  it('refuses a request without a field', async () => {
    const id = await made();
    for (const body of [{}, { publish: null }]) {
      expect(await put(id, body)).toMatchObject({ status: 400, body: { message: 'no changes given' } });
    }
    expect(await put(id, { editor: 'html' })).toMatchObject({ body: { message: 'unknown field: editor' } });
    expect(await put(id, { name: null })).toMatchObject({
      status: 400,
      body: { message: 'name must be a string' },
    });
    expect((await put(id, { publish: false })).status).toBe(200);
  });

  it('null clears on purpose', async () => {
    const id = await made({
      subject: 'Code',
      preheader: 'Soon',
      from: { email: 'a@shop.test', name: 'A' },
      reply_to: { email: 'b@other.test' },
      content: { html: '<p>Hi</p>', text: 'Mine' },
    });
    await put(id, { reply_to: null });
    expect(await draft(id)).toMatchObject({ reply_to: null, from: { name: 'A' } });
    await put(id, { reply_to: { email: 'b@other.test' } });
    await put(id, { subject: null, preheader: '', from: null });
    expect(await draft(id)).toMatchObject({ subject: '', preheader: '', from: null, reply_to: null });
    await put(id, { content: { text: null } });
    expect((await draft(id)).content).toEqual({ html: '<p>Hi</p>', text: 'Hi', text_is_custom: false });
  });

  it('null beside a design that is given is the same as a design that is not', async () => {
    const id = await made();
    expect((await put(id, { content: { mjml: null, html: '<p>Two</p>', text: null } })).status).toBe(200);
    expect((await draft(id)).content).toMatchObject({ html: '<p>Two</p>', text: 'Two' });
    expect((await put(id, { content: { mjml: null, html: null } })).body.message).toBe(
      'content must have mjml, html or text',
    );
  });

  it('a sender replaces email and name together', async () => {
    const id = await made({ from: { email: 'a@shop.test', name: 'A' } });
    await put(id, { from: { email: 'b@shop.test' } });
    expect((await draft(id)).from).toEqual({ email: 'b@shop.test', name: '' });
  });

  it('text of another design is made again, a custom one too', async () => {
    const id = await made({ content: { html: '<p>One</p>', text: 'Mine' }, publish: true });
    expect((await get(id)).content).toMatchObject({ text: 'Mine', text_is_custom: true });
    await put(id, { content: { html: '<p>One</p>' } });
    expect((await get(id)).has_draft).toBe(false);
    await put(id, { content: { html: '<p>Two</p>' } });
    expect((await draft(id)).content).toEqual({ html: '<p>Two</p>', text: 'Two', text_is_custom: false });
  });

  it('text that was made earlier does not become custom', async () => {
    const id = await made({ content: { html: '<p>One</p>' }, publish: true });
    await put(id, { content: { html: '<p>Two</p>', text: 'One' } });
    expect((await draft(id)).content).toMatchObject({ text: 'Two', text_is_custom: false });
    await put(id, { content: { html: '<p>Three</p>', text: 'Three' } });
    expect((await draft(id)).content).toMatchObject({ text: 'Three', text_is_custom: false });
    await put(id, { content: { text: 'One' } });
    expect((await draft(id)).content).toMatchObject({
      html: '<p>Three</p>',
      text: 'One',
      text_is_custom: true,
    });
    await put(id, { content: { text: 'Three' } });
    expect((await draft(id)).content).toMatchObject({ text: 'Three', text_is_custom: false });
  });

  it('what was read can be sent back, CRLF or LF', async () => {
    const id = await made({ content: { html: '<p>One</p>\n<p>Two</p>', text: 'Mine\nhere' }, publish: true });
    const { content } = await get(id);
    const crlf = { ...content, html: content.html.replaceAll('\n', '\r\n'), text: 'Mine\r\nhere' };
    for (const body of [{ content }, { content: crlf }]) {
      expect((await put(id, body)).body).toEqual(await get(id));
    }
    expect((await get(id)).has_draft).toBe(false);
  });

  it('a design that is stored is not compiled or checked again', async () => {
    const id = await made({ publish: true });
    await under.sql('update template_copies set html = $2 where template_id = $1', [
      id,
      '<img src="cid:logo">',
    ]);
    expect((await put(id, { content: { html: '<img src="cid:logo">' }, subject: 'x' })).status).toBe(200);
    expect((await put(id, { content: { html: '<img src="cid:logo2">' } })).status).toBe(400);
    // of the published copy, while the draft has another one
    await put(id, { content: { html: '<p>Else</p>' } });
    expect((await put(id, { content: { html: '<img src="cid:logo">' } })).status).toBe(200);
  });
});

describe('draft and versions', () => {
  it('publish makes a version, restore takes it back, an equal draft is none', async () => {
    const id = await made({ content: { html: '<p>One</p>' }, publish: true });
    await put(id, { content: { html: '<p>Two</p>' }, publish: true });
    const [two, one] = await versions(id);
    expect([two.version, one.version]).toEqual([2, 1]);
    const restore = (version: string, body?: object) =>
      call('POST', `/${id}/versions/${version}/restore`, body);
    expect((await restore(one.id)).body).toMatchObject({ has_draft: true, content: { text: 'Two' } });
    expect((await draft(id)).content.text).toBe('One');
    expect((await restore(two.id)).body.has_draft).toBe(false);
    expect((await restore(one.id, { publish: true })).body).toMatchObject({
      has_draft: false,
      content: { html: '<p>One</p>', text: 'One' },
    });
    expect((await versions(id)).map(({ version }: { version: number }) => version)).toEqual([3, 2, 1]);
    expect((await call('GET', `/${id}/versions/${one.id}`)).body).toMatchObject({
      object: 'template_version',
      version: 1,
      content: { html: '<p>One</p>' },
    });
  });

  it('a draft is discarded with or without one', async () => {
    const id = await made({ publish: true });
    await put(id, { subject: 'New' });
    for (let round = 0; round < 2; round += 1) {
      expect(await call('DELETE', `/${id}/draft`)).toMatchObject({
        status: 200,
        body: { has_draft: false, subject: '' },
      });
    }
  });

  it('publish without a draft changes nothing; without anything it is refused', async () => {
    const id = await made({ publish: true });
    const before = await get(id);
    expect((await call('POST', `/${id}/publish`, undefined, { text: 'no JSON' })).body).toEqual(before);
    expect(await versions(id)).toHaveLength(1);
    const empty = await made({ editor: 'html', content: undefined, subject: 'Only this' });
    expect(await call('POST', `/${empty}/publish`)).toMatchObject({
      status: 400,
      body: { message: 'template has no content to publish' },
    });
  });

  it('keeps the 50 newest versions, and no copy that nobody points to', async () => {
    const id = await made({ publish: true });
    for (let count = 2; count <= 52; count += 1) {
      expect((await put(id, { subject: `Subject ${count}`, publish: true })).status).toBe(200);
    }
    const kept = await versions(id);
    expect(kept.map(({ version }: { version: number }) => version)).toEqual(
      Array.from({ length: 50 }, (_, index) => 52 - index),
    );
    const rows = await under.sql('select from template_copies where template_id = $1', [id]);
    expect(rows).toHaveLength(50);
  });

  it('a publisher that was deleted is not shown', async () => {
    const id = await made({ publish: true });
    const [{ published_by }] = await versions(id);
    under.deletedKeys.add(published_by.id);
    expect((await versions(id))[0].published_by).toBeNull();
  });

  it('versions of another template are not found', async () => {
    const [id, other] = [await made({ publish: true }), await made({ publish: true })];
    const [{ id: version }] = await versions(other);
    for (const [method, rest] of [
      ['GET', ''],
      ['POST', '/restore'],
    ] as const) {
      expect(await call(method, `/${id}/versions/${version}${rest}`)).toMatchObject({
        status: 404,
        body: { message: 'template version not found' },
      });
    }
  });
});

describe('writers at the same time', () => {
  it('none loses its field, and each publish is a version', async () => {
    const id = await made({ publish: true });
    const fields = [
      { name: 'Renamed' },
      { subject: 'Subject' },
      { preheader: 'Preview' },
      { from: { email: 'a@shop.test' } },
      { content: { html: '<p>New</p>' } },
    ];
    const statuses = await Promise.all(
      fields.map(async (body) => (await put(id, { ...body, publish: true })).status),
    );
    expect(statuses).toEqual(fields.map(() => 200));
    expect(await get(id)).toMatchObject({
      name: 'Renamed',
      subject: 'Subject',
      preheader: 'Preview',
      from: { email: 'a@shop.test' },
      content: { html: '<p>New</p>' },
      has_draft: false,
    });
    expect(await versions(id)).toHaveLength(fields.length);
  });

  it('one that is overtaken again and again is told to try again', async () => {
    const id = await made({ publish: true });
    // every write of this template looks overtaken
    await under.sql(
      `create function overtaken() returns trigger language plpgsql as $$ begin return null; end $$`,
    );
    await under.sql(
      `create trigger overtaken before update on templates for each row when (old.id = '${id}') execute function overtaken()`,
    );
    const response = await put(id, { subject: 'Never' });
    await under.sql('drop trigger overtaken on templates');
    expect(response).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
      body: { message: 'template is being changed by another request, try again' },
    });
    expect((await get(id)).has_draft).toBe(false);
  });

  it('a delete ends what is being written', async () => {
    const id = await made({ publish: true });
    const [write, deletion] = await Promise.all([put(id, { subject: 'x' }), call('DELETE', `/${id}`)]);
    expect([200, 404]).toContain(write.status);
    expect(deletion.status).toBe(200);
    expect((await call('GET', `/${id}`)).status).toBe(404);
  });
});

describe('deleting', () => {
  it('spec 2-messages §6.4 rule 9 hides the template at once, from sends too, and removes it later', async () => {
    const id = await made({ publish: true });
    const published = under.service.get(PublishedTemplates);
    expect(await published.find(account, id)).toMatchObject({ id, html: '<p>Hi</p>' });
    expect(await call('DELETE', `/${id}`)).toMatchObject({
      status: 200,
      body: { message: 'template deleted successfully' },
    });
    expect(await published.find(account, id)).toBeUndefined();
    for (const [method, rest] of [
      ['DELETE', ''],
      ['GET', ''],
      ['PUT', ''],
      ['GET', '/draft'],
      ['POST', '/publish'],
      ['GET', '/versions'],
    ] as const) {
      const response = await call(method, `/${id}${rest}`, method === 'PUT' ? { name: 'x' } : undefined);
      expect(response).toMatchObject({ status: 404, body: { message: 'template not found' } });
    }
    const purge = () => under.service.get(PurgeTemplates).purge(new AbortController().signal);
    const left = () => under.sql('select from template_copies where template_id = $1', [id]);
    await purge();
    expect(await left()).toHaveLength(1);
    await under.sql(`update templates set deleted_at = now() - interval '31 days' where id = $1`, [id]);
    await purge();
    expect(await left()).toHaveLength(0);
  });

  it('of an account takes everything', async () => {
    const gone = under.account();
    await under.templates(gone, 'POST', '', { body: { name: 'x', content: { html: 'y' } } });
    await under.service.get(PurgeTemplates).deleteAccount(gone as never, new AbortController().signal);
    expect(await under.sql('select from templates where account_id = $1', [gone])).toHaveLength(0);
  });

  it('templates of others are not there', async () => {
    const id = await made({ publish: true });
    const stranger = under.account();
    expect((await under.templates(stranger, 'GET', `/${id}`)).status).toBe(404);
    expect((await under.templates(stranger, 'DELETE', `/${id}`)).status).toBe(404);
    expect(await under.service.get(PublishedTemplates).find(stranger, id)).toBeUndefined();
  });
});

describe('PublishedTemplates', () => {
  it('spec 2-messages §6.4 rule 7 is the published copy, whose change is seen by the next send however often it was used', async () => {
    const published = under.service.get(PublishedTemplates);
    const id = await made({ editor: 'html', content: undefined });
    expect(await published.find(account, id)).toMatchObject({
      html: undefined,
      text: undefined,
      subject: '',
    });
    await put(id, { content: { html: '<p>One</p>' }, from: { email: 'a@shop.test' }, publish: true });
    for (let round = 0; round < 2; round += 1) {
      expect(await published.find(account, id)).toMatchObject({
        html: '<p>One</p>',
        text: 'One',
        from: { email: 'a@shop.test', name: '' },
        replyTo: null,
      });
    }
    await put(id, { content: { html: '<p>Two</p>' } });
    expect(await published.find(account, id)).toMatchObject({ html: '<p>One</p>' });
    await call('POST', `/${id}/publish`);
    expect(await published.find(account, id)).toMatchObject({ html: '<p>Two</p>', text: 'Two' });
  });
});

describe('GET …/templates', () => {
  it('is paginated, newest first, without content', async () => {
    const owner = under.account();
    const add = (name: string) =>
      under.templates(owner, 'POST', '', { body: { name, content: { html: name }, publish: true } });
    for (const name of ['a', 'b', 'c']) expect((await add(name)).status).toBe(201);
    const list = async (rest: string) => (await under.templates(owner, 'GET', rest)).body;
    const first = await list('?limit=2');
    expect(first.data.map(({ name }: { name: string }) => name)).toEqual(['c', 'b']);
    expect(first.data[0]).not.toHaveProperty('content');
    const second = await list(`?limit=2&after=${first.pagination.next_cursor}`);
    expect(second.data.map(({ name }: { name: string }) => name)).toEqual(['a']);
    const back = await list(`?limit=2&before=${second.pagination.previous_cursor}`);
    expect(back.data).toEqual(first.data);
  });
});

describe('POST …/templates/{id}/preview', () => {
  const preview = (id: string, body?: object) => call('POST', `/${id}/preview`, body);
  const DESIGN = {
    subject: 'Code {{ code }}',
    preheader: 'For {{ name|default("you") }}',
    from: { email: 'no-reply@shop.test', name: 'Zoë' },
    reply_to: { email: 'help@other.test' },
    content: {
      html: '<body><p>{{ name|title }}: {{ code }}</p>{{ unsubscribe_url }}</body>',
      text: '{{ code }} {{ name }}',
    },
  };
  const codes = (issues: { code: string }[]) => issues.map(({ code }) => code);

  it('spec 2-messages §6.5 rule 2, §6.5 rule 4 shows the message that a send would make, and sends nothing', async () => {
    const id = await made(DESIGN);
    const code = JSON.rawJSON('1267890123456789012');
    const { status, body } = await preview(id, {
      email: ' Ann@Mail.test',
      substitutions: { name: 'o&k', code },
    });
    expect([status, body]).toEqual([
      200,
      {
        object: 'message_preview',
        subject: 'Code 1267890123456789012',
        html: expect.stringMatching(
          /^<body><div style="[^"]*">For o&amp;k.*<p>O&amp;K: 1267890123456789012<\/p>http[^<]*\/u\/[\w-]+<\/body>$/s,
        ),
        text: '1267890123456789012 o&k',
        headers: {
          From: ['Zoë <no-reply@shop.test>'],
          'Reply-To': ['help@other.test'],
          To: ['ann@mail.test'],
          Subject: ['Code 1267890123456789012'],
          'List-Unsubscribe': [expect.stringMatching(/^<http.*\/u\/[\w-]+>$/)],
          'List-Unsubscribe-Post': ['List-Unsubscribe=One-Click'],
        },
        issues: [],
      },
    ]);
    const [row] = await under.sql<{ count: number }>('select count(*)::int as count from send_requests');
    expect(row?.count).toBe(0);
  });

  it('spec 2-messages §6.5 rule 1 is of the draft, or of the published copy where that is asked for', async () => {
    const id = await made({ content: { html: '<p>One</p>' } });
    expect(await preview(id, { published: true })).toMatchObject({
      status: 400,
      body: { message: 'template has no published content, design it and publish it' },
    });
    await call('POST', `/${id}/publish`);
    expect((await preview(id)).body.html).toContain('One');
    await put(id, { content: { html: '<p>Two</p>' } });
    expect((await preview(id, {})).body.html).toContain('Two');
    expect((await preview(id, { published: true })).body.html).toContain('One');
    expect((await call('POST', `/${account}/preview`)).status).toBe(404);
  });

  it('spec 2-messages §6.5 rule 3, §6.5 rule 4, §6.5 rule 5 names what is missing or cannot be rendered, and shows the rest', async () => {
    const id = await made({ content: { html: '<p>\n{{ a|shout }}</p>', text: 'Hi {{ a }} {{ b }}' } });
    const broken = { code: 'content_unrenderable', message: 'content.html: line 2: unknown filter "shout"' };
    const issues = [{ code: 'subject_missing' }, { code: 'sender_missing' }, broken];
    expect((await draft(id)).issues).toMatchObject(issues);
    const { body } = await preview(id, { substitutions: { a: 1 } });
    expect(body).toMatchObject({
      subject: '',
      html: null,
      text: 'Hi 1 ',
      headers: { To: ['recipient@example.com'] },
      issues: [...issues, { code: 'variables_missing', message: 'required variables have no value: b' }],
    });
    expect(body.headers).not.toHaveProperty('From');
    const empty = await made({
      editor: 'html',
      content: undefined,
      subject: 'Grüße {{ a }}',
      from: { email: 'a@shop.test' },
    });
    expect(codes((await draft(empty)).issues)).toEqual(['content_missing']);
    expect((await preview(empty, { substitutions: { a: '{{' } })).body).toMatchObject({
      html: null,
      text: null,
      issues: [
        { code: 'content_missing' },
        { code: 'content_unrenderable', message: expect.stringMatching(/^subject: /) },
      ],
    });
  });

  it('spec 2-messages §6.5 rule 5 judges the domain of the sender as it is now', async () => {
    under.domains.set('soon.test', { dns_valid: true });
    const id = await made({ subject: 'S', from: { email: 'a@soon.test' } });
    expect((await draft(id)).issues).toEqual([]);
    under.domains.set('soon.test', { dns_valid: false, paused: true });
    await expect
      .poll(async () => codes((await draft(id)).issues))
      .toEqual(['sender_domain_invalid', 'sender_domain_paused']);
  });

  it.each([
    [{ values: {} }, 'unknown field: values'],
    [{ email: 'nobody' }, /^email/],
    [{ substitutions: [] }, 'substitutions must be an object'],
    [{ published: 'yes' }, 'published must be a boolean'],
  ])('refuses %j', async (body, message) => {
    const response = await preview(await made(), body);
    expect([response.status, response.body.message]).toEqual([400, expect.stringMatching(message)]);
  });
});
