import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { MessageChanged } from '@postmesh/messages-contract';
import { deliver, memberOf } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { readCounts } from '../results/campaign-counts.js';
import { forgetRecipients } from '../results/forget-recipients.js';
import { BatchQueue } from './batch-queue.js';
import { CancelRecipients } from './cancel-recipients.js';
import { startSending, type SendingUnderTest } from './testing/sending-under-test.js';

// proven again: lost, late and refused answers of the messages service

const database = testDatabase();
const WAIT = { interval: 20 };
let under: SendingUnderTest;
let other: SendingUnderTest;
beforeAll(async () => {
  under = await startSending(database.url);
  other = await startSending(database.url, {}, under.messages);
});
afterAll(async () => {
  await other?.stop();
  await under?.stop();
});
beforeEach(() => {
  under.messages.problem = undefined;
  under.messages.breaks = () => undefined;
  under.messages.outcomeOf = () => 'accepted';
  under.messages.holds = async () => {};
  under.messages.requests.length = 0;
});

const requestsOf = (campaignId: string) =>
  under.messages.requests.filter((request) => request.campaign_id === campaignId);
const messagesOf = (campaignId: string) =>
  [...under.messages.stored.values()].filter((message) => message.campaignId === campaignId);
const ends = (campaignId: string) => expect.poll(() => under.batches(campaignId), WAIT).toBe(0);
/** Like `ends`, but batches that wait for a retry, or have a dead worker's lease, become due at once. */
const endsSoon = (campaignId: string) =>
  expect
    .poll(async () => {
      await under.sql(
        `update campaign_batches set due_at = now() - make_interval(secs => 1) where campaign_id = $1 and state = 'waiting' and due_at > now()`,
        [campaignId],
      );
      const { queue } = under.service.get(BatchQueue);
      await queue.lease.freeAbandoned();
      queue.wake();
      return under.batches(campaignId);
    }, WAIT)
    .toBe(0);
/** No worker has claimed a batch of it. */
const rests = (campaignId: string) =>
  expect
    .poll(async () => {
      const rows = await under.sql<{ state: string }>(
        'select distinct state from campaign_batches where campaign_id = $1',
        [campaignId],
      );
      return rows.map(({ state }) => state);
    }, WAIT)
    .toEqual(['pending']);
const statsOf = async (campaignId: string) => {
  const { counts } = await readCounts(under.service.get(DataSource), campaignId);
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
};
/** The counters match the statuses of the recipients. */
const expectStatuses = async (campaignId: string, wanted: Record<string, number>) => {
  expect(await under.counts(campaignId)).toEqual(wanted);
  expect(await statsOf(campaignId)).toEqual(wanted);
};
/** Each of them was handed over, under one id. */
const onceEach = (campaignId: string, count: number) => {
  const messages = messagesOf(campaignId);
  expect(messages).toHaveLength(count);
  expect(new Set(messages.map(({ email }) => email)).size).toBe(count);
};

async function prepared(count: number) {
  const list = await under.list();
  const contacts = await under.contacts(count, [list]);
  return { list, contacts, campaign: await under.campaign({ lists: [list] }) };
}
async function started(count: number) {
  const made = await prepared(count);
  await under.start(made.campaign);
  return made;
}

