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

const blocksOf = (text: string) => ({
  version: 1,
  style: { accent: '#2563eb', background: '#f3f4f6', font: 'sans' },
  blocks: [{ kind: 'text', text, align: 'left' }],
});
const member = (role: MemberRole, of: string = account): Principal => memberOf(of, role);
const templates = (method: 'GET' | 'POST' | 'PUT', rest = '', body?: object, as = member('Developer')) =>
  under.call(method, `/console/api/campaign-templates${rest}`, { principal: as, body });
const api = (method: 'GET' | 'POST' | 'PUT', rest: string, body?: object) =>
  under.call(method, `/v2/accounts/${account}${rest}`, { account_id: account, body });

const made = async (text = 'Hello {{ first_name }}'): Promise<string> => {
  const { status, body } = await templates('POST', '', { name: ' News ', blocks: blocksOf(text) });
  expect([status, body]).toMatchObject([
    201,
    { object: 'campaign_template', name: 'News', editor: 'simple' },
  ]);
  return body.id;
};

it('a template of blocks is made, changed, and copied into a campaign with its blocks', async () => {
  const id = await made();
  const shown = (await api('GET', `/campaign-templates/${id}`)).body;
  expect(shown.content).toMatchObject({ text: 'Hello {{ first_name }}', text_is_custom: false });
  expect(shown.content.html).toContain('Hello {{ first_name }}');
  const { body: campaign } = await api('POST', '/campaigns', { name: 'June', template_id: id });
  const two = blocksOf('Two');
  const put = await templates('PUT', `/${id}/blocks`, { blocks: two, text: 'Mine' });
  expect([put.status, put.body]).toEqual([200, { object: 'design_blocks', blocks: two, is_foreign: false }]);
  expect((await templates('GET', `/${id}/blocks`)).body).toEqual(put.body);
  expect((await api('GET', `/campaign-templates/${id}`)).body.content).toMatchObject({
    text: 'Mine',
    text_is_custom: true,
  });
  const ofCampaign = await under.call('GET', `/console/api/campaigns/${campaign.id}/blocks`, {
    principal: member('Developer'),
  });
  expect(ofCampaign.body.blocks).toEqual(blocksOf('Hello {{ first_name }}'));
});

it('a copy has the design of its source, and changes apart from it', async () => {
  const id = await made('One');
  const copy = await templates('POST', `/${id}/duplicate`);
  expect([copy.status, copy.body]).toMatchObject([201, { name: 'Copy of News', editor: 'simple' }]);
  await templates('PUT', `/${id}/blocks`, { blocks: blocksOf('Two') });
  expect((await templates('GET', `/${copy.body.id}/blocks`)).body.blocks).toEqual(blocksOf('One'));
  const html = (await api('POST', '/campaign-templates', { name: 'x', content: { html: '<p>x</p>' } })).body;
  expect((await templates('POST', `/${html.id}/duplicate`)).body).toMatchObject({ content: html.content });
});

it('blocks are refused for another editor, another account, and members who may not write', async () => {
  const html = (await api('POST', '/campaign-templates', { name: 'x', content: { html: '<p>x</p>' } })).body;
  const id = await made();
  const body = { blocks: blocksOf('x') };
  const messageOf = async (at: string, as?: Principal, given: object = body) => {
    const { status, body: answer } = await templates('PUT', `/${at}/blocks`, given, as);
    return `${status} ${answer.message}`;
  };
  expect(await messageOf(html.id)).toBe('409 the editor of this design is html, not simple');
  const stranger = member('Developer', under.account());
  expect(await messageOf(id, stranger)).toBe('404 template not found');
  for (const rest of ['blocks', 'duplicate'] as const)
    expect(
      (await templates(rest === 'blocks' ? 'GET' : 'POST', `/${id}/${rest}`, undefined, stranger)).status,
    ).toBe(404);
  expect(await messageOf(id, member('Analyst'))).toMatch(/^403 /);
  expect((await templates('POST', '', { name: 'x', ...body }, member('Analyst'))).status).toBe(403);
  expect(await messageOf(id, undefined, { blocks: blocksOf('{{ a') })).toMatch(/^400 .*\{\{/);
});
