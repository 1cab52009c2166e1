import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DeliveryAttempted, type WaitingDelivery } from '@postmesh/delivery-worker-contract';
import { newId } from '@postmesh/contracts';
import { deliver, memberOf, startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { MESSAGES_SERVICE } from '../messages.definition.js';
import { DOMAIN } from '../testing/domain.js';

const database = testDatabase();
let messages: TestService;
/** facts of the delivery worker; null = it is unavailable */
let delivery: Partial<WaitingDelivery> | undefined | null;

beforeAll(async () => {
  messages = await startTestService(MESSAGES_SERVICE, {
    databaseUrl: database.url,
    neighbours: {
      domains: () => ({ status: 200, body: DOMAIN }),
      'delivery-worker': ({ path }) => {
        if (delivery === null) return { status: 500, body: {} };
        if (delivery === undefined) return { status: 404, body: {} };
        const id = path.slice(path.lastIndexOf('/') + 1);
        return { status: 200, body: { ...DELIVERY, id, ...delivery } };
      },
    },
  });
});
afterAll(() => messages?.stop());
beforeEach(() => {
  delivery = {};
});

const DELIVERY: Omit<WaitingDelivery, 'id'> = {
  state: 'waiting',
  attempts: 0,
  destination: 'mail.test',
  waiting_for: 'its turn: it is due',
  waiting_until: null,
  expires: null,
};

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

describe('a message, for operators', () => {
  it('is found by its recipient, in every account, newest first', async () => {
    const recipient = 'Missing.Mail@mail.test';
    const to = [{ email: recipient }];
    const ids = [await send({ to, subject: 'one' }), await send({ to, subject: 'two' })];
    await send({ to: [{ email: 'other@mail.test' }] });
    const find = async (more = '') =>
      (await messages.internal('GET', `/operator/messages?recipient=${recipient}${more}`)).body.data;
    expect(await find()).toMatchObject([
      { message_id: ids[1], subject: 'two', status: 'Received', recipient: recipient.toLowerCase() },
      { message_id: ids[0], subject: 'one', account_id: messages.accountId },
    ]);
    expect(await find(`&account=${messages.accountId}`)).toHaveLength(2);
    expect(await find(`&account=${newId()}`)).toEqual([]);
  });

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
      waiting_for: 'its turn: it is due',
      waiting_until: null,
      sender: 'a@shop.test',
      recipient: 'b@mail.test',
      subject: 'Hello',
      tags: ['welcome'],
      kind: 'conversation',
      content_kept: true,
      timeline: [{ what: 'accepted' }, { what: 'waits for its turn: it is due' }],
      others_with_this_message_id: [],
    });
    expect((await read(messageId)).body).toMatchObject({ id: idOf(messageId), message_id: messageId });
  });

  it('has the reason of its wait from the delivery worker', async () => {
    const id = await send();
    delivery = { waiting_for: 'the account is suspended', waiting_until: '2026-01-05T08:05:00.000Z' };
    const { body } = await read(id);
    expect(body).toMatchObject(delivery);
    expect(body.timeline.at(-1)).toMatchObject({
      what: 'waits for the account is suspended',
      next_attempt_at: '2026-01-05T08:05:00.000Z',
    });
    delivery = undefined;
    expect((await read(id)).body).toMatchObject({
      waiting_for: 'the delivery worker to take it in, or the news of its end',
      waiting_until: null,
    });
  });

  it('has the reason of its wait from events while the delivery worker is unavailable', async () => {
    delivery = null;
    const first_attempt = new Date(Date.now() + 3_600_000).toISOString();
    expect((await read(await send({ schedule: { first_attempt } }))).body).toMatchObject({
      status: 'Scheduled',
      waiting_for: 'its scheduled time (the delivery worker does not answer)',
      waiting_until: first_attempt,
    });
    const id = idOf(await send());
    const next = '2026-01-05T08:05:00.000Z';
    await deliver(messages.service, [
      attempted(id, {
        outcome: 'deferred',
        next_attempt_at: next,
        reply: { smtp_code: 451, response: 'later', classification: 'TransientFailure' },
      }),
    ]);
    expect((await read(id)).body).toMatchObject({
      status: 'Deferred',
      waiting_for: '451 later (the delivery worker does not answer)',
      waiting_until: next,
    });
  });

  it('has all its attempts with host, address, TLS, reply and times', async () => {
    const id = idOf(await send());
    const next = '2026-01-05T08:05:00.000Z';
    const nobody = {
      remote_host: null,
      remote_address: undefined,
      tls_protocol: undefined,
      tls_cipher: undefined,
      tls_verdict: undefined,
      tls_policy: undefined,
    };
    await deliver(messages.service, [
      attempted(id, {
        outcome: 'deferred',
        next_attempt_at: next,
        tls: false,
        tls_protocol: undefined,
        tls_cipher: undefined,
        tls_verdict: 'clear',
        tls_policy: 'none',
        source: 'a',
        reply: { smtp_code: 451, response: 'later', classification: 'TransientFailure', rule: 'temporary' },
      }),
      attempted(id, {
        outcome: 'deferred',
        attempt: 2,
        tls: false,
        ...nobody,
        reply: { smtp_code: 0, response: 'no route' },
      }),
      attempted(id, { outcome: 'delivered', attempt: 3 }),
    ]);
    const { body } = await read(id);
    expect(body).toMatchObject({ status: 'Delivered', waiting_for: null, waiting_until: null });
    const asked = { at: '2026-01-05T08:00:02.000Z', duration_ms: 1_000 };
    const server = { host: 'mx.mail.test', address: '192.0.2.25' };
    expect(body.timeline.slice(1)).toEqual([
      {
        ...asked,
        ...server,
        what: 'TransientFailure',
        source: 'a',
        tls: 'none',
        reply: '451 later',
        classification: 'TransientFailure',
        rule: 'temporary',
        next_attempt_at: next,
      },
      {
        ...asked,
        ...{ host: null, address: null, source: null },
        what: 'TransientFailure',
        tls: null,
        reply: 'no route',
        classification: null,
        rule: null,
        next_attempt_at: null,
      },
      {
        ...asked,
        ...server,
        what: 'Delivery',
        source: null,
        tls: 'TLSv1.3 TLS_AES_256_GCM_SHA384, verified by a CA, MTA-STS asks for it',
        reply: '250 2.0.0 queued as 7F1',
        classification: null,
        rule: null,
        next_attempt_at: null,
      },
    ]);
  });

  it('has a note on an attempt with an unknown outcome that the message may have arrived', async () => {
    const id = idOf(await send());
    const reply = { smtp_code: 0, response: 'connection lost' };
    await deliver(messages.service, [attempted(id, { outcome: 'deferred', uncertain: true, reply })]);
    expect((await read(id)).body.timeline[1]).toMatchObject({
      what: 'TransientFailure, uncertain: it may have arrived',
      reply: 'connection lost (the reply to the message was lost; it may arrive twice)',
    });
  });

  it('ends with its opens and clicks', async () => {
    const id = idOf(await send());
    await messages.service.get(DataSource).query(
      `insert into tracked_fetches (id, message_id, kind, at, url, ip, user_agent, is_bot) values
         ($1, $3, 'open', '2026-01-05T08:01:00Z', null, '192.0.2.7', '', true),
         ($2, $3, 'click', '2026-01-05T08:02:00Z', 'https://shop.test/', '192.0.2.8', '', false)`,
      [newId(), newId(), id],
    );
    expect((await read(id)).body.timeline.slice(1, -1)).toMatchObject([
      { at: '2026-01-05T08:01:00.000Z', what: 'opened, by a program', address: '192.0.2.7', reply: null },
      { what: 'clicked', address: '192.0.2.8', reply: 'https://shop.test/' },
    ]);
  });

  it('of several with one Message-ID is the first, with the ids of the others', async () => {
    const messageId = await send({ to: [{ email: 'b@mail.test' }, { email: 'c@mail.test' }] });
    const { body } = await read(messageId);
    expect(body).toMatchObject({
      recipient: 'b@mail.test',
      others_with_this_message_id: [{ recipient: 'c@mail.test', status: 'Received' }],
    });
    const [other] = body.others_with_this_message_id;
    expect((await read(other.id)).body).toMatchObject({ recipient: 'c@mail.test', message_id: messageId });
  });

  it('is shown after its retention, until it is purged', async () => {
    const id = idOf(await send());
    await messages.service
      .get(DataSource)
      .query(
        'update send_requests set retain_metadata_until = now() - make_interval(secs => 1), content_id = null where id = $1',
        [id],
      );
    expect((await read(id)).body).toMatchObject({ id, content_kept: false });
  });

  it('is not found by others, and an invalid id is refused', async () => {
    expect(await read(newId())).toMatchObject({ status: 404, body: { message: 'message not found' } });
    expect(await read('zzz')).toMatchObject({ status: 400, body: { message: 'invalid message_id' } });
    const call = await messages.call('GET', `/operator/messages/${idOf(await send())}`);
    expect(call.status).toBe(404);
  });
});

