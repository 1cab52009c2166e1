import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { LinkTokens } from '@postmesh/public-links';
import { startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { MARKETING_SERVICE } from '../marketing.definition.js';
import { forgetRecipients } from '../results/forget-recipients.js';
import {
  NAMES_OF_LISTS,
  queryOf,
  sendingCampaign,
  type TestCampaign,
  type TestRecipient,
} from '../testing/campaign-under-test.js';

const database = testDatabase();
let marketing: TestService;
let origin: string;

beforeAll(async () => {
  marketing = await startTestService(MARKETING_SERVICE, { databaseUrl: database.url });
  origin = `http://127.0.0.1:${await marketing.service.listen('127.0.0.1', 0)}`;
});
afterAll(() => marketing?.stop());

const FORM = 'application/x-www-form-urlencoded';
const ONE_CLICK = 'List-Unsubscribe=One-Click';

const query = <R = Record<string, unknown>>(sql: string, parameters: unknown[] = []) =>
  queryOf(marketing)<R>(sql, parameters);
const tokens = () => marketing.service.get(LinkTokens);
const tokenOf = ({ id }: { id: string }, { contactId, messageId }: Omit<TestRecipient, 'email'>) =>
  tokens().sign({
    kind: 'campaign-unsubscribe',
    ...{ messageId, accountId: marketing.accountId, campaignId: id, contactId },
  });
const get = (token: string) => fetch(`${origin}/public/u/${token}`);
const post = (token: string, body: string | FormData, type?: string) =>
  fetch(`${origin}/public/u/${token}`, {
    method: 'POST',
    body,
    redirect: 'manual',
    ...(type === undefined ? {} : { headers: { 'content-type': type } }),
  });

const stats = async ({ id }: TestCampaign) =>
  (await marketing.call('GET', `/v2/accounts/${marketing.accountId}/campaigns/${id}/stats`)).body;
const contactOf = async ({ contactId }: TestRecipient) =>
  (await query('select * from contacts where id = $1', [contactId]))[0]!;
const statusesOf = async (campaign: TestCampaign, { contactId }: TestRecipient) =>
  (
    await query<{ subscription_status: string }>(
      'select subscription_status from memberships where contact_id = $1 order by array_position($2::uuid[], list_id)',
      [contactId, campaign.listIds],
    )
  ).map((row) => row.subscription_status);
const setStatus = ({ contactId }: TestRecipient, listId: string | undefined, status: string) =>
  query('update memberships set subscription_status = $3 where contact_id = $1 and list_id = $2', [
    contactId,
    listId,
    status,
  ]);

/** All rows that a link could change. */
const everything = async () =>
  Promise.all(
    ['contacts', 'memberships', 'campaign_recipients', 'campaign_count_deltas', 'contact_unsubscribes'].map(
      (table) => query(`select * from ${table} order by 1, 2`),
    ),
  );

describe('the page of a link', () => {
  it('spec 3-marketing §7.4 rule 1 changes nothing for any number of fetches, and cannot be cached, indexed or framed', async () => {
    const campaign = await sendingCampaign(marketing, { recipients: 1 });
    const [one] = campaign.recipients as [TestRecipient];
    const before = await everything();
    const token = tokenOf(campaign, one);
    const response = await get(token);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; style-src 'sha256-/),
    });
    expect(response.headers.get('set-cookie')).toBeNull();
    await Promise.all([get(token), get(`${token}?x=1`)]);
    expect(await everything()).toEqual(before);
  });

  it('spec 3-marketing §7.4 rule 3 offers two choices, and never shows the name of a list', async () => {
    const campaign = await sendingCampaign(marketing, { recipients: 1 });
    const [one] = campaign.recipients as [TestRecipient];
    const token = tokenOf(campaign, one);
    const pages = [
      await (await get(token)).text(),
      await (await post(token, 'stop=these', FORM)).text(),
      await (await post(token, 'stop=all', FORM)).text(),
    ];
    expect(pages[0]).toContain('Stop these emails');
    expect(pages[0]).toContain('Stop all marketing email');
    for (const page of pages) {
      expect(page).toContain(one.email);
      expect(page).toContain('shop.test');
      for (const name of [...NAMES_OF_LISTS, ...campaign.listIds, 'News']) expect(page).not.toContain(name);
    }
  });

  it('spec 3-marketing §7.4 rule 1 is 404 for a wrong token, with any request', async () => {
    const campaign = await sendingCampaign(marketing, { recipients: 1 });
    const [one] = campaign.recipients as [TestRecipient];
    const good = tokenOf(campaign, one);
    const foreign = tokens().sign({
      kind: 'unsubscribe',
      ...{
        messageId: newId(),
        accountId: marketing.accountId,
        domain: 'shop.test',
        recipient: 'a@mail.test',
      },
    });
    const view = tokens().sign({ kind: 'view', messageId: one.messageId });
    for (const token of [
      'x',
      foreign,
      view,
      `${good.slice(0, -1)}${good.endsWith('A') ? 'B' : 'A'}`,
      `${good}A`,
    ])
      for (const response of [
        await get(token),
        await post(token, ONE_CLICK, FORM),
        await post(token, 'x', FORM),
      ]) {
        expect(response.status).toBe(404);
        expect(await response.text()).toContain('This link does not work');
      }
    expect(await statusesOf(campaign, one)).toEqual(['confirmed', 'confirmed']);
  });

  it('spec 3-marketing §7.4 rule 3 does nothing for a form that is not its own', async () => {
    const campaign = await sendingCampaign(marketing, { recipients: 1 });
    const [one] = campaign.recipients as [TestRecipient];
    for (const body of ['', 'confirm=1', 'stop=these&stop=all'])
      expect((await post(tokenOf(campaign, one), body, FORM)).status).toBe(400);
    expect(await statusesOf(campaign, one)).toEqual(['confirmed', 'confirmed']);
  });

  it('spec 3-marketing §3.2 of a test says that it is one, and does nothing', async () => {
    const token = tokens().sign({ kind: 'test-unsubscribe', messageId: newId() });
    const before = await everything();
    const responses = [
      await get(token),
      await post(token, 'stop=all', FORM),
      await post(token, ONE_CLICK, FORM),
    ];
    for (const response of responses) {
      expect(response.status).toBe(200);
      expect(await response.text()).toContain('This is a test');
    }
    expect(await everything()).toEqual(before);
  });
});

