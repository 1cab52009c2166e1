import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId, type EventEnvelope } from '@postmesh/contracts';
import { deliver, startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { MARKETING_SERVICE } from '../marketing.definition.js';
import {
  at,
  fold,
  queryOf,
  sendingCampaign,
  publishedEvents,
  type TestCampaign,
  type TestRecipient,
} from '../testing/campaign-under-test.js';
import { forgetRecipients } from './forget-recipients.js';

// proven again: complaints that come twice, and memberships on deleted lists or of other lists
const database = testDatabase();
let marketing: TestService;

beforeAll(async () => {
  marketing = await startTestService(MARKETING_SERVICE, { databaseUrl: database.url });
});
afterAll(() => marketing?.stop());

const query = <R = Record<string, unknown>>(sql: string, parameters: unknown[] = []) =>
  queryOf(marketing)<R>(sql, parameters);
const consume = (...events: EventEnvelope[]) => deliver(marketing.service, events);
const api = (path: string) => marketing.call('GET', `/v2/accounts/${marketing.accountId}/campaigns/${path}`);
const statsOf = async ({ id }: TestCampaign) => (await api(`${id}/stats`)).body;
const recipientOf = async ({ id }: TestCampaign, { contactId }: TestRecipient) =>
  (await api(`${id}/recipients?limit=100`)).body.data.find(
    (one: { contact_id: string }) => one.contact_id === contactId,
  );
const contactOf = async ({ contactId }: TestRecipient) =>
  (await query('select * from contacts where id = $1', [contactId]))[0]!;
const membershipsOf = ({ contactId }: TestRecipient) =>
  query<{ subscription_status: string; unsubscribed_at: Date | null }>(
    'select * from memberships where contact_id = $1 order by list_id',
    [contactId],
  );

/** Again, as other events, which the inbox does not know, and in another order: what counts is the state of the rows. */
const again = (events: readonly EventEnvelope[]): EventEnvelope[] =>
  events.map((event) => ({ ...event, id: newId() })).toReversed();

const rejected = (classification = 'InvalidRecipient') => ({
  reply: { smtp_code: 550, classification },
});

it('operators find the campaigns that wrote to an address', async () => {
  const campaign = await sendingCampaign(marketing, { recipients: 2 });
  const [one] = campaign.recipients as [TestRecipient];
  const { email } = await recipientOf(campaign, one);
  const find = (parameters: string) =>
    marketing.internal(
      'GET',
      `/operator/campaign-recipients?email=${encodeURIComponent(email)}${parameters}`,
    );
  const { body } = await find('');
  expect(body.data).toMatchObject([
    { campaign_id: campaign.id, recipient: email, message_id: one.messageId },
  ]);
  expect((await find(`&account=${newId()}`)).body.data).toEqual([]);
});

describe('the statistics of a campaign', () => {
  it('spec 3-marketing §8.1 rule 1 count each recipient by its status, and their sum is all recipients', async () => {
    const campaign = await sendingCampaign(marketing, { recipients: 7 });
    const { attempt } = publishedEvents(marketing.accountId, campaign);
    const [a, b, c, d, e, f] = campaign.recipients as [TestRecipient, ...TestRecipient[]] & TestRecipient[];
    const events = [
      attempt(a, 'deferred'),
      attempt(a, 'delivered', 20),
      attempt(b!, 'bounced', 10, rejected()),
      attempt(c!, 'failed', 10, { reply: null }),
      attempt(d!, 'suppressed', 10, { reply: null }),
      attempt(e!, 'deferred'),
      attempt(f!, 'delivered'),
    ];
    await consume(...events);
    const counts = { delivered: 2, bounced: 1, failed: 1, suppressed: 1, deferred: 1, queued: 1, pending: 0 };
    const stats = await statsOf(campaign);
    expect(stats).toEqual({
      object: 'campaign_stats',
      campaign_id: campaign.id,
      recipients: 7,
      ...{
        skipped: 0,
        canceled: 0,
        opened: 0,
        opens: 0,
        clicked: 0,
        clicks: 0,
        unsubscribed: 0,
        complained: 0,
      },
      ...counts,
      updated_at: expect.stringMatching(/^20\d\d-.*Z$/),
      // the account tracks neither
      ...{ track_opens: false, track_clicks: false },
    });
    // repeated by the bus, or published again as new events, they change nothing
    await consume(...events);
    expect(await statsOf(campaign)).toEqual(stats);
    await fold(marketing);
    expect(await statsOf(campaign)).toEqual(stats);
  });

  it('spec 3-marketing §8.1 rule 3 count each event once, however often it comes', async () => {
    const campaign = await sendingCampaign(marketing, { recipients: 30 });
    const tell = publishedEvents(marketing.accountId, campaign);
    const outcomes = campaign.recipients.flatMap((one, nth) => [
      tell.attempt(one, 'deferred', 5),
      nth % 3 === 0 ? tell.attempt(one, 'bounced', 20, rejected()) : tell.attempt(one, 'delivered', 20),
    ]);
    const fetches = campaign.recipients.flatMap((one, nth) => [
      tell.fetched(one, 'opened', 100),
      tell.fetched(one, nth % 2 ? 'clicked' : 'opened', 200),
    ]);
    await Promise.all([consume(...outcomes), consume(...fetches)]);
    const stats = await statsOf(campaign);
    expect(stats).toMatchObject({ recipients: 30, bounced: 10, delivered: 20 });
    expect(stats).toMatchObject({ opened: 30, opens: 45, clicked: 15, clicks: 15 });
    await consume(...outcomes, ...fetches);
    await fold(marketing);
    await consume(...again(outcomes));
    expect(await statsOf(campaign)).toEqual(stats);
  });

  it('spec 3-marketing §8.1 are all zero before sending; another account has no such campaign', async () => {
    const campaign = await sendingCampaign(marketing, { recipients: 0, status: 'draft' });
    await query('delete from campaign_counts where campaign_id = $1', [campaign.id]);
    const stats = await statsOf(campaign);
    expect(stats).toMatchObject({ recipients: 0, pending: 0, complained: 0, updated_at: null });
    expect((await api(`${campaign.id}/recipients`)).body).toEqual({
      object: 'list',
      data: [],
      pagination: { has_more: false, next_cursor: null, previous_cursor: null },
    });
    for (const path of ['stats', 'recipients']) {
      const foreign = `/v2/accounts/${newId()}/campaigns/${campaign.id}/${path}`;
      const other = await marketing.call('GET', foreign, { account_id: foreign.split('/')[3]! });
      expect([other.status, other.body]).toEqual([404, { message: 'campaign not found' }]);
      expect((await api(`x/${path}`)).body).toEqual({ message: 'invalid campaign_id' });
    }
  });
});

describe('a recipient', () => {
  it('spec 3-marketing §8.2 shows the outcome of its message', async () => {
    const campaign = await sendingCampaign(marketing, { recipients: 2 });
    const [one, other] = campaign.recipients as [TestRecipient, TestRecipient];
    const tell = publishedEvents(marketing.accountId, campaign);
    await consume(
      tell.attempt(one, 'delivered', 20),
      tell.attempt(other, 'bounced', 30, rejected('BadDomain')),
    );
    await consume(
      tell.fetched(one, 'clicked', 60),
      tell.fetched(one, 'opened', 50),
      tell.fetched(one, 'opened', 40),
    );
    expect(await recipientOf(campaign, one)).toEqual({
      object: 'campaign_recipient',
      campaign_id: campaign.id,
      contact_id: one.contactId,
      email: one.email,
      list_ids: campaign.listIds,
      status: 'delivered',
      status_reason: null,
      message_id: `<${one.messageId}@shop.test>`,
      sent_at: at(0),
      delivered_at: at(20),
      opened_at: at(40),
      clicked_at: at(60),
      unsubscribed_at: null,
      complained_at: null,
      open_count: 2,
      click_count: 1,
    });
    expect(await recipientOf(campaign, other)).toMatchObject({
      status: 'bounced',
      status_reason: 'BadDomain',
    });
  });

  it('spec 3-marketing §8.2 that was delivered may bounce by a later report; a late delivery of a bounced one changes no status', async () => {
    const campaign = await sendingCampaign(marketing, { recipients: 2 });
    const [one, other] = campaign.recipients as [TestRecipient, TestRecipient];
    const tell = publishedEvents(marketing.accountId, campaign);
    await consume(tell.attempt(one, 'delivered', 20), tell.bounceReport(other));
    await consume(tell.bounceReport(one), tell.attempt(other, 'delivered', 20));
    for (const recipient of [one, other])
      expect(await recipientOf(campaign, recipient)).toMatchObject({
        status: 'bounced',
        status_reason: 'InvalidRecipient',
        delivered_at: at(20),
      });
    expect(await statsOf(campaign)).toMatchObject({ bounced: 2, delivered: 0, queued: 0 });
  });

  it('spec 3-marketing §8.2 that was not handed over, or was left out, is not moved by anything', async () => {
    for (const status of ['pending', 'skipped', 'canceled', 'suppressed', 'failed']) {
      const campaign = await sendingCampaign(marketing, { recipients: 1, recipientStatus: status });
      const [one] = campaign.recipients as [TestRecipient];
      const tell = publishedEvents(marketing.accountId, campaign);
      await consume(tell.attempt(one, 'deferred'), tell.attempt(one, 'bounced', 20, rejected()));
      expect(await recipientOf(campaign, one)).toMatchObject({ status });
      expect(await contactOf(one)).toMatchObject({ validation_status: 'unvalidated' });
    }
  });

  it('spec 3-marketing §8.2 is handed over when its outcome comes before the hand-over is recorded', async () => {
    const campaign = await sendingCampaign(marketing, { recipients: 1 });
    const [one] = campaign.recipients as [TestRecipient];
    await query('update campaign_recipients set sent_at = null where campaign_id = $1', [campaign.id]);
    await consume(publishedEvents(marketing.accountId, campaign).attempt(one, 'delivered', 20));
    expect(await recipientOf(campaign, one)).toMatchObject({ status: 'delivered', sent_at: at(0) });
  });

  it('of no campaign, and of a campaign that is gone, is passed over', async () => {
    const campaign = await sendingCampaign(marketing, { recipients: 1 });
    const tell = publishedEvents(marketing.accountId, { ...campaign, id: newId() });
    const unknown = { contactId: newId(), messageId: newId(), email: 'x@mail.test' };
    const { campaign_id: _none, ...data } = tell.attempt(campaign.recipients[0]!, 'delivered').data;
    await consume(
      ...[tell.attempt(unknown, 'bounced', 10, rejected()), tell.fetched(unknown, 'opened')],
      ...[tell.complaint(unknown), tell.bounceReport(unknown)],
      { ...tell.attempt(campaign.recipients[0]!, 'delivered'), data } as EventEnvelope,
    );
    expect(await statsOf(campaign)).toMatchObject({ queued: 1, delivered: 0 });
  });
});

describe('opens and clicks', () => {
  it('spec 3-marketing §7.6 rule 2 are stored with all that is known of them; those of bots count nowhere', async () => {
    const campaign = await sendingCampaign(marketing, { recipients: 2 });
    const [one, other] = campaign.recipients as [TestRecipient, TestRecipient];
    const tell = publishedEvents(marketing.accountId, campaign);
    const seen = { ip: '192.0.2.7', user_agent: 'Reader/1' };
    const clicked = tell.fetched(one, 'clicked', 50, { ...seen, url: 'https://shop.test/b' });
    const events = [
      clicked,
      tell.fetched(one, 'opened', 40, { ...seen, is_bot: true }),
      tell.fetched(other, 'opened', 40, { ...seen, is_bot: true }),
    ];
    await consume(...events);
    expect(
      await query('select * from campaign_fetches where contact_id = $1 order by created_at desc', [
        one.contactId,
      ]),
    ).toEqual([
      {
        id: clicked.id,
        campaign_id: campaign.id,
        contact_id: one.contactId,
        kind: 'clicked',
        url: 'https://shop.test/b',
        ip: '192.0.2.7',
        user_agent: 'Reader/1',
        is_bot: false,
        created_at: new Date(at(50)),
      },
      expect.objectContaining({ kind: 'opened', is_bot: true, url: null }),
    ]);
    expect(await statsOf(campaign)).toMatchObject({ opened: 0, opens: 0, clicked: 1, clicks: 1 });
    expect(await recipientOf(campaign, other)).toMatchObject({ opened_at: null, open_count: 0 });
  });

  it.each(['sent', 'canceled'])(
    'spec 3-marketing §7.6 rule 3 count after the campaign is %s: recipients once, events each; a click is no open',
    async (status) => {
      const campaign = await sendingCampaign(marketing, { recipients: 3, status });
      const [one, other] = campaign.recipients as [TestRecipient, TestRecipient];
      const tell = publishedEvents(marketing.accountId, campaign);
      await consume(tell.fetched(one, 'opened', 10), tell.fetched(one, 'opened', 20));
      await consume(tell.fetched(one, 'opened', 30), tell.fetched(other, 'clicked', 30));
      expect(await statsOf(campaign)).toMatchObject({ opened: 1, opens: 3, clicked: 1, clicks: 1 });
      expect(await recipientOf(campaign, other)).toMatchObject({ opened_at: null, click_count: 1 });
    },
  );
});

describe('a hard bounce', () => {
  it('spec 3-marketing §1.4 rule 2 makes the contact invalid, in contact_count too; any other failure does not', async () => {
    const campaign = await sendingCampaign(marketing, { recipients: 3, listsOf: () => [0] });
    const [hard, soft, late] = campaign.recipients as [TestRecipient, TestRecipient, TestRecipient];
    const tell = publishedEvents(marketing.accountId, campaign);
    await consume(
      tell.attempt(hard, 'bounced', 10, rejected()),
      tell.attempt(soft, 'bounced', 10, rejected('QuotaIssues')),
      tell.attempt(late, 'delivered'),
    );
    await consume(tell.bounceReport(late, 'BadDomain'));
    const [first, second, third] = await Promise.all([hard, soft, late].map(contactOf));
    expect(first).toMatchObject({ validation_status: 'invalid', last_validated_at: expect.any(Date) });
    expect(first!['updated_at']).toEqual(first!['last_validated_at']);
    expect(second).toMatchObject({ validation_status: 'unvalidated', last_validated_at: null });
    expect(third).toMatchObject({ validation_status: 'invalid' });
    const [list] = await query(
      `select contact_count + coalesce((select sum(delta) from list_count_deltas d where d.list_id = l.id), 0) as count
       from lists l where id = $1`,
      [campaign.listIds[0]],
    );
    expect(Number(list!['count'])).toBe(1);
  });
});

describe('a complaint', () => {
  it('spec 3-marketing §7.5 freezes all matched memberships, whatever they were, and counts once', async () => {
    const campaign = await sendingCampaign(marketing, {
      recipients: 3,
      listsOf: (nth) => (nth === 2 ? [0] : [0, 1]),
    });
    const [one, other, third] = campaign.recipients as [TestRecipient, TestRecipient, TestRecipient];
    // on a list that the campaign did not name, and on one that is deleted
    const elsewhere = await sendingCampaign(marketing, { recipients: 0 });
    await query(
      `insert into memberships (list_id, contact_id, account_id, subscription_status, created_at, updated_at)
       values ($1, $2, $3, 'confirmed', now(), now())`,
      [elsewhere.listIds[0], one.contactId, marketing.accountId],
    );
    await query('update lists set deleted_at = now() where id = $1', [campaign.listIds[1]]);
    await query(
      `update memberships set subscription_status = 'unsubscribed', unsubscribed_at = '2026-01-02'
       where contact_id = $1 and list_id = $2`,
      [one.contactId, campaign.listIds[0]],
    );
    const before = await contactOf(one);
    const tell = publishedEvents(marketing.accountId, campaign);
    const complaints = [tell.complaint(one), tell.complaint(third, 901)];
    await consume(...complaints);
    await consume(...again(complaints));
    const rows = await membershipsOf(one);
    expect(rows.map(({ subscription_status: status }) => status).toSorted()).toEqual([
      'complained',
      'complained',
      'confirmed',
    ]);
    for (const row of rows.filter(({ subscription_status: status }) => status === 'complained'))
      expect(row.unsubscribed_at).toEqual(new Date(at(900)));
    expect(await membershipsOf(third)).toMatchObject([{ subscription_status: 'complained' }]);
    expect(await contactOf(one)).toEqual(before);
    expect(await recipientOf(campaign, one)).toMatchObject({ complained_at: at(900), status: 'queued' });
    expect(await recipientOf(campaign, other)).toMatchObject({ complained_at: null });
    expect(await statsOf(campaign)).toMatchObject({ complained: 2, unsubscribed: 0 });
  });
});

describe('a deleted contact', () => {
  it('spec 3-marketing §1.5 C4 C5: counts stay, a pending recipient is skipped, and later events change counters only', async () => {
    const campaign = await sendingCampaign(marketing, { recipients: 3 });
    const [one, other, pending] = campaign.recipients as [TestRecipient, TestRecipient, TestRecipient];
    const tell = publishedEvents(marketing.accountId, campaign);
    await query(
      `update campaign_recipients set status = 'pending', message_id = null where contact_id = $1`,
      [pending.contactId],
    );
    await query('update campaign_counts set queued = 2, pending = 1 where campaign_id = $1', [campaign.id]);
    await consume(tell.attempt(one, 'delivered'), tell.fetched(one, 'opened'));
    const contacts = [one, pending].map(({ contactId }) => contactId);
    await marketing.service.get(DataSource).transaction(async (tx) => {
      await tx.query('select from contacts where id = any($1::uuid[]) order by id for update', [contacts]);
      await forgetRecipients(tx, contacts);
      await tx.query('delete from memberships where contact_id = any($1)', [contacts]);
      await tx.query('delete from contacts where id = any($1)', [contacts]);
    });
    const listed = await api(`${campaign.id}/recipients`);
    expect(listed.body.data).toMatchObject([{ contact_id: other.contactId }]);
    expect(await statsOf(campaign)).toMatchObject({
      recipients: 3,
      delivered: 1,
      queued: 1,
      skipped: 1,
      opened: 1,
    });
    const later = [
      tell.bounceReport(one),
      tell.fetched(one, 'opened', 300),
      tell.fetched(one, 'clicked', 300),
      tell.complaint(one),
      tell.fetched(one, 'clicked', 300, { is_bot: true }),
    ];
    await consume(...later);
    await consume(...later);
    expect(await statsOf(campaign)).toMatchObject({
      ...{ recipients: 3, delivered: 0, bounced: 1, queued: 1, skipped: 1 },
      ...{ opened: 1, opens: 2, clicked: 1, clicks: 1, complained: 1 },
    });
    expect(await query('select from campaign_fetches where contact_id = $1', [one.contactId])).toEqual([]);
  });
});

describe('a page of recipients', () => {
  it('spec 3-marketing §8.2 is in the order of the snapshot, in both directions, and filtered by the query', async () => {
    const campaign = await sendingCampaign(marketing, { recipients: 7 });
    const tell = publishedEvents(marketing.accountId, campaign);
    const [, one, two, three] = campaign.recipients as TestRecipient[];
    await consume(
      tell.attempt(one!, 'delivered'),
      tell.attempt(two!, 'delivered'),
      tell.attempt(three!, 'deferred'),
    );
    await consume(tell.fetched(two!, 'opened'), tell.fetched(two!, 'clicked'), tell.complaint(three!));
    const page = async (parameters: string) => {
      const { status, body } = await api(`${campaign.id}/recipients?${parameters}`);
      expect(status).toBe(200);
      return {
        at: body.data.map(({ email }: { email: string }) => Number(/^r(\d+)/.exec(email)![1])),
        ...body.pagination,
      };
    };
    const first = await page('limit=3');
    expect(first).toMatchObject({ at: [0, 1, 2], has_more: true, previous_cursor: null });
    const second = await page(`limit=3&after=${first.next_cursor}`);
    expect(second).toMatchObject({ at: [3, 4, 5], has_more: true });
    expect(await page(`limit=3&after=${second.next_cursor}`)).toMatchObject({
      at: [6],
      has_more: false,
      next_cursor: null,
    });
    expect(await page(`limit=3&before=${second.previous_cursor}`)).toMatchObject({
      at: [0, 1, 2],
      has_more: false,
      previous_cursor: null,
      next_cursor: expect.any(String),
    });
    const filters: [string, number[]][] = [
      ['status=delivered', [1, 2]],
      ['status=deferred', [3]],
      ['status=canceled', []],
      ['opened=true', [2]],
      ['opened=false&status=delivered', [1]],
      ['clicked=true', [2]],
      ['complained=true', [3]],
      ['unsubscribed=false&limit=100', [0, 1, 2, 3, 4, 5, 6]],
      ['unsubscribed=true', []],
      [`email=${encodeURIComponent(` ${two!.email.toUpperCase()} `)}`, [2]],
      ['email=%20', [0, 1, 2, 3, 4, 5, 6]],
      ['email=nobody%00', []],
    ];
    for (const [parameters, wanted] of filters)
      expect([parameters, (await page(parameters)).at]).toEqual([parameters, wanted]);
    const deep = await page(`status=delivered&limit=1`);
    expect(await page(`status=delivered&limit=1&after=${deep.next_cursor}`)).toMatchObject({
      at: [2],
      has_more: false,
      previous_cursor: expect.any(String),
    });
  });

  it.each([
    ['status=gone', expect.stringContaining('invalid status (one of pending, queued, ')],
    ['opened=yes', 'invalid opened'],
    ['limit=0', 'limit must be between 1 and 100'],
    ['after=x', 'invalid cursor'],
    ['after=x&before=y', 'after and before are mutually exclusive'],
  ])('spec 3-marketing §3.2 refuses %s', async (parameters, message) => {
    const campaign = await sendingCampaign(marketing, { recipients: 0 });
    const { status, body } = await api(`${campaign.id}/recipients?${parameters}`);
    expect([status, body]).toEqual([400, { message }]);
  });
});
