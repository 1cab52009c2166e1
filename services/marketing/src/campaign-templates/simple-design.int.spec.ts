import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId, type AccountId } from '@postmesh/contracts';
import type { TestResponse } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { startCampaigns, type CampaignsUnderTest } from '../testing/campaigns-under-test.js';

const database = testDatabase();
let under: CampaignsUnderTest;
let account: AccountId;
beforeAll(async () => {
  under = await startCampaigns(database.url);
  account = under.account();
});
afterAll(() => under.stop());

const BLOCKS = { version: 2, rows: [{ kind: 'text', text: 'Hello "{{ first_name }}" \\u0000 😀' }] };
const HTML = '<p>Hello {{ first_name }}</p><a href="{{ unsubscribe_url }}">stop</a>';
const TEXT = 'Hello {{ first_name }}\n\nstop ({{ unsubscribe_url }})';
const simple = (more: object = {}) => ({ blocks: BLOCKS, content: { html: HTML }, ...more });

const operator = (method: 'GET' | 'POST' | 'PUT', rest: string, body?: unknown, owner: string = account) =>
  under.internal(method, `/operator/accounts/${owner}${rest}`, body, 'oncall');
const api = (method: 'GET' | 'POST' | 'PUT', rest: string, body?: unknown) =>
  under.call(method, `/v2/accounts/${account}${rest}`, { account_id: account, body });
const responseOf = ({ status, body }: TestResponse) => `${status} ${body.message}`;

async function template(body: object = simple({ name: 'Blocks' })): Promise<TestResponse['body']> {
  const made = await operator('POST', '/campaign-templates', body);
  expect(made.status).toBe(201);
  return made.body;
}
async function draft(body: object = {}): Promise<string> {
  const made = await api('POST', '/campaigns', { name: 'Draft', ...body });
  expect(made.status).toBe(201);
  return made.body.id;
}

describe('a design of blocks in a campaign template', () => {
  it('spec 3-marketing §5.1 rule 7: is made by an operator and read as HTML through the API', async () => {
    const made = await template();
    expect(made).toMatchObject({
      name: 'Blocks',
      editor: 'simple',
      content: { html: HTML, text: TEXT, text_is_custom: false },
      blocks: BLOCKS,
    });
    const { blocks, ...shown } = made;
    expect((await api('GET', `/campaign-templates/${made.id}`)).body).toEqual(shown);
    const path = `/campaign-templates/${made.id}/simple-design`;
    expect((await operator('GET', path)).body).toEqual({ ...shown, blocks });
    expect(responseOf(await operator('GET', path, undefined, newId()))).toBe('404 template not found');
  });

  it('spec 3-marketing §3.2 U11: accepts only its text through the API', async () => {
    const { id } = await template();
    const put = (content: object) => api('PUT', `/campaign-templates/${id}`, { content });
    expect(responseOf(await put({ html: HTML }))).toBe(
      '400 content.html is for the editor html, not for simple',
    );
    expect(responseOf(await put({ mjml: 'x' }))).toBe(
      '400 content.mjml is for the editor advanced, not for simple',
    );
    const own = { text: 'Mine', text_is_custom: false };
    expect((await put(own)).body.content).toEqual({ html: HTML, text: 'Mine', text_is_custom: true });
    expect((await put({ text: null })).body.content).toMatchObject({ text: TEXT, text_is_custom: false });
    expect((await operator('GET', `/campaign-templates/${id}/simple-design`)).body.blocks).toEqual(BLOCKS);
  });

  it('spec 3-marketing §5.1 rule 7: is replaced with its HTML; a text written by hand stays unless one is given', async () => {
    const { id } = await template();
    const path = `/campaign-templates/${id}/simple-design`;
    await api('PUT', `/campaign-templates/${id}`, { content: { text: 'Mine' } });
    const put = (body: object) => operator('PUT', path, body);
    const second = await put({ blocks: [1, null], content: { html: '<p>Two</p>' } });
    expect(second.body).toMatchObject({
      blocks: [1, null],
      content: { html: '<p>Two</p>', text: 'Mine', text_is_custom: true },
    });
    // the blocks can change alone
    expect((await put({ blocks: { a: 1 }, content: { html: '<p>Two</p>' } })).body.blocks).toEqual({ a: 1 });
    const made = await put({ blocks: { a: 1 }, content: { html: '<p>Two</p>', text: null } });
    expect(made.body.content).toMatchObject({ text: 'Two', text_is_custom: false });
    const { body: same } = await put({ blocks: { a: 1 }, content: { html: '<p>Two</p>' } });
    expect(same).toEqual(made.body);
  });

  it('spec 3-marketing §5.1 rule 7: is not put into a design of another editor, nor into another account', async () => {
    const { body } = await api('POST', '/campaign-templates', { name: 'x', content: { html: HTML } });
    const path = `/campaign-templates/${body.id}/simple-design`;
    expect(responseOf(await operator('PUT', path, simple()))).toBe(
      '409 the editor of this design is html, not simple',
    );
    expect(responseOf(await operator('GET', path))).toBe('409 the editor of this design is html, not simple');
    expect(responseOf(await operator('PUT', path, simple(), newId()))).toBe('404 template not found');
  });

  const deep = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));
  it.each<[string, object, string]>([
    ['no blocks', { content: { html: HTML } }, 'blocks is required'],
    ['blocks of text', simple({ blocks: 'x' }), 'blocks is invalid'],
    ['blocks of null', simple({ blocks: null }), 'blocks is invalid'],
    ['too many blocks', simple({ blocks: ['x'.repeat(1_048_576)] }), 'blocks must be at most 1 MiB of JSON'],
    ['blocks in blocks', simple({ blocks: deep(101) }), 'blocks must be nested at most 100 deep'],
    ['what is not kept', simple({ blocks: ['\u0000'] }), 'blocks must not contain NUL characters'],
    ['half a character', simple({ blocks: { '\ud83d': 1 } }), 'invalid request body'],
    ['no HTML', simple({ content: { text: 'Hi' } }), 'content.html is required'],
    ['MJML', simple({ content: { mjml: 'x' } }), 'content.html is required'],
    ['blank HTML', simple({ content: { html: ' ' } }), 'content.html must not be empty'],
    ['a foreign picture', simple({ content: { html: '<img src="a.png">' } }), 'content.html line 1: images'],
    ['what does not render', simple({ content: { html: '{{ a' } }), 'content.html holds a {{'],
    ['an unknown field', simple({ mjml: 'x' }), 'unknown field: mjml'],
  ])('spec 3-marketing §5.1: is refused with %s', async (_, body, text) => {
    const { status, body: answer } = await operator('POST', '/campaign-templates', { name: 'x', ...body });
    expect(status).toBe(400);
    expect(answer.message).toContain(text);
  });

  it('spec 3-marketing §5.1 rule 7: takes blocks that nest to the bound', async () => {
    const { blocks } = await template(simple({ name: 'x', blocks: deep(100) }));
    expect(blocks).toEqual(deep(100));
  });
});