describe('stopping these emails', () => {
  it.each([
    ['one click', ONE_CLICK, FORM],
    ['one click as multipart', undefined, undefined],
    ['the page', 'stop=these', FORM],
  ])(
    'spec 3-marketing §7.4 rule 2 by %s unsubscribes every matched membership, also when repeated, and counts once',
    async (how, text, type) => {
      const campaign = await sendingCampaign(marketing, { recipients: 2 });
      const [one, other] = campaign.recipients as [TestRecipient, TestRecipient];
      await setStatus(one, campaign.listIds[1], 'unconfirmed');
      const form = new FormData();
      form.set('List-Unsubscribe', 'One-Click');
      const token = tokenOf(campaign, one);
      const response = await post(token, text ?? form, type);
      expect(response.status).toBe(200);
      if (how !== 'the page') expect(await response.text()).toBe('');
      for (const name of ['location', 'set-cookie']) expect(response.headers.get(name)).toBeNull();
      expect(await statusesOf(campaign, one)).toEqual(['unsubscribed', 'unsubscribed']);
      expect(await statusesOf(campaign, other)).toEqual(['confirmed', 'confirmed']);
      const kept = await query('select * from memberships where contact_id = $1', [one.contactId]);
      expect(kept).toMatchObject([
        { unsubscribed_at: expect.any(Date), subscribed_at: expect.any(Date) },
        { unsubscribed_at: expect.any(Date) },
      ]);
      expect((await post(token, text ?? form, type)).status).toBe(200);
      expect(await query('select * from memberships where contact_id = $1', [one.contactId])).toEqual(kept);
      // spec 3-marketing §7.4 rules 5 and 6
      expect(await contactOf(one)).toMatchObject({ unsubscribed: false, status: 'enabled' });
      expect(await stats(campaign)).toMatchObject({ unsubscribed: 1, queued: 2 });
      const [recipient] = await query('select * from campaign_recipients where contact_id = $1', [
        one.contactId,
      ]);
      expect(recipient!['unsubscribed_at']).toEqual(kept[0]!['unsubscribed_at']);
    },
  );

  it('spec 3-marketing §7.4 rule 4 leaves a complained row unchanged, and changes rows on deleted lists', async () => {
    const campaign = await sendingCampaign(marketing, { recipients: 1 });
    const [one] = campaign.recipients as [TestRecipient];
    await setStatus(one, campaign.listIds[0], 'complained');
    await query('update lists set deleted_at = now() where id = $1', [campaign.listIds[1]]);
    await post(tokenOf(campaign, one), ONE_CLICK, FORM);
    expect(await statusesOf(campaign, one)).toEqual(['complained', 'unsubscribed']);
    expect(await contactOf(one)).toMatchObject({ unsubscribed: false });
  });

  it('spec 3-marketing §7.4 rule 4 sets the flag of the contact when no matched membership is left', async () => {
    const campaign = await sendingCampaign(marketing, { recipients: 1 });
    const [one] = campaign.recipients as [TestRecipient];
    const elsewhere = await sendingCampaign(marketing, { recipients: 0 });
    await query('update memberships set list_id = $2 where contact_id = $1 and list_id = $3', [
      one.contactId,
      elsewhere.listIds[0],
      campaign.listIds[0],
    ]);
    await query('delete from memberships where contact_id = $1 and list_id = $2', [
      one.contactId,
      campaign.listIds[1],
    ]);
    const token = tokenOf(campaign, one);
    await post(token, ONE_CLICK, FORM);
    await post(token, ONE_CLICK, FORM);
    expect(await contactOf(one)).toMatchObject({ unsubscribed: true, unsubscribed_at: expect.any(Date) });
    expect(
      await query('select * from contact_unsubscribes where contact_id = $1', [one.contactId]),
    ).toMatchObject([{ unsubscribed: true, source: 'recipient', campaign_id: campaign.id }]);
    expect(await statusesOf(campaign, one)).toEqual(['confirmed']);
    expect(await stats(campaign)).toMatchObject({ unsubscribed: 1 });
  });
});

