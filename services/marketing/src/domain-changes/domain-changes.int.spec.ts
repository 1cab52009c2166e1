import { newId } from '@postmesh/contracts';
import { testDatabase } from '@postmesh/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startCampaigns, type CampaignsUnderTest } from '../testing/campaigns-under-test.js';

const database = testDatabase();
let under: CampaignsUnderTest;
let account: string;
beforeAll(async () => {
  under = await startCampaigns(database.url);
  account = under.account();
});
afterAll(() => under.stop());

async function campaignFrom(domain: string): Promise<string> {
  under.domains.set(domain, { domain_id: newId() });
  const body = { name: 'Spring', from: { email: `a@${domain}` }, reply_to: 'b@other.test' };
  return (await under.campaigns(account, 'POST', '', body)).body.id;
}
const senderOf = async (id: string) => (await under.campaigns(account, 'GET', `/${id}`)).body.from;
const become = (id: string, status: string) =>
  under.sql('update campaigns set status = $2 where id = $1', [id, status]);

it('spec 3-marketing §3.1 the sender is null after the deletion of its domain, in any status, also with a repeated event', async () => {
  const ids = await Promise.all(
    ['draft', 'scheduled', 'sent'].map(async (status) => {
      const id = await campaignFrom('gone.test');
      await become(id, status);
      return id;
    }),
  );
  // all of the same domain
  const { domain_id } = under.domains.get('gone.test') ?? {};
  await under.sql('update campaigns set from_domain_id = $2 where id = any($1)', [ids, domain_id]);
  const other = await campaignFrom('stays.test');
  await become(other, 'sent');
  await under.domainChanged(account, 'stays.test');
  await under.domainChanged(account, 'gone.test', true);
  await under.domainChanged(account, 'gone.test', true);
  expect(await Promise.all(ids.map(senderOf))).toEqual([null, null, null]);
  expect(await senderOf(other)).toEqual({ email: 'a@stays.test', name: '' });
  // the stored values stay for reports
  const stored = await under.sql('select distinct from_email from campaigns where id = any($1)', [ids]);
  expect(stored).toEqual([{ from_email: 'a@gone.test' }]);
});

it('spec 3-marketing §3.1 a campaign that is written while its domain is deleted has no sender either', async () => {
  under.domains.set('racing.test', { domain_id: newId() });
  await under.domainChanged(account, 'racing.test', true);
  const body = { name: 'Spring', from: { email: 'a@racing.test' } };
  const { id } = (await under.campaigns(account, 'POST', '', body)).body;
  expect(await senderOf(id)).toBeNull();
});
