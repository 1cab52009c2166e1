import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId, SYSTEM_ACCOUNT_ID } from '@postmesh/contracts';
import { isRaw, rawBytes, readRequestContent } from '@postmesh/message-content';
import { testDatabase } from '@postmesh/testing';
import { dsn, startReports, type ReportsUnderTest } from '../testing/reports-under-test.js';
import { DsnMailer } from './dsn-mailer.js';
import { readReport } from './read/read-report.js';

// proven again: each field of a report, and several reports that are due at once or above the rate of their domain
const database = testDatabase();
let under: ReportsUnderTest;
beforeAll(async () => {
  under = await startReports(database.url);
  under.dsnRecipients.set('shop.test', 'bounces@shop.test');
});
afterAll(() => under?.stop());

let people = 0;
const someone = () => `person-${++people}@mail.test`;
const sendDue = () => under.service.get(DsnMailer).sendDue(new AbortController().signal);
const REJECTED = {
  reply: {
    smtp_code: 550,
    enhanced_status_code: '5.1.1',
    response: 'no such user',
    classification: 'InvalidRecipient',
    kind: 'mailbox',
  },
  remote_host: 'mx.mail.test',
};
const waiting = () => under.sql('select message_id from dsn_requests');

async function accepted(more: object = {}, to = someone()): Promise<string> {
  const [id] = (await under.delivered('', [to], more)) as [string];
  await under.sql(`update messages set status = 'Received' where id = $1`, [id]);
  await under.sql('delete from delivery_attempts where message_id = $1', [id]);
  return id;
}

/** Accepted reports about a message. */
async function reportsAbout(id: string) {
  await sendDue();
  const rows = await under.sql<{
    id: string;
    recipient: string;
    sender: string;
    content_id: string;
    account_id: string;
  }>(
    `select s.id, m.recipient, s.sender, s.content_id, s.account_id from send_requests s join messages m on m.id = s.id
     where s.kind = 'report'`,
  );
  const contents = await under.context.blobs.get(rows.map(({ content_id }) => content_id));
  return rows
    .map((row) => {
      const content = readRequestContent(contents.get(row.content_id)!);
      if (!isRaw(content)) throw new Error('it is no raw message');
      return { ...row, raw: rawBytes(content).toString() };
    })
    .filter(({ raw }) => raw.includes(id));
}

