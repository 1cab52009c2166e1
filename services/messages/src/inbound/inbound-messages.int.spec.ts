import { newId } from '@postmesh/contracts';
import { testDatabase } from '@postmesh/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CancelOpenMessages } from '../account-changes/cancel-open-messages.js';
import { PurgeContent } from '../retention/purge-content.js';
import { DELETED_ACCOUNT_ID, startInbound, type InboundUnderTest } from '../testing/inbound-under-test.js';

// proven again: states that change between RCPT TO and DATA, and the retention periods of inbound mail, moved in the
// rows
const database = testDatabase();
let inbound: InboundUnderTest;
beforeAll(async () => {
  inbound = await startInbound(database.url);
});
afterAll(() => inbound?.stop());
beforeEach(() => {
  Object.assign(inbound.facts, {
    status: 'active',
    message_data_retention: 7,
    message_metadata_retention: 7,
  });
});

const MAIL = [
  'From: "Zoe, of Mail" <zoe@mail.test>',
  'To: ticket-9@shop.test',
  'Subject: =?UTF-8?Q?Re=3A_t=C3=AFcket_9?=',
  'Message-ID: <abc@mail.test>',
  '',
  'Works.',
  '',
].join('\r\n');

const messages = (query = '') => `/v2/accounts/${inbound.accountId}/messages${query}`;

async function receiveOne(raw: string = MAIL, envelope = {}): Promise<string> {
  const result = await inbound.receive(raw, envelope);
  if (!result.ok) throw new Error(result.reply.text);
  return result.id;
}

async function read(id: string, scopes = ['*']) {
  return inbound.call('GET', messages(`/${encodeURIComponent(id)}`), { scopes });
}

describe('an inbound message', () => {
  it('is published in one event per owner, with the id of each recipient', async () => {
    const recipients = ['ticket-1@shop.test', 'ticket-2@shop.test'].map((address) => ({
      address,
      owners: [inbound.owner()],
    }));
    const id = await receiveOne(MAIL, { recipients });
    const event = await inbound.received.until(() =>
      inbound.received.events.find(({ data }) => data.receipt_id === id),
    );
    expect(event).toMatchObject({
      id,
      account_id: inbound.accountId,
      data: { sender: 'zoe@mail.test', subject: 'Re: tïcket 9', size: MAIL.length, domain: 'shop.test' },
    });
    expect(event.data.recipients.map(({ email }) => email)).toEqual([
      'ticket-1@shop.test',
      'ticket-2@shop.test',
    ]);
    expect(event.data.recipients[0]?.id).toBe(id);
    expect((await read(event.data.recipients[1]?.id ?? '')).body.recipient).toBe('ticket-2@shop.test');
  });

  it('for two owners is stored for each, and content for each is deleted on its own', async () => {
    const other = '01980f3e-0000-7c11-a2d4-0c5f9e6b8abc';
    const owners = [inbound.owner(), inbound.owner('shop.test', other)];
    const header = `<two-${Date.now()}@mail.test>`;
    await receiveOne(MAIL.replace('<abc@mail.test>', header), {
      recipients: [{ address: 'x@shop.test', owners }],
    });
    const rows = await inbound.sql<{ account_id: string; content_id: string }>(
      'select account_id, content_id from send_requests where message_id_header = $1',
      [header],
    );
    expect(rows.map(({ account_id }) => account_id).toSorted()).toEqual(
      [inbound.accountId, other].toSorted(),
    );
    expect(new Set(rows.map(({ content_id }) => content_id)).size).toBe(2);
  });

  it('§10.4 rule 5: is refused where the account was deleted', async () => {
    const recipients = [{ address: 'x@shop.test', owners: [inbound.owner('shop.test', DELETED_ACCOUNT_ID)] }];
    expect(await inbound.receive(MAIL, { recipients })).toEqual({
      ok: false,
      reply: { code: 550, enhanced: '5.1.1', text: 'no such recipient' },
    });
  });

  it('§10.4 rule 4: is accepted for a suspended account', async () => {
    Object.assign(inbound.facts, { status: 'suspended' });
    const recipients = [{ address: 'x@shop.test', owners: [inbound.owner('shop.test', newId())] }];
    expect(await inbound.receive(MAIL, { recipients })).toMatchObject({ ok: true });
  });

  it('in a loop is refused permanently', async () => {
    const loop = (times: number) => `${'Received: from a by b; now\r\n'.repeat(times)}${MAIL}`;
    expect(await inbound.receive(loop(51))).toMatchObject({
      ok: false,
      reply: { code: 554, enhanced: '5.4.6' },
    });
    expect(await inbound.receive(loop(50))).toMatchObject({ ok: true });
  });

  it('loses Authentication-Results in our name, and keeps those of others', async () => {
    const forged = [
      'Authentication-Results: mx.postmesh.test; spf=pass smtp.mailfrom=bank.test',
      'AUTHENTICATION-RESULTS : (a comment)\r\n "MX.postmesh.test" 1;\r\n dkim=pass',
      'Authentication-Results: mx.mail.test; dkim=pass header.d=kept.test',
    ].join('\r\n');
    const { body } = await read(await receiveOne(`${forged}\r\n${MAIL}`));
    expect(body.content).not.toContain('bank.test');
    expect(body.content).not.toContain('MX.postmesh');
    expect(body.content).toContain(
      'Authentication-Results: mx.mail.test; dkim=pass header.d=kept.test\r\nFrom:',
    );
    expect(body.content.match(/^Authentication-Results: mx\.postmesh\.test;/gm)).toHaveLength(1);
  });

  it('without any header is stored as text, below an empty line', async () => {
    const id = await receiveOne('just a line of text\r\nand another\r\n', { sender: '' });
    const { body } = await read(id);
    expect(body.content).toMatch(/^Return-Path: <>\r\n/);
    expect(body.content).toMatch(/\r\n\r\njust a line of text\r\nand another\r\n$/);
    expect(body).toMatchObject({ sender: '', subject: '', message_id: '' });
  });

  it('with NUL and odd bytes in its header is stored', async () => {
    const id = await receiveOne('Subject: a\0b \xff\r\nFrom: <\xe4@mail.test>\r\n\r\n\0\xff\r\n');
    expect((await read(id)).body.subject).toContain('ab');
  });

  it('is not in statistics, usage and republished events', async () => {
    const count = async (table: string) =>
      (await inbound.sql<{ n: number }>(`select count(*)::int as n from ${table}`))[0]?.n;
    const before = [await count('usage'), await count('statistics_facts')];
    await receiveOne();
    expect([await count('usage'), await count('statistics_facts')]).toEqual(before);
  });

  it('spec 2-messages §2.3: cannot be cancelled', async () => {
    const id = await receiveOne();
    const { status, body } = await inbound.call('DELETE', messages(`/${id}/cancel`));
    expect([status, body.message]).toEqual([400, 'message cannot be cancelled']);
  });
});

