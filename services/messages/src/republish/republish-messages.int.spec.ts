import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EventEnvelope, type EventEnvelope as Envelope } from '@postmesh/contracts';
import { Outbox } from '@postmesh/outbox';
import { startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { DataSource } from 'typeorm';
import { MESSAGES_SERVICE } from '../messages.definition.js';
import { RepublishMessages } from './republish-messages.js';
import { DOMAIN } from '../testing/domain.js';

describe('topics wiped: time is lost, mail is not (architecture §1.2)', () => {
  const database = testDatabase();
  const received: Envelope[] = [];
  let messages: TestService;

  beforeAll(async () => {
    messages = await startTestService(MESSAGES_SERVICE, {
      databaseUrl: database.url,
      neighbours: { domains: () => ({ status: 200, body: DOMAIN }) },
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
  const sweepIn = (seconds: number) =>
    messages.service
      .get(RepublishMessages)
      .sweep(new Date(Date.now() + seconds * 1000), new AbortController().signal);
  const query = (sql: string, parameters: unknown[] = []) =>
    messages.service.get(DataSource).query(sql, parameters);

  it('does so by itself only where events leave through the outbox table', async () => {
    expect(messages.service.get(Outbox).way).toBe('log');
    const jobs = Object.keys(await messages.context.jobs.counts());
    expect(jobs).toContain('messages.housekeeping');
    expect(jobs).not.toContain('messages.republish-messages');
  });

  it('publishes again, under the same id, what nobody has begun after five minutes and after an hour', async () => {
    const id = await send();
    await expect.poll(() => received.length).toBe(1);
    await sweepIn(60);
    await sweepIn(330);
    await expect.poll(() => received.length).toBe(2);
    expect(received[1]).toEqual(received[0]);
    expect(received[0]?.id).toBe(id);
    await sweepIn(390);
    await sweepIn(3_700);
    await expect.poll(() => received.length).toBe(3);
    expect(await query('select 1 from outbox')).toEqual([]);
  });

  it('publishes again what others wait for beside a first recipient that was canceled', async () => {
    const before = received.length;
    const id = await send();
    await expect.poll(() => received.length).toBe(before + 1);
    await query(`update messages set status = 'Canceled' where id = $1`, [id]);
    await query('delete from republish_passes');
    await sweepIn(330);
    await expect.poll(() => received.slice(before + 1).some((one) => one.id === id)).toBe(true);
  });

  it('says of messages of their own what was said first: subjects, Message-IDs, tracking', async () => {
    const path = `/v2/accounts/${messages.accountId}/messages`;
    const recipients = ['Ann', 'Bob', 'Ann'].map((name) => ({ email: 'a@b.test', substitutions: { name } }));
    const content = { subject: 'Hi {{ name }}', html_content: '<p>x</p>', tracking: { open: true } };
    const before = received.length;
    const body = { from: { email: 'a@shop.test' }, recipients, ...content };
    expect((await messages.call('POST', path, { body })).status).toBe(202);
    await expect.poll(() => received.length).toBe(before + 1);
    await query(
      "delete from republish_passes; update send_requests set created_at = now() where kind = 'regular'",
    );
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

  it('lets alone what was begun, what has ended and what was canceled', async () => {
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
