import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { MessageAccepted } from '@postmesh/messages-contract';
import { newId, SYSTEM_ACCOUNT_ID, type EventEnvelope } from '@postmesh/contracts';
import { SystemMailRequested } from '@postmesh/accounts-contract';
import { composeMessage, messageBytes, type MessageContent } from '@postmesh/mail-format';
import { isRaw, readRequestContent } from '@postmesh/message-content';
import { deliver, startTestService, type TestService } from '@postmesh/service-testing';
import { rowsRead, testDatabase } from '@postmesh/testing';
import { MESSAGES_SERVICE } from '../messages.definition.js';
import { PurgeContent } from '../retention/purge-content.js';
import { SystemMailer } from './system-mailer.js';

type Wanted = Partial<(typeof SystemMailRequested.examples)[number]>;

const CONTENT = {
  subject: 'You are now a member of Example Corp',
  text: 'You are now a member of Example Corp.',
  html: '<p>You are now a member of Example Corp.</p>',
};

const DOMAIN = {
  domain_id: '01980f3e-0000-7c11-a2d4-0c5f9e6b8a00',
  account_id: SYSTEM_ACCOUNT_ID,
  domain: 'svc.test',
  dns_valid: false,
  paused: false,
  deleted: false,
  sending_type: 'transactional',
  return_path_host: null,
  tracking_host: null,
  revision: 1,
};

const database = testDatabase();
let messages: TestService;
let domains: { status: number; body: unknown };
let asked: unknown[];

beforeAll(async () => {
  messages = await startTestService(MESSAGES_SERVICE, {
    databaseUrl: database.url,
    settings: { serviceZone: 'svc.test', logLevel: 'silent' },
    neighbours: {
      domains: ({ method, path, body }) => {
        asked.push([method, path, body]);
        return domains;
      },
    },
  });
});
afterAll(() => messages?.stop());
beforeEach(async () => {
  domains = { status: 200, body: DOMAIN };
  asked = [];
  await query('truncate system_mails, send_requests, messages');
});

const query = (sql: string, parameters: unknown[] = []) =>
  messages.service.get(DataSource).query(sql, parameters) as Promise<Record<string, any>[]>; // eslint-disable-line typescript/no-explicit-any
const blobs = () => messages.context.blobs;

/** Like the accounts service: stores the content, and publishes the event with its id. */
async function request(wanted: Wanted = {}, content: Partial<typeof CONTENT> = {}) {
  const content_id = newId();
  await blobs().put([{ id: content_id, bytes: Buffer.from(JSON.stringify({ ...CONTENT, ...content })) }]);
  return SystemMailRequested.make(
    { ...SystemMailRequested.examples[0]!, mail_id: newId(), content_id, ...wanted },
    { account_id: newId() },
  );
}
const consume = (...events: EventEnvelope[]) => deliver(messages.service, events);
const sendDue = () => messages.service.get(SystemMailer).sendDue(new AbortController().signal);
const accepted = () =>
  query(
    'select m.*, s.sender, s.subject, s.content_id, s.message_id_header from messages m join send_requests s on s.id = m.send_request_id order by m.recipient',
  );
async function messageOf(contentId: string): Promise<string> {
  const content = readRequestContent((await messages.context.blobs.get([contentId])).get(contentId)!);
  if (isRaw(content)) throw new Error('it is a raw message');
  return Buffer.concat(messageBytes(await composeMessage(content as MessageContent))).toString();
}

