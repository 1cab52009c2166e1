import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { memberOf } from '@postmesh/service-testing';
import { AccountId, newId, type MemberRole, type Principal } from '@postmesh/contracts';
import { testDatabase } from '@postmesh/testing';
import { startTemplates, type TemplatesUnderTest } from '../testing/templates-under-test.js';

const database = testDatabase();
let under: TemplatesUnderTest;
let account: string;
beforeAll(async () => {
  under = await startTemplates(database.url);
});
afterAll(() => under.stop());
beforeEach(() => {
  account = under.account();
});

const style = { accent: '#2563eb', background: '#f3f4f6', font: 'sans' };
const blocksOf = (...texts: string[]) => ({
  version: 1,
  style,
  blocks: texts.map((text) => ({ kind: 'text', text, align: 'left' })),
});

const member = (role: MemberRole): Principal => memberOf(account, role);
const blocks = (id: string, body?: object, principal = member('Developer')) =>
  under.call(body ? 'PUT' : 'GET', `/console/api/templates/${id}/blocks`, { principal, body });
const api = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', rest: string, body?: object) =>
  under.templates(account, method, rest, { body });

async function template(body: object = { editor: 'simple' }): Promise<string> {
  const made = await api('POST', '', { name: 'Blocks', subject: 'Hi', ...body });
  expect(made.status).toBe(201);
  return made.body.id;
}

describe('the blocks of a template', () => {
  it('become the HTML of its draft, are published with it, and come back with a version', async () => {
    const id = await template();
    expect((await blocks(id)).body).toEqual({ object: 'design_blocks', blocks: null, is_foreign: false });
    const first = blocksOf('Hello {{ name|default("you") }}', '**Bold**');
    const put = await blocks(id, { blocks: first });
    expect([put.status, put.body]).toEqual([
      200,
      { object: 'design_blocks', blocks: first, is_foreign: false },
    ]);
    const { body: draft } = await api('GET', `/${id}/draft`);
    expect(draft.content.html).toContain('Hello {{ name|default("you") }}');
    expect(draft.content).toMatchObject({ text_is_custom: false, text: expect.stringContaining('Bold') });
    expect(draft.variables).toEqual([{ name: 'name', required: false }]);
    expect((await api('POST', `/${id}/publish`)).body.has_draft).toBe(false);
    await blocks(id, { blocks: blocksOf('Two') });
    // a change of another field keeps them
    await api('PUT', `/${id}`, { subject: 'Other' });
    expect((await blocks(id)).body.blocks).toEqual(blocksOf('Two'));
    const { body: versions } = await api('GET', `/${id}/versions`);
    await api('POST', `/${id}/versions/${versions.data[0].id}/restore`, {});
    expect((await blocks(id)).body.blocks).toEqual(first);
    expect((await api('GET', `/${id}`)).body.has_draft).toBe(false);
  });

  it('come with a text by hand, or without it with the text that is made of them', async () => {
    const id = await template();
    const contentAfter = async (body: object) => {
      expect((await blocks(id, body)).status).toBe(200);
      return (await api('GET', `/${id}/draft`)).body.content;
    };
    const one = blocksOf('One');
    expect(await contentAfter({ blocks: one, text: 'Mine' })).toMatchObject({
      text: 'Mine',
      text_is_custom: true,
    });
    expect(await contentAfter({ blocks: one })).toMatchObject({ text: 'One', text_is_custom: false });
  });

  it('are not those of another editor', async () => {
    const id = await template({ content: { html: '<p>x</p>' } });
    expect((await blocks(id)).body).toMatchObject({ blocks: null, is_foreign: true });
    const refused = await blocks(id, { blocks: blocksOf('x') });
    expect([refused.status, refused.body.message]).toEqual([
      409,
      'the editor of this design is html, not simple',
    ]);
    // a copy of the previous release has none
    const simple = await template();
    await blocks(simple, { blocks: blocksOf('x') });
    await under.sql('update template_copies set design = null where template_id = $1', [simple]);
    expect((await blocks(simple)).body).toMatchObject({ blocks: null, is_foreign: true });
  });

  it('are written by members who may write templates, in their account', async () => {
    const id = await template();
    const body = { blocks: blocksOf('x') };
    expect((await blocks(id, body, member('Analyst'))).status).toBe(403);
    const stranger = { ...member('Developer'), account_id: AccountId.parse(newId()) };
    expect((await blocks(id, body, stranger)).status).toBe(404);
    expect((await blocks(id, undefined, stranger)).status).toBe(404);
    expect(
      (await under.call('GET', `/console/api/templates/${id}/blocks`, { account_id: account })).status,
    ).toBe(401);
  });

  it.each<[string, object, string]>([
    ['no blocks', {}, 'blocks is required'],
    [
      'a link that runs a script',
      {
        blocks: {
          ...blocksOf(),
          blocks: [{ kind: 'button', label: 'x', url: 'javascript:1', align: 'left' }],
        },
      },
      'url must begin with',
    ],
    ['an unknown kind', { blocks: { ...blocksOf(), blocks: [{ kind: 'video' }] } }, 'blocks.blocks[0].kind'],
    ['half of an expression', { blocks: blocksOf('x'), text: '{{ a' }, 'content.text'],
  ])('are refused with %s', async (_, body, text) => {
    const { status, body: answer } = await blocks(await template(), body);
    expect([status, answer.message]).toEqual([400, expect.stringContaining(text)]);
  });
});
