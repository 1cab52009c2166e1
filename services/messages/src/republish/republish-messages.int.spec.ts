import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { EventEnvelope, type EventEnvelope as Envelope } from '@postmesh/contracts';
import { PeriodicTasks } from '@postmesh/work';
import { Outbox } from '@postmesh/events';
import { startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { DataSource } from 'typeorm';
import { MESSAGES_SERVICE } from '../messages.definition.js';
import { DeliverySide, sweepOpenMessages } from '../testing/delivery-side.js';
import { DOMAIN } from '../testing/domain.js';

describe('topics wiped: time is lost, mail is not (architecture §1.2)', () => {
  const database = testDatabase();
  const received: Envelope[] = [];
  const worker = new DeliverySide();
  let messages: TestService;

  beforeAll(async () => {
    messages = await startTestService(MESSAGES_SERVICE, {
      databaseUrl: database.url,
      neighbours: {
        domains: () => ({ status: 200, body: DOMAIN }),
        'delivery-worker': worker.respond,
      },
    });
    await messages.bus.subscribe({
      group: 'listener',
      streams: ['messages'],
      handle: async (events) => {
        received.push(...events.map(({ text }) => EventEnvelope.parse(JSON.parse(text)) as Envelope));
      },
    });
  });
  afterAll(() => messages?.stop());

  const send = async () => {
    const response = await messages.call('POST', `/v2/accounts/${messages.accountId}/messages/conversation`, {
      body: {
        from: { email: 'a@shop.test' },
        to: [{ email: 'b@mail.test' }, { email: 'c@mail.test' }],
        subject: 'Hello',
        text_content: 'x',
      },
    });
    expect(response.status).toBe(202);
    return (response.body.data[0].id as string).slice(1, 37);
  };
  const sweepIn = (seconds: number) => sweepOpenMessages(messages, new Date(Date.now() + seconds * 1000));
  const query = (sql: string, parameters: unknown[] = []) =>
    messages.service.get(DataSource).query(sql, parameters);

  /** The first pass checks all messages of this file again. */
  const lookAgain = () =>
    query(
      `update republish_passes set checked_until = now() - interval '5 minutes', checked_id = null where pass = '5 minutes'`,
    );

  it('runs automatically only where events leave through the outbox table', async () => {
    expect(messages.service.get(Outbox).way).toBe('log');
    const jobs = Object.keys(await messages.service.get(PeriodicTasks).counts());
    expect(jobs).toContain('messages.housekeeping');
    expect(jobs).not.toContain('messages.republish-messages');
  });

  it('publishes again, under the same id, messages that the delivery worker does not have, at growing intervals', async () => {
    const id = await send();
    await expect.poll(() => received.length).toBe(1);
    await sweepIn(60);
    expect(worker.asked).toEqual([]);
    await sweepIn(330);
    await expect.poll(() => received.length).toBe(2);
    expect(received[1]).toEqual(received[0]);
    expect(received[0]?.id).toBe(id);
    await sweepIn(390);
    await sweepIn(1_290);
    await expect.poll(() => received.length).toBe(3);
    for (const [nth, hours] of [1, 3, 8, 24, 48].entries()) {
      await sweepIn(hours * 3_600 + 300);
      await expect.poll(() => received.length).toBe(4 + nth);
    }
    expect(await query('select 1 from outbox')).toEqual([]);
  });

  it('ignores messages that wait there, for any time, and those that have ended there', async () => {
    const before = received.length;
    const [waiting, ended] = [await send(), await send()];
    await expect.poll(() => received.length).toBe(before + 2);
    const recipients = async (id: string) =>
      (await query('select id from messages where send_request_id = $1', [id])).map(
        (row: { id: string }) => row.id,
      );
    for (const id of await recipients(waiting)) worker.waiting.add(id);
    for (const id of await recipients(ended)) worker.ended.add(id);
    await lookAgain();
    await sweepIn(330);
    expect(worker.asked.at(-1)).toEqual(expect.arrayContaining([waiting, ended]));
    expect(received.slice(before + 2).filter(({ id }) => id === waiting || id === ended)).toEqual([]);
  });

  it('waits for events in the outbox, and for those on the bus that are not handled', async () => {
    const asked = worker.asked.length;
    await send();
    await lookAgain();
    const slow = vi.spyOn(messages.bus, 'hasHandled').mockResolvedValue(false);
    await sweepIn(330);
    await sweepIn(330);
    expect(slow).toHaveBeenCalledWith('delivery-worker', 'messages', expect.any(Date));
    expect(worker.asked).toHaveLength(asked);
    slow.mockRestore();
    await query(
      `insert into outbox (stream, key, envelope, created_at) values ('messages', '', '', now() - interval '1 day')`,
    );
    await sweepIn(330);
    await lookAgain();
    const before = worker.asked.length;
    await sweepIn(330);
    expect(worker.asked).toHaveLength(before);
    await query('delete from outbox');
    await sweepIn(330);
    expect(worker.asked.length).toBeGreaterThan(before);
  });

  it('reads messages of one millisecond in batches, none of them twice', async () => {
    await query(`update messages set status = 'Canceled'`);
    await query(`insert into messages (id, send_request_id, account_id, recipient, recipient_name, status, num_attempts,
        created_at, updated_at)
      select gen_random_uuid(), (select id from send_requests order by id desc limit 1), gen_random_uuid(), 'x@y.test', '',
        'Deferred', 1, now(), now() from generate_series(1, 2500)`);
    const asked = worker.asked.length;
    await lookAgain();
    await sweepIn(330);
    const batches = worker.asked.slice(asked);
    expect(batches.map((batch) => batch.length)).toEqual([1_000, 1_000, 500]);
    expect(new Set(batches.flat()).size).toBe(2_500);
    await query(`delete from messages where recipient = 'x@y.test'`);
  });

  it('publishes messages again whose first recipient was canceled', async () => {
    const before = received.length;
    const id = await send();
    await expect.poll(() => received.length).toBe(before + 1);
    await query(`update messages set status = 'Canceled' where id = $1`, [id]);
    await lookAgain();
    await sweepIn(330);
    await expect.poll(() => received.slice(before + 1).some((one) => one.id === id)).toBe(true);
  });

  it('has the original subjects, Message-IDs and tracking of messages per recipient', async () => {
    const path = `/v2/accounts/${messages.accountId}/messages`;
    const recipients = ['Ann', 'Bob', 'Ann'].map((name) => ({ email: 'a@b.test', substitutions: { name } }));
    const content = { subject: 'Hi {{ name }}', html_content: '<p>x</p>', tracking: { open: true } };
    const before = received.length;
    const body = { from: { email: 'a@shop.test' }, recipients, ...content };
    expect((await messages.call('POST', path, { body })).status).toBe(202);
    await expect.poll(() => received.length).toBe(before + 1);
    await lookAgain();
    await query("update send_requests set created_at = now() where kind = 'regular'");
    await sweepIn(330);
    const first = received[before]!;
    await expect.poll(() => received.slice(before + 1).filter(({ id }) => id === first.id)).toHaveLength(1);
    const again = received.slice(before + 1).find(({ id }) => id === first.id)!;
    const withoutTime = ({ data }: Envelope) => ({ ...(data as object), accepted_at: '' });
    expect(withoutTime(again)).toEqual(withoutTime(first));
    expect(first.data).toMatchObject({
      subject: 'Hi Ann',
      tracking: { open: true, click: false },
      recipients: [{}, { subject: 'Hi Bob', message_id_header: expect.any(String) }, {}],
    });
  });

  it('ignores messages that are begun, ended or canceled', async () => {
    const before = received.length;
    const [begun, ended, canceled] = [await send(), await send(), await send()];
    await expect.poll(() => received.length).toBe(before + 3);
    await query(`update messages set num_attempts = 1, status = 'Deferred' where send_request_id = $1`, [
      begun,
    ]);
    await query(`update messages set status = 'Suppressed' where send_request_id = $1`, [ended]);
    await query(`update messages set status = 'Canceled' where send_request_id = $1`, [canceled]);
    await sweepIn(8_000);
    expect(await query('select 1 from outbox')).toEqual([]);
    const alone = new Set([begun, ended, canceled]);
    expect(received.slice(before + 3).filter(({ id }) => alone.has(id))).toEqual([]);
  });
});