describe('mail of Postmesh itself', () => {
  it('is accepted on an event, one message per recipient, under the account of the service', async () => {
    const published: EventEnvelope[] = [];
    await messages.bus.subscribe({
      group: newId(),
      streams: ['messages'],
      handle: async (events) => {
        published.push(...events.map(({ text }) => JSON.parse(text) as EventEnvelope));
      },
    });
    const recipients = [
      { email: 'Ann@Mail.test', name: 'Ann' },
      { email: 'bob@mail.test', name: '' },
    ];
    await messages.bus.publish([await request({ recipients })]);
    await expect.poll(accepted).toHaveLength(2);
    const [ann, bob] = await accepted();
    expect(ann).toMatchObject({
      account_id: SYSTEM_ACCOUNT_ID,
      recipient: 'ann@mail.test',
      status: 'Received',
      sender: 'no-reply@svc.test',
      subject: 'You are now a member of Example Corp',
      message_id_header: `<${ann!['id']}@svc.test>`,
    });
    expect(bob!['send_request_id']).not.toBe(ann!['send_request_id']);
    expect(asked).toContainEqual(['PUT', '/internal/system-domain', { domain: 'svc.test' }]);
    await expect.poll(() => published).toHaveLength(2);
    expect(MessageAccepted.parse(published[0]!).data).toMatchObject({
      domain_id: DOMAIN.domain_id,
      return_path_host: '',
      sandbox: null,
    });
  });

  it('is marked as automatic, shows only its recipient, and has no tracking', async () => {
    const recipients = [{ email: 'ann@mail.test', name: 'Ann' }];
    await consume(await request({ recipients }, { subject: 'Hello\r\nX: 1' }));
    await sendDue();
    const [row] = await accepted();
    const message = await messageOf(row!['content_id'] as string);
    expect(message).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(message).toMatch(/^From: Postmesh <no-reply@svc\.test>\r$/m);
    expect(message).toMatch(/^To: Ann <ann@mail\.test>\r$/m);
    expect(message).toMatch(/^Subject: Hello X: 1\r$/m);
    const [sendRequest] = await query('select track_opens, track_clicks, sandbox from send_requests');
    expect(sendRequest).toEqual({ track_opens: false, track_clicks: false, sandbox: null });
  });

  it('is sent once per message and recipient, after repeated requests', async () => {
    const event = await request();
    const again = await request({ ...event.data });
    await consume(event, again);
    await Promise.all([sendDue(), sendDue(), sendDue()]);
    await consume(event);
    await sendDue();
    expect(await accepted()).toHaveLength(1);
    await consume(await request());
    await sendDue();
    expect(await accepted()).toHaveLength(2);
  });

  it('waits while the domains service is unavailable, and delays no event', async () => {
    domains = { status: 503, body: {} };
    await consume(await request());
    await expect(sendDue()).rejects.toThrow('domains responded 503');
    expect(await accepted()).toEqual([]);
    domains = { status: 200, body: DOMAIN };
    await sendDue();
    expect(await accepted()).toHaveLength(1);
  });

  it('that cannot be accepted does not delay others', async () => {
    const bad = await request({ recipients: [{ email: 'bad@mail.test', name: '' }] });
    const good = await request();
    // simulates a bug
    await query(`alter table messages add constraint no_bad check (recipient <> 'bad@mail.test')`);
    await consume(bad, good);
    await sendDue();
    expect((await accepted()).map(({ recipient }) => recipient)).toEqual(['ann@mail.test']);
    const waits = `select recipient from system_mails where tries > 0 and next_try_at > now() and accepted_at is null`;
    expect(await query(waits)).toEqual([{ recipient: 'bad@mail.test' }]);
    await query('alter table messages drop constraint no_bad');
  });

  it('to an invalid address is left out, and the others are sent', async () => {
    const recipients = ['nobody', 'jürgen@mail.test', 'ann@mail.test'].map((email) => ({ email, name: '' }));
    await consume(await request({ recipients }));
    await sendDue();
    const reached = (await accepted()).map(({ recipient }) => recipient);
    expect(reached).toEqual(['ann@mail.test', 'jürgen@mail.test']);
  });

  it('without a valid recipient leaves nothing behind', async () => {
    const event = await request({ recipients: [{ email: 'nobody', name: '' }] });
    await consume(event);
    await expect.poll(async () => (await blobs().get([event.data.content_id])).size).toBe(0);
  });

  it('has its content until all messages are accepted, and the messages theirs until delivered', async () => {
    const recipients = ['ann@mail.test', 'bad@mail.test'].map((email) => ({ email, name: '' }));
    const event = await request({ recipients });
    const content = async () => (await blobs().get([event.data.content_id])).size;
    // simulates a bug
    await query(`alter table messages add constraint no_bad check (recipient <> 'bad@mail.test')`);
    await consume(event);
    await sendDue();
    expect([(await accepted()).length, await content()]).toEqual([1, 1]);
    await query('alter table messages drop constraint no_bad');
    await query(`update system_mails set next_try_at = now() - interval '1 second'`);
    await sendDue();
    expect(await accepted()).toHaveLength(2);
    // a run that the event has triggered may be in progress
    await expect.poll(content).toBe(0);
    expect(await query('select distinct content_id from system_mails')).toEqual([{ content_id: null }]);
    await query(`update messages set status = 'Delivered'`);
    await messages.service.get(PurgeContent).purge(new AbortController().signal);
    expect(await query('select distinct content_id from send_requests')).toEqual([{ content_id: null }]);
  });

  it('is visible to no customer, and counts for no account', async () => {
    await consume(await request());
    await sendDue();
    const [row] = await accepted();
    const id = row!['id'] as string;
    expect((await messages.call('GET', `/v2/accounts/${messages.accountId}/messages/${id}`)).status).toBe(
      404,
    );
    expect(await query('select from usage')).toEqual([]);
  });
});

it('all rows of mail sent a month ago are deleted, without reading younger ones', async () => {
  await query(
    `insert into system_mails (mail_id, recipient, name, account_id, kind, accepted_at)
     select nth, 'a@b.test', '', gen_random_uuid(), 'invitation',
       now() - case when nth <= 2500 then interval '31 days' else interval '1 day' end
     from generate_series(1, 20000) as nth`,
  );
  await query('analyze system_mails');
  const dataSource = messages.service.get(DataSource);
  const statements = vi.spyOn(dataSource, 'query');
  await messages.service.get(SystemMailer).sweep(new AbortController().signal);
  const forgets = statements.mock.calls.filter(([sql]) => String(sql).includes('delete from system_mails'));
  statements.mockRestore();
  expect(await query('select count(*)::int as left from system_mails')).toEqual([{ left: 17_500 }]);
  expect(forgets.length).toBeGreaterThan(0);
  for (const [sql, parameters] of forgets) {
    expect(await rowsRead(dataSource, sql, parameters)).toBeLessThan(3_000);
  }
});