describe('spec 2-messages §15.6: the sender is notified by mail', () => {
  it('about a message that bounced, in the form of RFC 3464, with its header', async () => {
    const to = someone();
    const id = await accepted({ headers: { 'X-Order': 'A-17' } }, to);
    await under.outcome(id, 'bounced', REJECTED);
    const [report, ...more] = await reportsAbout(id);
    expect(more).toEqual([]);
    expect(report).toMatchObject({
      recipient: 'bounces@shop.test',
      sender: 'mailer-daemon@svc.test',
      account_id: SYSTEM_ACCOUNT_ID,
    });
    const mail = await PostalMime.parse(report!.raw);
    expect(mail).toMatchObject({
      from: { address: 'mailer-daemon@svc.test' },
      to: [{ address: 'bounces@shop.test' }],
    });
    expect(report!.raw).toMatch(/^Auto-Submitted: auto-replied\r$/m);
    expect(report!.raw).toMatch(/Content-Type: text\/rfc822-headers[^]*X-Order: A-17\r\n/);
    expect(readReport(Buffer.from(report!.raw), { keys: [] })).toMatchObject({
      kind: 'dsn',
      recipients: [
        {
          action: 'failed',
          status: '5.1.1',
          finalRecipient: to,
          remoteMta: 'mx.mail.test',
          diagnostic: '550 5.1.1 no such user',
        },
      ],
      enclosed: { messageId: `<${id}@shop.test>`, subject: 'Your order' },
    });
  });

  it('spec 2-messages §1.5: about and to addresses beyond ASCII, which stay whole', async () => {
    const to = `jürgen-${someone()}`;
    under.dsnRecipients.set('shop.test', 'größe@shop.test');
    const id = await accepted({}, to);
    await under.outcome(id, 'bounced', REJECTED);
    const [report] = await reportsAbout(id);
    under.dsnRecipients.set('shop.test', 'bounces@shop.test');
    expect(report!.raw).toMatch(/^To: größe@shop\.test\r$/m);
    expect(report!.raw).toContain(`Final-Recipient: utf-8; ${to.replace('ü', '\\x{FC}')}\r\n`);
    expect(report!.raw).toContain('Content-Type: message/global-headers\r\n');
    expect(readReport(Buffer.from(report!.raw), { keys: [] })).toMatchObject({
      recipients: [{ finalRecipient: to }],
      enclosed: { messageId: `<${id}@shop.test>`, to },
    });
  });

  it('with the null sender and after all other mail, once', async () => {
    const id = await accepted();
    await under.outcome(id, 'bounced', REJECTED);
    await under.outcome(id, 'bounced', REJECTED);
    await Promise.all([sendDue(), sendDue()]);
    const [report, ...more] = await reportsAbout(id);
    expect(more).toEqual([]);
    const events = () => under.accepted.events.filter(({ data }) => data.send_request_id === report!.id);
    await expect.poll(events).toMatchObject([{ account_id: SYSTEM_ACCOUNT_ID, data: { null_sender: true } }]);
    expect(await waiting()).toEqual([]);
  });

  it('about a message that failed, as not delivered in time', async () => {
    const id = await accepted();
    await under.outcome(id, 'failed', { reply: null, started_at: null, classification: 'MessageExpired' });
    const [report] = await reportsAbout(id);
    expect(report!.raw).toContain('Action: failed\r\nStatus: 4.4.7\r\n');
  });

  it('about a delivered message that a later report says bounced', async () => {
    const to = someone();
    const [id] = (await under.delivered('', [to])) as [string];
    await under.report('bounce', id, dsn(to));
    expect(await reportsAbout(id)).toHaveLength(1);
  });

  it('from its record when the message itself is gone', async () => {
    const id = await accepted();
    await under.sql('update send_requests set hide_when_done = true where id = $1', [id]);
    await under.outcome(id, 'bounced', REJECTED);
    const [report] = await reportsAbout(id);
    expect(report!.raw).toMatch(
      /text\/rfc822-headers[^]*From: news@shop.test\r\n[^]*Subject: Your order\r\n/,
    );
  });

  it('not about other outcomes, simulated messages and our own mail, including reports', async () => {
    const ids = [await accepted(), await accepted(), await accepted()] as [string, string, string];
    await under.outcome(ids[0], 'deferred', REJECTED);
    await under.outcome(ids[1], 'suppressed');
    await under.outcome(ids[2], 'bounced', { ...REJECTED, sandbox: true });
    const told = await accepted();
    await under.outcome(told, 'bounced', REJECTED);
    const [report] = await reportsAbout(told);
    const before = (await under.sql(`select from send_requests where kind = 'report'`)).length;
    await under.outcome(report!.id, 'bounced', { ...REJECTED, domain: 'svc.test' }, SYSTEM_ACCOUNT_ID);
    await sendDue();
    expect(await under.sql(`select from send_requests where kind = 'report'`)).toHaveLength(before);
    for (const id of ids) expect(await reportsAbout(id)).toEqual([]);
  });

  it('not for a domain without an address for reports, and the request is deleted', async () => {
    const id = await accepted({ from: { email: 'news@silent.test' } });
    await under.outcome(id, 'bounced', REJECTED);
    expect(await reportsAbout(id)).toEqual([]);
    expect(await waiting()).toEqual([]);
  });

  it('without a visible message or credit for the account', async () => {
    const used = await under.sql('select sum(accepted)::int as used from usage where not whole_family');
    const id = await accepted();
    await under.outcome(id, 'bounced', REJECTED);
    const [report] = await reportsAbout(id);
    const read = await under.call('GET', `/v2/accounts/${under.accountId}/messages/${report!.id}`);
    expect(read.status).toBe(404);
    const [{ used: after }] = (await under.sql(
      'select sum(accepted)::int as used from usage where not whole_family',
    )) as [{ used: number }];
    expect(after).toBe((used[0]!['used'] as number) + 1);
  });

  it('a burst of one domain is sent in parts, and delays no other domain', async () => {
    under.dsnRecipients.set('burst.test', 'many@burst.test').set('late.test', 'few@late.test');
    const many = Array.from({ length: 500 }, () => newId());
    await under.sql(
      `insert into dsn_requests (message_id, account_id, domain, ended_at)
       select id, $2, 'burst.test', now() from unnest($1::uuid[]) id`,
      [many, under.accountId],
    );
    const id = await accepted({ from: { email: 'news@late.test' } });
    await under.outcome(id, 'bounced', REJECTED);
    expect(await reportsAbout(id)).toHaveLength(1);
    // reports above the rate of a domain wait for a later run
    const left = (await waiting()).length;
    expect(left).toBeGreaterThan(300);
    expect(left).toBeLessThan(500);
  });
});
