import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeliveryAttempted, newId } from '@postmesh/contracts';
import { deliver, startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { MESSAGES_SERVICE } from '../messages.definition.js';
import { DOMAIN } from '../testing/domain.js';

const database = testDatabase();
let messages: TestService;

beforeAll(async () => {
  messages = await startTestService(MESSAGES_SERVICE, {
    databaseUrl: database.url,
    neighbours: { domains: () => ({ status: 200, body: DOMAIN }) },
  });
});
afterAll(() => messages?.stop());

const read = (id: string) => messages.internal('GET', `/operator/messages/${encodeURIComponent(id)}`);

/** @returns the Message-ID */
async function send(more: object = {}): Promise<string> {
  const body = { from: { email: 'a@shop.test' }, to: [{ email: 'b@mail.test' }], subject: 'Hello' };
  const response = await messages.call('POST', `/v2/accounts/${messages.accountId}/messages/conversation`, {
    body: { ...body, text_content: 'x', ...more },
  });
  expect(response.status).toBe(202);
  return response.body.data[0].id as string;
}

const idOf = (messageId: string) => messageId.slice(1, 37);
const attempted = (id: string, more: Partial<(typeof DeliveryAttempted.examples)[number]>) =>
  DeliveryAttempted.make(
    { ...DeliveryAttempted.examples[0]!, message_id: id, ...more },
    { account_id: newId() },
  );

describe('a message, as operators see it', () => {
  it('is found by id and by Message-ID, with the facts of its send request', async () => {
    const messageId = await send({ tags: ['welcome'] });
    const { status, body } = await read(idOf(messageId));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: idOf(messageId),
      send_request_id: idOf(messageId),
      message_id: messageId,
      account_id: messages.accountId,
      status: 'Received',
      waiting_for: 'its first attempt',
      waiting_until: null,
      sender: 'a@shop.test',
      recipient: 'b@mail.test',
      subject: 'Hello',
      tags: ['welcome'],
      kind: 'conversation',
      content_kept: true,
      attempts: [],
    });
    expect((await read(messageId)).body).toEqual(body);
  });

  it('says when it is to be tried first', async () => {
    const first_attempt = new Date(Date.now() + 3_600_000).toISOString();
    const { body } = await read(await send({ schedule: { first_attempt } }));
    expect(body).toMatchObject({
      status: 'Scheduled',
      waiting_for: 'its scheduled time',
      waiting_until: first_attempt,
    });
  });

  it('has all its attempts with host, TLS, reply and times, and says what it waits for meanwhile', async () => {
    const id = idOf(await send());
    const next = '2026-01-05T08:05:00.000Z';
    const deferral = attempted(id, {
      outcome: 'deferred',
      next_attempt_at: next,
      reply: { smtp_code: 451, response: 'later', classification: 'TransientFailure' },
    });
    await deliver(messages.service, [deferral]);
    expect((await read(id)).body).toMatchObject({
      status: 'Deferred',
      waiting_for: '451 later',
      waiting_until: next,
    });
    const noHost = { remote_host: null, tls: false, reply: { smtp_code: 0, response: 'no route' } };
    await deliver(messages.service, [
      attempted(id, { outcome: 'deferred', attempt: 2, ...noHost }),
      attempted(id, { outcome: 'delivered', attempt: 3 }),
    ]);
    const { body } = await read(id);
    expect(body).toMatchObject({ status: 'Delivered', waiting_for: null, waiting_until: null });
    const times = { started_at: '2026-01-05T08:00:01.000Z', finished_at: '2026-01-05T08:00:02.000Z' };
    expect(body.attempts).toEqual([
      {
        ...times,
        status: 'TransientFailure',
        host: 'mx.mail.test',
        tls: true,
        reply: '451 later',
        classification: 'TransientFailure',
        next_attempt_at: next,
      },
      {
        ...times,
        status: 'TransientFailure',
        host: null,
        tls: null,
        reply: 'no route',
        classification: null,
        next_attempt_at: null,
      },
      {
        ...times,
        status: 'Delivery',
        host: 'mx.mail.test',
        tls: true,
        reply: '250 2.0.0 queued as 7F1',
        classification: null,
        next_attempt_at: null,
      },
    ]);
  });

  it('is shown after its retention, until it is purged', async () => {
    const id = idOf(await send());
    await messages.service
      .get(DataSource)
      .query('update send_requests set retain_metadata_until = now(), content_id = null where id = $1', [id]);
    expect((await read(id)).body).toMatchObject({ id, content_kept: false });
  });

  it('is not there for others, and an id that is none is refused', async () => {
    expect(await read(newId())).toMatchObject({ status: 404, body: { message: 'message not found' } });
    expect(await read('zzz')).toMatchObject({ status: 400, body: { message: 'invalid message_id' } });
    const call = await messages.call('GET', `/operator/messages/${idOf(await send())}`);
    expect(call.status).toBe(404);
  });
});