describe('the attempts of a message, for members in the console', () => {
  const attemptsOf = (id: string, by = memberOf(messages.accountId, 'Analyst')) =>
    messages.call('GET', `/console/api/messages/${encodeURIComponent(id)}/attempts`, { principal: by });

  it('have host, address, TLS, class and times, in the order of those of the message', async () => {
    const messageId = await send();
    const id = idOf(messageId);
    const next = '2026-01-05T08:05:00.000Z';
    const reply = { smtp_code: 0, response: 'no route' };
    const unreached = { remote_host: null, remote_address: undefined, tls: false, tls_protocol: undefined };
    await deliver(messages.service, [
      attempted(id, {
        ...{ outcome: 'deferred', next_attempt_at: next, reply, ...unreached },
        ...{ tls_cipher: undefined, tls_verdict: undefined, tls_policy: undefined },
      }),
      attempted(id, {
        ...{ outcome: 'bounced', attempt: 2, classification: 'InvalidRecipient' },
        reply: {
          smtp_code: 550,
          enhanced_status_code: '5.1.1',
          response: 'no',
          classification: 'InvalidRecipient',
        },
      }),
    ]);
    const { status, body } = await attemptsOf(messageId);
    const times = { started_at: '2026-01-05T08:00:01.000Z', finished_at: '2026-01-05T08:00:02.000Z' };
    expect([status, body]).toEqual([
      200,
      {
        object: 'message_attempts',
        wait: null,
        data: [
          {
            ...times,
            ...{ status: 'TransientFailure', log: 'no route', classification: null, host: null },
            ...{ address: null, tls: null, uncertain: false, next_attempt_at: next, check: null },
          },
          {
            ...times,
            ...{ status: 'Bounce', log: '550 5.1.1 no', classification: 'InvalidRecipient' },
            ...{ host: 'mx.mail.test', address: '192.0.2.25', uncertain: false, next_attempt_at: null },
            check: null,
            tls: {
              encrypted: true,
              protocol: 'TLSv1.3',
              cipher: 'TLS_AES_256_GCM_SHA384',
              verdict: 'pkix',
              policy: 'sts',
            },
          },
        ],
      },
    ]);
  });

  it.each([
    ['provider', 'Google slowed down us', 'Google slowed down us'],
    ['account', 'the account is suspended', 'the account is suspended'],
    ['busy', 'a free worker: 100 attempts are in flight, 75 of them of its account', null],
    ['retry', '451 later', null],
  ] as const)('have what it waits for: %s', async (cause, waiting_for, reason) => {
    const id = await send();
    const until = '2026-01-05T08:05:00.000Z';
    delivery = { cause, waiting_for, waiting_until: until };
    expect((await attemptsOf(id)).body).toMatchObject({ wait: { cause, reason, until }, data: [] });
    delivery = null;
    expect((await attemptsOf(id)).body.wait).toEqual({ cause: 'turn', reason: null, until: null });
  });

  it('are those of the own account, for roles that read messages', async () => {
    const id = idOf(await send());
    expect((await attemptsOf(id, memberOf(newId()))).status).toBe(404);
    expect((await attemptsOf(id, memberOf(messages.accountId, 'Billing Manager'))).status).toBe(403);
  });
});
