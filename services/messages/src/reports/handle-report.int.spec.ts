import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { feedbackAddress, verpAddress } from '@postmesh/mail-format';
import { testDatabase } from '@postmesh/testing';
import { complaint, dsn, startReports, type ReportsUnderTest } from '../testing/reports-under-test.js';

// proven again: repeated and concurrent reports, each status of their message, and the events
const database = testDatabase();
let under: ReportsUnderTest;
beforeAll(async () => {
  under = await startReports(database.url);
});
afterAll(() => under?.stop());

let people = 0;
const someone = () => `person-${++people}@mail.test`;

const path = (id: string) => `/v2/accounts/${under.accountId}/messages/${id}`;
const read = async (id: string) => (await under.call('GET', path(id))).body;
const bouncesOf = (id: string) =>
  under.changes.events.filter(({ data }) => data.message_id === id && data.change === 'bounced');
interface Notification {
  id: string;
  is_bounce_notification: boolean;
}
const notifications = (id: string) =>
  under.sql<Notification>(
    `select n.id, n.is_bounce_notification from messages n join messages m on m.seq = n.reference_seq
     where m.id = $1 order by n.seq`,
    [id],
  );
const suppressionsOf = (email: string) =>
  under.sql(
    'select reason, protected, source, domain, expires_at, message_id from suppressions where email = $1',
    [email],
  );
const bouncedFacts = (classification: string) =>
  under.sql(`select count from statistics_facts where figure = 'bounced' and classification = $1`, [
    classification,
  ]);