describe('a design of blocks in a draft campaign', () => {
  it('spec 3-marketing §5.1 rule 7: is put into a draft without a design, whose issues are determined again', async () => {
    const id = await draft();
    const path = `/campaigns/${id}/simple-design`;
    expect(responseOf(await operator('GET', path))).toBe('409 there is no design yet');
    const { status, body } = await operator('PUT', path, simple());
    expect([status, body]).toMatchObject([200, { id, editor: 'simple', blocks: BLOCKS, status: 'draft' }]);
    const { body: shown } = await api('GET', `/campaigns/${id}`);
    expect({ ...shown, blocks: BLOCKS }).toEqual(body);
    expect(shown.content).toEqual({ html: HTML, text: TEXT, text_is_custom: false });
    const codes = shown.issues.map(({ code }: { code: string }) => code);
    expect(codes).toEqual(['subject_missing', 'sender_missing', 'lists_missing']);
    await operator('PUT', path, { blocks: [], content: { html: '<p>No link</p>' } });
    expect((await api('GET', `/campaigns/${id}`)).body.issues.at(-1).code).toBe('unsubscribe_link_missing');
  });

  it('spec 3-marketing §5.1 rule 7: comes with a template or a copy, blocks and all, as their own', async () => {
    const { id: template_id } = await template();
    const first = await draft({ template_id });
    await operator('PUT', `/campaign-templates/${template_id}/simple-design`, {
      blocks: [],
      content: { html: '<p>Other</p>' },
    });
    const copy = (await api('POST', `/campaigns/${first}/duplicate`)).body.id;
    for (const id of [first, copy]) {
      const { body } = await operator('GET', `/campaigns/${id}/simple-design`);
      expect([body.blocks, body.content]).toEqual([
        BLOCKS,
        { html: HTML, text: TEXT, text_is_custom: false },
      ]);
    }
    await operator('PUT', `/campaigns/${first}/simple-design`, {
      blocks: [1],
      content: { html: '<p>1</p>' },
    });
    expect((await operator('GET', `/campaigns/${copy}/simple-design`)).body.blocks).toEqual(BLOCKS);
  });

  it('spec 3-marketing §3.2 U4, U9, U11: keeps its editor and its rules', async () => {
    const html = await draft({ content: { html: HTML } });
    const path = (id: string) => `/campaigns/${id}/simple-design`;
    expect(responseOf(await operator('PUT', path(html), simple()))).toBe(
      '409 the editor of this design is html, not simple',
    );
    const id = await draft();
    await operator('PUT', path(id), simple());
    expect(responseOf(await api('PUT', `/campaigns/${id}`, { content: { html: HTML } }))).toBe(
      '400 content.html is for the editor html, not for simple',
    );
    const { body } = await api('PUT', `/campaigns/${id}`, { content: { text: 'Mine' } });
    expect(body.content).toEqual({ html: HTML, text: 'Mine', text_is_custom: true });
    expect((await operator('GET', path(id))).body.blocks).toEqual(BLOCKS);
    expect(responseOf(await operator('PUT', path(id), simple(), newId()))).toBe('404 campaign not found');
    await under.sql(`update campaigns set status = 'sent' where id = $1`, [id]);
    expect(responseOf(await operator('PUT', path(id), simple()))).toBe('409 campaign is not a draft');
    expect((await operator('GET', path(id))).status).toBe(200);
  });
});