describe('stopping all marketing mail', () => {
  it('spec 3-marketing §7.4 rule 3 sets the flag of the contact and no membership; once, with its record', async () => {
    const campaign = await sendingCampaign(marketing, { recipients: 1 });
    const [one] = campaign.recipients as [TestRecipient];
    const token = tokenOf(campaign, one);
    const first = await post(token, 'stop=all', FORM);
    expect(await first.text()).toContain('no more marketing email');
    const contact = await contactOf(one);
    await post(token, 'stop=all', FORM);
    expect(await contactOf(one)).toEqual(contact);
    expect(contact).toMatchObject({ unsubscribed: true, mailable: false });
    const path = `/v2/accounts/${marketing.accountId}/campaigns/${campaign.id}/recipients?unsubscribed=true`;
    expect((await marketing.call('GET', path)).body.data).toMatchObject([{ email: one.email }]);
    expect(await statusesOf(campaign, one)).toEqual(['confirmed', 'confirmed']);
    expect(
      await query('select * from contact_unsubscribes where contact_id = $1', [one.contactId]),
    ).toHaveLength(1);
    expect(await stats(campaign)).toMatchObject({ unsubscribed: 1 });
  });
});

describe('the way back', () => {
  const back = async (token: string, stop: 'these' | 'all') => {
    const answer = await fetch(`${origin}/public/r/${token}`, {
      ...{ method: 'POST', body: `back=${stop}`, headers: { 'content-type': FORM } },
    });
    return (await answer.text()).includes('You are subscribed again');
  };

  it('from these emails confirms the memberships again, but none that complained', async () => {
    const campaign = await sendingCampaign(marketing, { recipients: 1 });
    const [one] = campaign.recipients as [TestRecipient];
    const token = tokenOf(campaign, one);
    await post(token, 'stop=these', FORM);
    await setStatus(one, campaign.listIds[0], 'complained');
    expect(await back(token, 'these')).toBe(true);
    expect(await statusesOf(campaign, one)).toEqual(['complained', 'confirmed']);
    const [membership] = await query(
      `select * from memberships where contact_id = $1 and subscription_status = 'confirmed'`,
      [one.contactId],
    );
    expect(membership).toMatchObject({ subscribed_at: expect.any(Date), unsubscribed_at: null });
    // spec 3-marketing §7.4 rule 6: it was counted
    expect(await stats(campaign)).toMatchObject({ unsubscribed: 1 });
  });

  it('from all marketing mail clears the flag once, with its record', async () => {
    const campaign = await sendingCampaign(marketing, { recipients: 1 });
    const [one] = campaign.recipients as [TestRecipient];
    const token = tokenOf(campaign, one);
    await post(token, 'stop=all', FORM);
    expect([await back(token, 'these'), await back(token, 'all'), await back(token, 'all')]).toEqual([
      false,
      true,
      true,
    ]);
    expect(await contactOf(one)).toMatchObject({
      unsubscribed: false,
      unsubscribed_at: null,
      mailable: true,
    });
    const flips = await query(
      'select unsubscribed, source from contact_unsubscribes where contact_id = $1 order by id',
      [one.contactId],
    );
    expect(flips).toEqual([
      { unsubscribed: true, source: 'recipient' },
      { unsubscribed: false, source: 'recipient' },
    ]);
  });

  it('is none for a contact that was deleted, and changes nothing when it is only looked at', async () => {
    const campaign = await sendingCampaign(marketing, { recipients: 1 });
    const [one] = campaign.recipients as [TestRecipient];
    const token = tokenOf(campaign, one);
    await post(token, 'stop=these', FORM);
    const before = await everything();
    expect((await fetch(`${origin}/public/r/${token}`)).status).toBe(200);
    const gone = tokenOf(campaign, { contactId: newId(), messageId: one.messageId });
    expect(await back(gone, 'all')).toBe(false);
    expect(await everything()).toEqual(before);
  });
});