describe('batches', () => {
  it('spec 3-marketing §7.2 rule 2: two workers hand each recipient over once, a hundred at a time', async () => {
    const { campaign } = await started(1_050);
    await ends(campaign);
    onceEach(campaign, 1_050);
    expect(under.messages.requests).toHaveLength(11);
    await expectStatuses(campaign, { queued: 1_050 });
    const [row] = await under.sql<{ sent: number; due: boolean }>(
      `select count(*)::int as sent, (select due_at is not null from campaigns where id = $1) as due
       from campaign_recipients where campaign_id = $1 and sent_at is not null`,
      [campaign],
    );
    expect(row!.sent).toBe(1_050);
    const isDue = async () =>
      (await under.sql('select from campaigns where id = $1 and due_at is not null', [campaign])).length;
    await expect.poll(isDue, WAIT).toBe(1);
  });

  it('send the messages service the values of a contact', async () => {
    const { campaign, contacts } = await prepared(1);
    const attributes = { email: 'no', city: 'Bern', empty: '', nothing: null, score: 1.5 };
    await under.sql(`update contacts set last_name = 'Lee', attributes = $2 where id = $1`, [
      contacts[0],
      JSON.stringify(attributes),
    ]);
    await under.start(campaign);
    await ends(campaign);
    const [request] = under.messages.requests;
    const [recipient] = request!.recipients;
    expect(request).toMatchObject({
      account_id: under.accountId,
      campaign_id: campaign,
      test: false,
      content: {
        from: { email: 'news@shop.test', name: 'Shop' },
        reply_to: null,
        subject: 'Hello {{ first_name }}',
        preheader: null,
        html: null,
        text: 'text {{ unsubscribe_url }}',
      },
    });
    expect(recipient).toMatchObject({ contact_id: contacts[0], name: 'Ann Lee' });
    expect(recipient!.values).toEqual({
      email: recipient!.email,
      first_name: 'Ann',
      last_name: 'Lee',
      city: 'Bern',
      score: 1.5,
    });
  });

  it('spec 3-marketing §7.2 rule 1: skip recipients that must not get it any more, with the first applicable reason', async () => {
    const { campaign, contacts } = await prepared(6);
    await under.sql(
      `update campaigns set status = 'paused', pause_cause = 'operator', started_at = now() where id = $1`,
      [campaign],
    );
    await under.service.get(DataSource).transaction((tx) => under.snapshot.execute(tx, campaign));
    const [disabled, unsubscribed, invalid, gone, removed, kept] = contacts;
    await under.sql(
      `update contacts set status = 'blocked', unsubscribed = true, unsubscribed_at = now() where id = $1`,
      [disabled],
    );
    await under.sql(
      `update contacts set unsubscribed = true, unsubscribed_at = now(), validation_status = 'invalid' where id = $1`,
      [unsubscribed],
    );
    await under.sql(`update contacts set validation_status = 'invalid' where id = $1`, [invalid]);
    await under.sql(`update memberships set subscription_status = 'unsubscribed' where contact_id = $1`, [
      gone,
    ]);
    await under.sql('delete from memberships where contact_id = $1', [removed]);
    await under.resume(campaign);
    await ends(campaign);
    const rows = await under.sql(
      'select contact_id, status, status_reason from campaign_recipients where campaign_id = $1 order by position',
      [campaign],
    );
    const skipped = (contact_id: string | undefined, status_reason: string) => ({
      contact_id,
      status: 'skipped',
      status_reason,
    });
    expect(rows).toEqual([
      skipped(disabled, 'contact_disabled'),
      skipped(unsubscribed, 'contact_unsubscribed'),
      skipped(invalid, 'contact_invalid'),
      skipped(gone, 'not_confirmed'),
      skipped(removed, 'not_confirmed'),
      { contact_id: kept, status: 'queued', status_reason: null },
    ]);
    await expectStatuses(campaign, { skipped: 5, queued: 1 });
    const principal = memberOf(under.accountId);
    const { body } = await under.call('GET', `/console/api/campaigns/${campaign}/skips`, { principal });
    const counted = (reason: string, count: number) => ({ reason, count });
    expect(body).toEqual({
      ...{ object: 'campaign_skips', campaign_id: campaign, is_cut: false },
      data: [
        counted('not_confirmed', 2),
        ...['contact_disabled', 'contact_invalid', 'contact_unsubscribed'].map((reason) =>
          counted(reason, 1),
        ),
      ],
    });
    onceEach(campaign, 1);
  });

  it('spec 3-marketing §7.2 rule 4, §7.3: an unrenderable message has failed, a suppressed address is suppressed; the others continue', async () => {
    under.messages.outcomeOf = (email) =>
      email.startsWith('1-') ? 'failed' : email.startsWith('2-') ? 'suppressed' : 'accepted';
    const { campaign } = await started(5);
    await ends(campaign);
    await expectStatuses(campaign, { failed: 1, suppressed: 1, queued: 3 });
    const rows = await under.sql(
      `select status, status_reason, sent_at is not null as sent, message_id is not null as message
       from campaign_recipients where campaign_id = $1 order by position limit 3`,
      [campaign],
    );
    expect(rows).toEqual([
      { status: 'failed', status_reason: 'render_error', sent: false, message: false },
      { status: 'suppressed', status_reason: null, sent: false, message: true },
      { status: 'queued', status_reason: null, sent: true, message: true },
    ]);
    const [day] = await under.sql('select used from marketing_days where account_id = $1', [under.accountId]);
    const [sent] = await under.sql(
      'select count(*)::int as used from campaign_recipients where account_id = $1 and sent_at is not null',
      [under.accountId],
    );
    expect(day).toEqual(sent);
  });
});

