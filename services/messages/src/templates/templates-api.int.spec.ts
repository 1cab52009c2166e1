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

describe('effects that no response shows', () => {
  it('keeps the 50 newest versions, and no copy without a reference', async () => {
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
});

describe('concurrent writers', () => {
  it('one that loses every round gets a 503', async () => {
    const id = await made({ publish: true });
    // every write of this template seems to lose
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

  it('a template stays deleted after a concurrent write', async () => {
    const id = await made({ publish: true });
    const [write, deletion] = await Promise.all([put(id, { subject: 'x' }), call('DELETE', `/${id}`)]);
    expect([200, 404]).toContain(write.status);
    expect(deletion.status).toBe(200);
    expect((await call('GET', `/${id}`)).status).toBe(404);
  });
});

describe('deleting', () => {
  it('hides the template from sends at once, and removes its row after 30 days', async () => {
    const id = await made({ publish: true });
    const published = under.service.get(PublishedTemplates);
    expect(await published.find(account, id)).toMatchObject({ id, html: '<p>Hi</p>' });
    await call('DELETE', `/${id}`);
    expect(await published.find(account, id)).toBeUndefined();
    const purge = () => under.service.get(PurgeTemplates).purge(new AbortController().signal);
    const left = () => under.sql('select from template_copies where template_id = $1', [id]);
    await purge();
    expect(await left()).toHaveLength(1);
    await under.sql(`update templates set deleted_at = now() - interval '31 days' where id = $1`, [id]);
    await purge();
    expect(await left()).toHaveLength(0);
  });

  it('of an account removes all its templates', async () => {
    const gone = under.account();
    await under.templates(gone, 'POST', '', { body: { name: 'x', content: { html: 'y' } } });
    await under.service.get(PurgeTemplates).deleteAccount(gone as never, new AbortController().signal);
    expect(await under.sql('select from templates where account_id = $1', [gone])).toHaveLength(0);
  });
});

describe('PublishedTemplates', () => {
  it('spec 2-messages §6.4 rule 7 is the published copy, whose change is seen by the next send after any number of sends', async () => {
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

  it('spec 2-messages §6.5 rule 1 is of the draft, or of the published copy on request', async () => {
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

  it('spec 2-messages §6.5 rule 3, §6.5 rule 4, §6.5 rule 5 lists missing and unrenderable parts, and shows the rest', async () => {
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

  it('spec 2-messages §6.5 rule 5 checks the current state of the domain of the sender', async () => {
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
