import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AccountId, MemberRole, Principal } from '@postmesh/contracts';
import { memberOf } from '@postmesh/service-testing';
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

const style = { accent: '#2563eb', background: '#f3f4f6', font: 'sans' };
const FOOTER = { kind: 'footer', text: '[Unsubscribe]({{ unsubscribe_url }})' };
const blocksOf = (text: string, ...more: object[]) => ({
  version: 1,
  style,
  blocks: [{ kind: 'text', text, align: 'left' }, ...more],
});
const member = (role: MemberRole, of: string = account): Principal => memberOf(of, role);
const blocks = (id: string, body?: object, principal = member('Developer')) =>
  under.call(body ? 'PUT' : 'GET', `/console/api/campaigns/${id}/blocks`, { principal, body });
const draft = async (body: object = {}): Promise<string> =>
  (await under.campaigns(account, 'POST', '', { name: 'Draft', ...body })).body.id;
const shown = async (id: string) => (await under.campaigns(account, 'GET', `/${id}`)).body;

it('blocks are the design of a draft without one, and its issues follow them', async () => {
  const id = await draft();
  expect((await blocks(id)).body).toEqual({ object: 'design_blocks', blocks: null, is_foreign: false });
  const one = blocksOf('Hello {{ first_name }}');
  const put = await blocks(id, { blocks: one });
  expect([put.status, put.body]).toEqual([200, { object: 'design_blocks', blocks: one, is_foreign: false }]);
  const issues = async () => (await shown(id)).issues.map(({ code }: { code: string }) => code);
  expect(await issues()).toContain('unsubscribe_link_missing');
  await blocks(id, { blocks: blocksOf('Hello', FOOTER), text: 'Mine {{ unsubscribe_url }}' });
  expect(await issues()).not.toContain('unsubscribe_link_missing');
  const { editor, content } = await shown(id);
  expect([editor, content.text]).toEqual(['simple', 'Mine {{ unsubscribe_url }}']);
  expect(content.html).toContain('href="{{ unsubscribe_url }}"');
  const copy = (await under.campaigns(account, 'POST', `/${id}/duplicate`)).body.id;
  expect((await blocks(copy)).body.blocks).toEqual(blocksOf('Hello', FOOTER));
});

it('blocks are refused for another editor, a sent campaign, another account, and members who may not write', async () => {
  const messageOf = async (id: string, principal?: Principal) => {
    const { status, body } = await blocks(id, { blocks: blocksOf('x') }, principal);
    return `${status} ${body.message}`;
  };
  expect(await messageOf(await draft({ content: { html: '<p>x</p>' } }))).toBe(
    '409 the editor of this design is html, not simple',
  );
  const id = await draft();
  expect(await messageOf(id, member('Developer', under.account()))).toBe('404 campaign not found');
  expect(await messageOf(id, member('Analyst'))).toMatch(/^403 /);
  await under.sql(`update campaigns set status = 'sent' where id = $1`, [id]);
  expect(await messageOf(id)).toBe('409 campaign is not a draft');
  expect(await messageOf(await draft(), { ...member('Developer') })).toMatch(/^200 /);
  const broken = await blocks(await draft(), { blocks: blocksOf('{{ a') });
  expect([broken.status, broken.body.message]).toEqual([400, expect.stringContaining('{{')]);
});