describe('spec 3-marketing §7.2 rule 2: at most one message per contact and campaign', () => {
  it('when the answer of the messages service is lost', async () => {
    let broken = 0;
    under.messages.breaks = () =>
      broken++ % 2 === 0 ? { status: 503, isStored: broken % 4 === 1 } : undefined;
    const { campaign } = await started(500);
    await endsSoon(campaign);
    onceEach(campaign, 500);
    await expectStatuses(campaign, { queued: 500 });
  });

  it('when outcomes of messages overtake their record', async () => {
    const { campaign } = await prepared(100);
    let overtaken: Promise<unknown> | undefined;
    under.messages.breaks = ({ recipients }) => {
      overtaken = under.sql(
        `update campaign_recipients set status = 'delivered' where message_id = any($1::uuid[])`,
        [recipients.map(({ message_id }) => message_id)],
      );
      return undefined;
    };
    await under.start(campaign);
    await ends(campaign);
    await overtaken;
    const { delivered = 0, queued = 0 } = await under.counts(campaign);
    expect(delivered + queued).toBe(100);
    onceEach(campaign, 100);
  });

  it('when the worker dies with a claimed batch', async () => {
    const dying = await startSending(database.url, {}, under.messages);
    let begun = 0;
    under.messages.breaks = () => ({ status: 503, isStored: (begun += 1) % 2 === 1 });
    const { campaign } = await started(400);
    await expect.poll(() => begun, WAIT).toBeGreaterThan(3);
    await dying.stop();
    // like a killed process: leases without an owner
    await under.service.get(DataSource).transaction(async (tx) => {
      // this and a record of several batches could each wait for the other
      await tx.query('lock table campaign_batches in exclusive mode');
      await tx.query(
        `update campaign_batches set state = 'leased', lease_owner = gen_random_uuid(), lease_token = lease_token + 1,
           leased_until = now() + interval '1 minute' where campaign_id = $1`,
        [campaign],
      );
    });
    under.messages.breaks = () => undefined;
    await endsSoon(campaign);
    onceEach(campaign, 400);
    await expectStatuses(campaign, { queued: 400 });
  });
});