describe('a deleted contact', () => {
  it('spec 3-marketing §1.5 C9 its link still answers 200 and does nothing', async () => {
    const campaign = await sendingCampaign(marketing, { recipients: 1 });
    const [one] = campaign.recipients as [TestRecipient];
    await marketing.service.get(DataSource).transaction(async (tx) => {
      await forgetRecipients(tx, [one.contactId]);
      await tx.query('delete from memberships where contact_id = $1', [one.contactId]);
      await tx.query('delete from contacts where id = $1', [one.contactId]);
    });
    const token = tokenOf(campaign, one);
    const before = await everything();
    const page = await get(token);
    expect(page.status).toBe(200);
    expect(await page.text()).not.toContain(one.email);
    const responses = [
      await post(token, ONE_CLICK, FORM),
      await post(token, 'stop=these', FORM),
      await post(token, 'stop=all', FORM),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await everything()).toEqual(before);
  });
});

it('spec 3-marketing §7.4 rule 2: a burst of one-click requests loses none, with concurrent ones for the same recipients', async () => {
  const campaign = await sendingCampaign(marketing, { recipients: 300 });
  const requests = [...campaign.recipients, ...campaign.recipients.slice(0, 200)];
  const statuses = await Promise.all(
    requests.map(async (one, nth) => {
      const body = nth % 3 === 0 ? 'stop=all' : nth % 3 === 1 ? 'stop=these' : ONE_CLICK;
      const response = await post(tokenOf(campaign, one), body, FORM);
      await response.arrayBuffer();
      return response.status;
    }),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(await stats(campaign)).toMatchObject({ unsubscribed: 300, queued: 300 });
  const [counted] = await query<{ lists: number; flags: number }>(
    `select (select count(*)::int from memberships where list_id = any($1) and subscription_status = 'unsubscribed') as lists,
       (select count(*)::int from contacts c join campaign_recipients r on r.contact_id = c.id
        where r.campaign_id = $2 and c.unsubscribed) as flags`,
    [campaign.listIds, campaign.id],
  );
  const wanted = (what: boolean) =>
    new Set(requests.filter((_one, nth) => (nth % 3 === 0) === what).map(({ contactId }) => contactId)).size;
  expect(counted).toEqual({ lists: 2 * wanted(false), flags: wanted(true) });
});