describe('spec 2-messages §15.4: a bounce that is reported later', () => {
  it('makes a delivered message Bounced, is published once, and suppresses its recipient', async () => {
    const to = someone();
    const [id] = (await under.delivered('', [to])) as [string];
    await under.report('bounce', id, dsn(to));
    expect(await read(id)).toMatchObject({
      status: 'Bounced',
      bounce_classification: 'InvalidRecipient',
      num_attempts: 1,
      delivered_at: expect.any(String),
      delivery_attempts: [
        { status: 'Delivery' },
        { status: 'Bounce', log: expect.stringContaining('550 5.1.1 no such user') },
      ],
    });
    await expect.poll(() => bouncesOf(id)).toHaveLength(1);
    expect(bouncesOf(id)[0]).toMatchObject({
      account_id: under.accountId,
      data: {
        recipient: to,
        sender: 'news@shop.test',
        subject: 'Your order',
        message_id_header: `<${id}@shop.test>`,
        classification: 'InvalidRecipient',
        reply: null,
      },
    });
    expect(await suppressionsOf(to)).toMatchObject([
      { reason: 'Too many hard bounces', protected: false, domain: 'shop.test' },
    ]);
  });

  it('is stored as an inbound message that refers to it', async () => {
    const to = someone();
    const [id] = (await under.delivered('', [to])) as [string];
    await under.report('bounce', id, dsn(to, { subject: 'here' }));
    const [stored] = (await notifications(id)) as [Notification];
    const [{ seq }] = (await under.sql<{ seq: string }>('select seq from messages where id = $1', [id])) as [
      { seq: string },
    ];
    expect(await read(stored.id)).toMatchObject({
      direction: 'inbound',
      is_bounce_notification: true,
      reference_message_id: Number(seq),
      status: 'Received',
      sender: 'mailer-daemon@mx.mail.test',
      recipient: expect.stringMatching(/^b\+[a-z2-7]{42}@rp\.shop\.test$/),
      subject: 'Undelivered here',
      message_id: '<here@mx.mail.test>',
      content: expect.stringContaining('Final-Recipient: rfc822; '),
    });
  });

  it('counts as bounced in addition to delivered', async () => {
    const to = someone();
    const [id] = (await under.delivered('', [to])) as [string];
    const before = await bouncedFacts('QuotaIssues');
    await under.report('bounce', id, dsn(to, { status: '5.2.2', diagnostic: '552 5.2.2 mailbox is full' }));
    expect(await bouncedFacts('QuotaIssues')).toHaveLength(before.length + 1);
  });

  it('is one bounce, with several reports from several hosts', async () => {
    const to = someone();
    const [id] = (await under.delivered('', [to])) as [string];
    const same = dsn(to);
    await Promise.all(
      [same, same, same, dsn(to), dsn(to, { status: '5.2.1' })].map((raw) => under.report('bounce', id, raw)),
    );
    await under.report('bounce', id, same);
    // later reports are published later
    const [last] = (await under.delivered('', [someone()])) as [string];
    await under.report('bounce', last, dsn('x@mail.test'));
    await expect.poll(() => bouncesOf(last)).toHaveLength(1);
    expect(bouncesOf(id)).toHaveLength(1);
    expect(await notifications(id)).toHaveLength(3);
    expect((await read(id)).delivery_attempts).toHaveLength(2);
  });

  it('that arrives before the outcome of its delivery counts, and is published after it', async () => {
    const to = someone();
    const [id] = (await under.delivered('', [to])) as [string];
    await under.sql(`update messages set status = 'Received', delivered_at = null where id = $1`, [id]);
    const reported = under.report('bounce', id, dsn(to));
    await under.outcome(id, 'delivered');
    await reported;
    expect(await read(id)).toMatchObject({ status: 'Bounced', delivered_at: expect.any(String) });
  });

  it.each([
    ['Opened', 'Bounced'],
    ['Clicked', 'Bounced'],
    ['Received', 'Bounced'],
    ['Deferred', 'Bounced'],
    ['Failed', 'Failed'],
    ['Suppressed', 'Suppressed'],
    ['Canceled', 'Canceled'],
  ])('of a message that is %s leaves it %s', async (before, after) => {
    const to = someone();
    const [id] = (await under.delivered('', [to])) as [string];
    await under.sql('update messages set status = $2 where id = $1', [id, before]);
    await under.report('bounce', id, dsn(to));
    expect((await read(id)).status).toBe(after);
  });

  it.each([
    ['is delayed', (to: string) => dsn(to, { action: 'delayed', status: '4.4.1', diagnostic: '451 later' })],
    ['failed for now', (to: string) => dsn(to, { status: '4.2.2', diagnostic: '452 4.2.2 mailbox full' })],
    ['is out of office', () => 'From: a@b.test\nAuto-Submitted: auto-replied\nSubject: Away\n\nI am away.\n'],
    ['is spam', () => 'From: a@b.test\nSubject: Buy\n\nNow.\n'],
    ['is empty', () => ''],
    ['is no text', () => '\0\xff\n\n\0'],
  ])('that %s changes nothing and is not stored', async (_, raw) => {
    const to = someone();
    const [id] = (await under.delivered('', [to])) as [string];
    await under.report('bounce', id, raw(to));
    expect((await read(id)).status).toBe('Delivered');
    expect(await notifications(id)).toEqual([]);
    expect(await suppressionsOf(to)).toEqual([]);
  });

  it('of an unknown message, of an inbound one and of a simulated one is ignored', async () => {
    const to = someone();
    const [id] = (await under.delivered('', [to])) as [string];
    await under.report('bounce', newId(), dsn(to));
    await under.report('bounce', id, dsn(to));
    const [{ id: inbound }] = (await notifications(id)) as [Notification];
    await under.report('bounce', inbound, dsn(to));
    expect(await notifications(inbound)).toEqual([]);
    const [simulated] = (await under.delivered('', [someone()])) as [string];
    await under.sql(`update send_requests set sandbox = 'deliver' where id = $1`, [simulated]);
    await under.sql(`update messages set status = 'Sandbox Delivered' where id = $1`, [simulated]);
    await under.report('bounce', simulated, dsn(to));
    expect((await read(simulated)).status).toBe('Sandbox Delivered');
  });

  it('at a feedback address, which its readers know, proves nothing', async () => {
    const to = someone();
    const [id] = (await under.delivered('', [to])) as [string];
    await under.report('feedback', id, dsn(to));
    expect((await read(id)).status).toBe('Delivered');
  });

  it('is counted, by kind and effect', async () => {
    const metrics = await under.context.metrics.registry.metrics();
    expect(metrics).toMatch(/postmesh_reports_total\{kind="dsn",form="[^"]*",effect="bounced"[^}]*\} \d+/);
    expect(metrics).toMatch(
      /postmesh_reports_total\{kind="auto-reply",form="none",effect="dropped: auto-reply"/,
    );
    expect(metrics).toMatch(/postmesh_reports_total\{[^}]*effect="unmatched"/);
  });
});

describe('spec 2-messages §15.5: a complaint', () => {
  it.each(['abuse', 'fraud'])(
    'of the type %s suppresses its sender for good, and nothing else',
    async (type) => {
      const to = someone();
      const [id] = (await under.delivered('', [to])) as [string];
      await under.report('feedback', id, complaint(type));
      expect(await suppressionsOf(to)).toEqual([
        {
          reason: 'FBL Complaint Report',
          protected: true,
          source: 'recipient',
          domain: 'shop.test',
          message_id: id,
          expires_at: new Date('9999-12-31T23:59:59Z'),
        },
      ]);
      expect((await read(id)).status).toBe('Delivered');
      expect(await notifications(id)).toMatchObject([{ is_bounce_notification: false }]);
      const told = () =>
        under.suppressions.events
          .flatMap(({ data }) => data.changes)
          .filter(({ recipient }) => recipient === to);
      await expect
        .poll(told)
        .toMatchObject([{ kind: 'created', protected: true, reason: 'FBL Complaint Report' }]);
      expect(bouncesOf(id)).toEqual([]);
      const counted = `select count from statistics_history where figure = 'complained' and account_id = $1
        union all select count from statistics_facts where figure = 'complained' and account_id = $1`;
      expect(await under.sql(counted, [under.accountId])).toContainEqual({ count: 1 });
    },
  );

  it('of another type is stored without an effect', async () => {
    const to = someone();
    const [id] = (await under.delivered('', [to])) as [string];
    await under.report('feedback', id, complaint('not-spam'));
    expect(await suppressionsOf(to)).toEqual([]);
    expect(await notifications(id)).toHaveLength(1);
  });

  it('about a message with several recipients counts for the recipient in its fields', async () => {
    const [ann, bob, zoe] = [someone(), someone(), someone()];
    const [first] = (await under.delivered('/conversation', [ann, bob, zoe])) as [string];
    await under.report('feedback', first, complaint('abuse', bob.toUpperCase()));
    expect(await suppressionsOf(bob)).toHaveLength(1);
    expect([...(await suppressionsOf(ann)), ...(await suppressionsOf(zoe))]).toEqual([]);
  });

  it('with a masked recipient counts for the recipient of the bounce address in the enclosed message', async () => {
    const [ann, bob] = [someone(), someone()];
    const ids = await under.delivered('/conversation', [ann, bob]);
    const [first, second] = ids as [string, string];
    const [key = ''] = under.context.settings.secretKeys;
    const enclosed = `Return-Path: <${verpAddress(second, 'rp.shop.test', key)}>\n`;
    await under.report('feedback', first, complaint('abuse', undefined, enclosed));
    expect(await suppressionsOf(bob)).toHaveLength(1);
    expect(await suppressionsOf(ann)).toEqual([]);
  });

  it('without an identified recipient is ignored', async () => {
    const [ann, bob] = [someone(), someone()];
    const [first] = (await under.delivered('/conversation', [ann, bob])) as [string];
    await under.report('feedback', first, complaint('abuse'));
    expect([...(await suppressionsOf(ann)), ...(await suppressionsOf(bob))]).toEqual([]);
  });
});

describe('spec 2-messages §15.5: mail to the fixed address of feedback loops', () => {
  const operator = async (path = '') => (await under.internal('GET', `/operator/feedback${path}`)).body;
  const reasons = async (email: string) => (await suppressionsOf(email)).map(({ reason }) => reason);
  const complained = ['FBL Complaint Report'];

  it('counts for the message whose feedback address is in the enclosed message', async () => {
    const to = someone();
    const [id] = (await under.delivered('', [to])) as [string];
    const [key = ''] = under.context.settings.secretKeys;
    const enclosed = `CFBL-Address: ${feedbackAddress(id, 'rp.shop.test', key)}; report=arf\n`;
    const raw = complaint('abuse', undefined, enclosed);
    await Promise.all([under.feedback(raw), under.feedback(raw)]);
    expect(await reasons(to)).toEqual(complained);
    expect(await notifications(id)).toHaveLength(1);
    expect((await operator()).complaints).toMatchObject([{ form: 'arf', matched: 1, unmatched: 0 }]);
  });

  it('of Yahoo counts as a complaint, and as one of Yahoo for operators', async () => {
    const to = someone();
    const [id] = (await under.delivered('', [to])) as [string];
    const [key = ''] = under.context.settings.secretKeys;
    const enclosed = `CFBL-Address: ${feedbackAddress(id, 'rp.shop.test', key)}; report=arf\n`;
    const raw = complaint('abuse', to, enclosed);
    await under.feedback(raw.replace(/^From: .*$/m, 'From: <feedback@arf.mail.yahoo.com>'));
    expect(await reasons(to)).toEqual(complained);
    expect(
      await under.sql(
        `select provider, domain from statistics_facts
        where figure = 'complained' and recipient_domain = split_part($1, '@', 2) and provider is not null`,
        [to],
      ),
    ).toEqual([{ provider: 'yahoo', domain: 'shop.test' }]);
    expect((await operator()).complaints).toContainEqual({
      form: 'yahoo',
      matched: 1,
      unmatched: 0,
      last_at: expect.any(String),
    });
  });

  it('counts for the message with the Message-ID of the enclosed message, if the sender is in its From', async () => {
    const to = someone();
    const [id] = (await under.delivered('', [to])) as [string];
    const enclosed = (from: string) => `From: Shop <${from}>\nMessage-ID: <${id}@shop.test>\n`;
    await under.feedback(complaint('abuse', undefined, enclosed('news@other.test')));
    expect(await reasons(to)).toEqual([]);
    await under.feedback(complaint('fraud', undefined, enclosed('news@shop.test')));
    expect(await reasons(to)).toEqual(complained);
  });

  it('about a message with several recipients counts for the recipient in its fields, else for none', async () => {
    const [ann, bob] = [someone(), someone()];
    const [first] = (await under.delivered('/conversation', [ann, bob])) as [string];
    const enclosed = `From: news@shop.test\nMessage-ID: <${first}@shop.test>\n`;
    await under.feedback(complaint('abuse', undefined, enclosed));
    expect([...(await reasons(ann)), ...(await reasons(bob))]).toEqual([]);
    await under.feedback(complaint('abuse', bob, enclosed));
    expect([...(await reasons(ann)), ...(await reasons(bob))]).toEqual(complained);
  });

  it('is kept for operators where it has no effect, such as a confirmation code of a provider', async () => {
    const mail = 'From: fbl@provider.test\nSubject: Your =?utf-8?Q?c=C3=B6de?=\n\nThe code is 4711.\n';
    await under.feedback(mail);
    await under.feedback(mail);
    const to = someone();
    const [id] = (await under.delivered('', [to])) as [string];
    await under.feedback(dsn(to));
    expect((await read(id)).status).toBe('Delivered');
    const { address, mail: kept } = await operator();
    expect(address).toBe('fbl@rp.postmesh.test');
    const codes = kept.filter(({ subject }: { subject: string }) => subject === 'Your cöde');
    expect(codes).toMatchObject([{ kind: 'unknown', sender: 'fbl@provider.test' }]);
    expect(await operator(`/${codes[0].id}`)).toMatchObject({ text: 'The code is 4711.\n', html: '' });
    expect(kept.map(({ kind }: { kind: string }) => kind)).toContain('dsn');
    expect((await under.internal('GET', `/operator/feedback/${newId()}`)).status).toBe(404);
  });

  it('is bounded: the newest 200 mails of 30 days', async () => {
    await under.sql(
      `insert into feedback_mail (id, kind, sender, subject, content, received_at)
       select gen_random_uuid(), 'unknown', 's', 'old ' || nth, '', now() - nth * interval '1 hour'
       from generate_series(1, 800) as nth`,
    );
    await under.feedback('From: a@b.test\nSubject: new\n\n.\n');
    const [{ count, oldest }] = (await under.sql<{ count: number; oldest: Date }>(
      'select count(*)::int as count, min(received_at) as oldest from feedback_mail',
    )) as [{ count: number; oldest: Date }];
    expect(count).toBe(200);
    expect(Date.now() - oldest.getTime()).toBeLessThan(30 * 86_400_000);
  });
});