describe('a contact that is deleted while its recipient is taken and not recorded', () => {
  const forget = (contactId: string) =>
    under.service.get(DataSource).transaction(async (tx) => {
      await tx.query('delete from memberships where contact_id = $1', [contactId]);
      await forgetRecipients(tx, [contactId]);
      await tx.query('delete from contacts where id = $1', [contactId]);
    });
  const settled = (campaign: string, wanted: Record<string, number>) =>
    expect.poll(() => statsOf(campaign), WAIT).toEqual(wanted);
  const delivered = (message_id: string, campaign_id: string) =>
    deliver(under.service, [
      MessageChanged.make(
        { ...MessageChanged.examples[0]!, message_id, campaign_id },
        { account_id: under.accountId },
      ),
    ]);

  it('spec 3-marketing §1.5 C5: gets no mail and counts as skipped when it was not handed over', async () => {
    const { campaign, contacts } = await prepared(3);
    under.messages.breaks = () => ({ status: 503, isStored: false });
    await under.start(campaign);
    await expect.poll(() => requestsOf(campaign).length, WAIT).toBeGreaterThan(0);
    await forget(contacts[1]!);
    under.messages.breaks = () => undefined;
    await endsSoon(campaign);
    onceEach(campaign, 2);
    await settled(campaign, { queued: 2, skipped: 1 });
  });

  it('spec 3-marketing §8.1: counts by its outcome when it was handed over without a record', async () => {
    const { campaign, contacts } = await prepared(2);
    under.messages.breaks = () => ({ status: 503, isStored: true });
    await under.start(campaign);
    await expect.poll(() => requestsOf(campaign).length, WAIT).toBeGreaterThan(0);
    const sent = requestsOf(campaign)[0]!.recipients;
    const { message_id } = sent.find(({ contact_id }) => contact_id === contacts[0])!;
    await forget(contacts[0]!);
    under.messages.breaks = () => undefined;
    await endsSoon(campaign);
    await settled(campaign, { queued: 1, skipped: 1 });
    await delivered(message_id, campaign);
    await settled(campaign, { queued: 1, delivered: 1 });
  });

  it.each([
    ['accepted', 'queued'],
    ['suppressed', 'suppressed'],
    ['failed', 'failed'],
  ] as const)('spec 3-marketing §8.1: counts as the messages service says: %s', async (outcome, status) => {
    const { campaign, contacts } = await prepared(2);
    under.messages.outcomeOf = (email) => (email.startsWith('1-') ? outcome : 'accepted');
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    under.messages.holds = () => held;
    await under.start(campaign);
    await expect.poll(() => requestsOf(campaign).length, WAIT).toBe(1);
    await forget(contacts[0]!);
    expect(await statsOf(campaign)).toEqual({ queued: 1, skipped: 1 });
    release();
    await ends(campaign);
    await settled(campaign, status === 'queued' ? { queued: 2 } : { queued: 1, [status]: 1 });
  });
});

describe('spec 3-marketing §4.2: a pause', () => {
  it.each([
    ['account_suspended', 'suspended'],
    ['credit_used_up', 'monthly_limit'],
    ['domain_paused', 'domain_paused'],
    ['domain_dns_invalid', 'domain_dns'],
  ] as const)('is caused by %s, loses no recipient and sends to none twice', async (problem, cause) => {
    under.messages.problem = problem;
    const { campaign } = await started(350);
    await expect.poll(() => under.statusOf(campaign), WAIT).toEqual({ status: 'paused', pause_cause: cause });
    await rests(campaign);
    under.messages.problem = undefined;
    await under.resume(campaign);
    await ends(campaign);
    onceEach(campaign, 350);
    await expectStatuses(campaign, { queued: 350 });
  });

  it('holds back pending recipients', async () => {
    const { campaign } = await prepared(2_000);
    let paused: Promise<unknown> | undefined;
    // no request is answered before the pause, so the batches in flight are all that was taken
    under.messages.holds = async () => {
      await (paused ??= under.sql(
        `update campaigns set status = 'paused', pause_cause = 'operator' where id = $1`,
        [campaign],
      ));
    };
    under.messages.breaks = () => ({ status: 503, isStored: false });
    await under.start(campaign);
    await expect.poll(() => paused, WAIT).toBeDefined();
    await rests(campaign);
    under.messages.breaks = () => undefined;
    const { pending } = await under.counts(campaign);
    expect(pending).toBeGreaterThan(0);
    await under.resume(campaign);
    await endsSoon(campaign);
    onceEach(campaign, 2_000);
  });

  it('by a member, again and again while two workers send, loses no recipient and sends to none twice', async () => {
    const { campaign } = await prepared(2_000);
    const hold = (action: 'pause' | 'resume') =>
      under.call('POST', `/console/api/campaigns/${campaign}/${action}`, {
        principal: memberOf(under.accountId, 'Developer'),
      });
    const waiting: number[] = [];
    // the request of that number and those after it are answered when the campaign is paused
    const pauseAfter = (requests: number) =>
      new Promise<number>((paused) => {
        let pausing: Promise<void> | undefined;
        under.messages.holds = async () => {
          if ((requests -= 1) > 0) return;
          pausing ??= hold('pause').then(({ status }) => paused(status));
          await pausing;
        };
      });
    let isPaused = pauseAfter(1);
    await under.start(campaign);
    for (const next of [3, 2]) {
      expect(await isPaused).toBe(200);
      await rests(campaign);
      waiting.push((await under.counts(campaign))['pending'] ?? 0);
      isPaused = pauseAfter(next);
      expect((await hold('resume')).status).toBe(200);
    }
    expect(await isPaused).toBe(200);
    under.messages.holds = async () => {};
    expect((await hold('resume')).status).toBe(200);
    await ends(campaign);
    expect(waiting.every((count) => count > 0)).toBe(true);
    onceEach(campaign, 2_000);
    await expectStatuses(campaign, { queued: 2_000 });
  });

  it('makes a campaign without a sender wait for its end', async () => {
    under.messages.problem = 'domain_missing';
    const { campaign } = await started(10);
    const raised = () =>
      under.sql('select status from campaigns where id = $1 and due_at is not null', [campaign]);
    await expect.poll(raised, WAIT).toEqual([{ status: 'sending' }]);
    await under.cancel(campaign);
    await under.sql(
      'update campaign_batches set due_at = now() - make_interval(secs => 1) where campaign_id = $1',
      [campaign],
    );
    await ends(campaign);
    await expectStatuses(campaign, { failed: 10 });
  });
});