describe('a flood of mail to one account', () => {
  it('does not delay the mail of another', async () => {
    const to = (accountId: string) => ({
      recipients: [{ address: 'x@shop.test', owners: [inbound.owner('shop.test', accountId)] }],
    });
    const [flooded, other] = [newId(), newId()];
    let done = 0;
    const flood = Array.from({ length: 200 }, () =>
      inbound.receive(MAIL, to(flooded)).then(() => {
        done += 1;
      }),
    );
    await inbound.receive(MAIL, to(other));
    const before = done;
    await Promise.all(flood);
    expect([before < 150, done]).toEqual([true, 200]);
  });

  it('is deferred when too much of it waits', async () => {
    const accountId = newId();
    const recipients = [{ address: 'x@shop.test', owners: [inbound.owner('shop.test', accountId)] }];
    const ends = await Promise.allSettled(
      Array.from({ length: 400 }, () => inbound.receive(MAIL, { recipients })),
    );
    const refused = ends.filter(({ status }) => status === 'rejected').length;
    expect(refused).toBeGreaterThan(0);
    const [row] = await inbound.sql<{ n: number }>(
      'select count(*)::int as n from send_requests where account_id = $1',
      [accountId],
    );
    expect(row?.n).toBe(400 - refused);
  });
});

describe('retention of an inbound message', () => {
  it('spec 2-messages §9 rule 1: is that of the account', async () => {
    Object.assign(inbound.facts, { message_data_retention: 3, message_metadata_retention: 20 });
    const id = await receiveOne(MAIL, forAccount(newId()));
    const [row] = await inbound.sql<{ data: number; metadata: number }>(
      `select extract(day from retain_data_until - created_at)::int as data,
         extract(day from retain_metadata_until - created_at)::int as metadata from send_requests where id = $1`,
      [id],
    );
    expect(row).toEqual({ data: 3, metadata: 20 });
  });

  it('spec 2-messages §9 rule 3: with data 0 content is stored for its routes, and never shown', async () => {
    Object.assign(inbound.facts, { message_data_retention: 0 });
    const accountId = newId();
    const id = await receiveOne(MAIL, forAccount(accountId));
    const path = `/v2/accounts/${accountId}/messages/${id}`;
    const { status, body } = await inbound.call('GET', path, { account_id: accountId });
    expect([status, body.content]).toEqual([200, undefined]);
    const [row] = await inbound.sql<{ kept: boolean }>(
      `select content_id is not null and retain_data_until > now() + interval '11 hours' as kept
       from send_requests where id = $1`,
      [id],
    );
    expect(row?.kept).toBe(true);
  });

  it('spec 2-messages §9 rule 4: takes the content first, then the record', async () => {
    const id = await receiveOne();
    const purge = () => inbound.service.get<PurgeContent>(PurgeContent).purge(new AbortController().signal);
    await inbound.sql(
      'update send_requests set retain_data_until = now() - make_interval(secs => 1) where id = $1',
      [id],
    );
    await purge();
    const { status, body } = await read(id);
    expect([status, body.content]).toEqual([200, undefined]);
    await inbound.sql(
      'update send_requests set retain_metadata_until = now() - make_interval(secs => 1) where id = $1',
      [id],
    );
    await purge();
    expect((await read(id)).status).toBe(404);
    expect(await inbound.sql('select from messages where id = $1', [id])).toEqual([]);
  });

  it('does not end early with the deletion of the account, and no message is cancelled', async () => {
    const accountId = newId();
    const id = await receiveOne(MAIL, forAccount(accountId));
    await inbound.sql('insert into deleted_accounts (account_id) values ($1)', [accountId]);
    await inbound.service.get<CancelOpenMessages>(CancelOpenMessages).cancelDue(new AbortController().signal);
    expect(await inbound.sql('select status from messages where id = $1', [id])).toEqual([
      { status: 'Inbound' },
    ]);
    expect(await inbound.receive(MAIL, forAccount(accountId))).toMatchObject({
      ok: false,
      reply: { code: 550 },
    });
  });

  /** Facts of an account are cached, so each test has its own account. */
  const forAccount = (accountId: string) => ({
    recipients: [{ address: 'x@shop.test', owners: [inbound.owner('shop.test', accountId)] }],
  });
});
