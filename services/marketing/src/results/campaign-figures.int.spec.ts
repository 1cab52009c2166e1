import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { AccountId, MemberRole } from '@postmesh/contracts';
import { memberOf } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { startCampaigns, type CampaignsUnderTest } from '../testing/campaigns-under-test.js';
import { addCounts } from './campaign-counts.js';

const database = testDatabase();
let under: CampaignsUnderTest;
let account: AccountId;
beforeAll(async () => {
  under = await startCampaigns(database.url);
});
afterAll(() => under.stop());
beforeEach(() => {
  account = under.account();
});

const read = async (given: Record<string, string>, role: MemberRole = 'Analyst') => {
  const path = `/console/api/statistics/campaigns?${new URLSearchParams(given)}`;
  return under.call('GET', path, { principal: memberOf(account, role) });
};

/** A campaign that began at this time. */
async function sent(name: string, at: string, domain = 'shop.test'): Promise<string> {
  const { body } = await under.campaigns(account, 'POST', '', { name });
  await under.sql(`update campaigns set status = 'sent', started_at = $2, from_domain = $3 where id = $1`, [
    body.id,
    at,
    domain,
  ]);
  await under.sql('insert into campaign_counts (campaign_id, updated_at) values ($1, $2)', [body.id, at]);
  return body.id;
}

const MARCH = { from_time: '2026-03-01T00:00:00Z', to_time: '2026-04-01T00:00:00Z' };

it('the figures of campaigns that began in a period, newest first, whether they are folded or not', async () => {
  const [first, second] = [
    await sent('One', '2026-03-01T00:00:00Z'),
    await sent('Two', '2026-03-31T12:00:00Z'),
  ];
  await sent('Later', '2026-04-01T00:00:00Z');
  await under.campaigns(account, 'POST', '', { name: 'Draft' });
  await addCounts(under.service.get(DataSource).manager, [
    { campaignId: first, delivered: 3, bounced: 1, skipped: 2, opened: 2, opens: 9 },
    { campaignId: first, pending: 1, unsubscribed: 1 },
  ]);
  const { status, body } = await read(MARCH);
  const none = { failed: 0, suppressed: 0, clicked: 0, complained: 0 };
  const nothing = {
    ...none,
    recipients: 0,
    delivered: 0,
    bounced: 0,
    skipped: 0,
    opened: 0,
    unsubscribed: 0,
  };
  const counted = {
    ...none,
    recipients: 7,
    delivered: 3,
    bounced: 1,
    skipped: 2,
    opened: 2,
    unsubscribed: 1,
  };
  expect([status, body]).toEqual([
    200,
    {
      object: 'list',
      is_cut: false,
      data: [
        { campaign_id: second, name: 'Two', sent_at: '2026-03-31T12:00:00.000Z', ...nothing },
        { campaign_id: first, name: 'One', sent_at: '2026-03-01T00:00:00.000Z', ...counted },
      ],
    },
  ]);
  expect((await read({ ...MARCH, sender_domain: 'other.test' })).body.data).toEqual([]);
});

it('are for roles that read campaigns, of the last 30 days by default', async () => {
  expect((await read(MARCH, 'Billing Manager')).status).toBe(403);
  const now = new Date().toISOString();
  const [recent] = [await sent('Recent', now), await sent('Old', MARCH.from_time)];
  expect((await read({})).body.data).toMatchObject([{ campaign_id: recent }]);
  expect((await read({ from_time: 'yesterday' })).status).toBe(400);
});

it('list at most a hundred', async () => {
  await under.sql(
    `insert into campaigns (id, account_id, created_at, updated_at, name, status, started_at)
     select gen_random_uuid(), $1, now(), now(), 'C' || n, 'sent', '2026-03-02'::timestamptz + n * interval '1 minute'
     from generate_series(1, 101) n`,
    [account],
  );
  const { body } = await read(MARCH);
  expect([body.is_cut, body.data.length, body.data[0].name]).toEqual([true, 100, 'C101']);
});