describe('spec 3-marketing §4.1 T18: a campaign that is canceled', () => {
  it('sends no more messages: pending recipients are canceled, handed-over messages stay', async () => {
    const cancels = under.service.get(CancelRecipients);
    const { pieceSize } = cancels;
    cancels.pieceSize = 10;
    onTestFinished(() => void (cancels.pieceSize = pieceSize));
    const { campaign } = await prepared(1_234);
    await under.sql(`update campaigns set status = 'paused', started_at = now() where id = $1`, [campaign]);
    await under.service.get(DataSource).transaction((tx) => under.snapshot.execute(tx, campaign));
    await under.cancel(campaign);
    // an immediate read counts most of them already
    expect((await under.counts(campaign))['canceled']).toBeGreaterThanOrEqual(1_000);
    await ends(campaign);
    await expectStatuses(campaign, { canceled: 1_234 });
    expect(messagesOf(campaign)).toEqual([]);
  });

  it('determines the outcomes of taken recipients', async () => {
    let begun = 0;
    under.messages.breaks = () => ({ status: 503, isStored: (begun += 1) === 1 });
    const { campaign } = await started(300);
    await expect.poll(() => begun, WAIT).toBeGreaterThan(4);
    await under.cancel(campaign);
    under.messages.problem = 'domain_missing';
    under.messages.breaks = () => undefined;
    await endsSoon(campaign);
    const stored = messagesOf(campaign).length;
    const { queued = 0, failed = 0, canceled = 0 } = await under.counts(campaign);
    expect(queued).toBe(stored);
    expect(queued).toBe(100);
    expect(queued + failed + canceled).toBe(300);
    expect(await statsOf(campaign)).toEqual(await under.counts(campaign));
  });
});

it('a rejected request gives its recipients up in the end, since nothing was stored', async () => {
  under.messages.breaks = () => ({ status: 400, isStored: false });
  const { campaign } = await started(10);
  await expect.poll(() => requestsOf(campaign).length, WAIT).toBeGreaterThan(0);
  const hurry = () =>
    under.sql(
      `update campaign_batches set due_at = now() - make_interval(secs => 1), attempts = 12 where campaign_id = $1 and state = 'waiting'`,
      [campaign],
    );
  await expect
    .poll(async () => {
      await hurry();
      return under.batches(campaign);
    }, WAIT)
    .toBe(0);
  await expectStatuses(campaign, { failed: 10 });
});
