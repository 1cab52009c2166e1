import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeliveryAttempted, newId, type DeliveryOutcome } from '@postmesh/contracts';
import { Outbox } from '@postmesh/outbox';
import {
  deliver,
  startTestService,
  transactionsOf,
  writesWith,
  type TestService,
} from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { MESSAGES_SERVICE } from '../messages.definition.js';

const database = testDatabase();
const accountId = newId();
let messages: TestService;

beforeAll(async () => {
  messages = await startTestService(MESSAGES_SERVICE, { databaseUrl: database.url });
});
afterAll(() => messages?.stop());

type Attempted = Parameters<typeof DeliveryAttempted.make>[0];

const query = (sql: string, parameters: unknown[] = []) =>
  messages.service.get(DataSource).query(sql, parameters) as Promise<Record<string, unknown>[]>;

async function message(status = 'Received'): Promise<string> {
  const id = newId();
  await query(
    `insert into messages (id, send_request_id, account_id, recipient, recipient_name, status, created_at, updated_at)
     values ($1, $1, $2, 'ann@mail.test', '', $3, '2026-01-05T08:00:00Z', '2026-01-05T08:00:00Z')`,
    [id, accountId, status],
  );
  return id;
}

const at = (seconds: number) => new Date(Date.parse('2026-01-05T08:00:00Z') + seconds * 1_000).toISOString();
const event = (id: string, outcome: DeliveryOutcome, attempt: number, more: Partial<Attempted> = {}) =>
  DeliveryAttempted.make(
    {
      ...DeliveryAttempted.examples[0]!,
      message_id: id,
      outcome,
      attempt,
      started_at: at(attempt * 10),
      finished_at: at(attempt * 10 + 1),
      first_attempt_at: at(10),
      ...more,
    },
    { account_id: accountId },
  );
const consume = (...events: ReturnType<typeof event>[]) => deliver(messages.service, events);
const deferral = {
  reply: {
    smtp_code: 451,
    enhanced_status_code: '4.7.1',
    response: 'later',
    classification: 'TransientFailure',
  },
};
const apiError = {
  reply: {
    smtp_code: 550,
    enhanced_status_code: '5.1.1',
    response: 'no such user',
    classification: 'InvalidRecipient',
  },
};
const row = async (id: string) => (await query('select * from messages where id = $1', [id]))[0];
const entries = (id: string) =>
  query('select status, log from delivery_attempts where message_id = $1 order by position', [id]);

describe('what the worker did', () => {
  it('moves the message, attempt by attempt', async () => {
    const id = await message();
    await consume(event(id, 'deferred', 1, deferral));
    expect(await row(id)).toMatchObject({
      status: 'Deferred',
      num_attempts: 1,
      bounce_classification: 'TransientFailure',
      sent_at: new Date(at(10)),
      delivered_at: null,
    });
    await consume(event(id, 'delivered', 2));
    expect(await row(id)).toMatchObject({
      status: 'Delivered',
      num_attempts: 2,
      bounce_classification: '',
      sent_at: new Date(at(10)),
      delivered_at: new Date(at(21)),
      updated_at: new Date(at(21)),
    });
    expect(await entries(id)).toEqual([
      { status: 'TransientFailure', log: '451 4.7.1 later' },
      { status: 'Delivery', log: '250 2.0.0 queued as 7F1' },
    ]);
  });

  it('counts once, however often it arrives', async () => {
    const id = await message();
    const deferred = event(id, 'deferred', 1, deferral);
    await consume(deferred, deferred);
    await consume(event(id, 'delivered', 2));
    await consume(deferred);
    expect(await row(id)).toMatchObject({ status: 'Delivered', num_attempts: 2, bounce_classification: '' });
    expect(await entries(id)).toHaveLength(2);
  });

  it('takes the place of what nobody knew, when the worker that was taken for dead tells its end', async () => {
    const response = 'the worker stopped in the middle of the attempt';
    const abandoned = { started_at: null, uncertain: true, reply: { smtp_code: 0, response } };
    const [id, together] = [await message(), await message()];
    await consume(event(id, 'deferred', 1, abandoned));
    expect(await entries(id)).toEqual([
      { status: 'TransientFailure', log: `${response} (nobody knows whether it arrived)` },
    ]);
    await consume(event(id, 'delivered', 1));
    await consume(event(together, 'deferred', 1, abandoned), event(together, 'delivered', 1));
    for (const one of [id, together]) {
      expect(await row(one)).toMatchObject({ status: 'Delivered', num_attempts: 1 });
      expect(await entries(one)).toEqual([{ status: 'Delivery', log: '250 2.0.0 queued as 7F1' }]);
    }
  });

  it('is folded when several events of a message come together', async () => {
    const id = await message();
    await consume(
      event(id, 'deferred', 1, deferral),
      event(id, 'deferred', 2, deferral),
      event(id, 'failed', 2, { reply: null, started_at: null }),
    );
    expect(await row(id)).toMatchObject({
      status: 'Failed',
      num_attempts: 2,
      bounce_classification: 'MessageExpired',
    });
    expect((await entries(id)).map(({ status }) => status)).toEqual([
      'TransientFailure',
      'TransientFailure',
      'Expiration',
    ]);
  });

  it('bounces what was delivered when a report comes later', async () => {
    const id = await message();
    await consume(event(id, 'delivered', 1));
    await consume(event(id, 'bounced', 1, apiError));
    expect(await row(id)).toMatchObject({
      status: 'Bounced',
      bounce_classification: 'InvalidRecipient',
      delivered_at: new Date(at(11)),
    });
  });

  it.each(['Failed', 'Canceled', 'Suppressed', 'Bounced', 'Sandbox Deferred'])(
    'never moves a message that is %s',
    async (status) => {
      const id = await message(status);
      await consume(event(id, 'bounced', 1, apiError));
      await consume(event(id, 'delivered', 2));
      expect(await row(id)).toMatchObject({ status, bounce_classification: '' });
    },
  );

  it('to messages that are not there is let pass', async () => {
    const id = newId();
    await consume(event(id, 'delivered', 1));
    expect(await entries(id)).toEqual([]);
  });

  it('is two writes to the database, the position in the log among them', async () => {
    const id = await message();
    const transactions = await transactionsOf(async () => {
      for (const told of [event(id, 'deferred', 1, deferral), event(id, 'delivered', 2)]) {
        // with a commit of its own, as the worker does it: the bus then says that it comes once
        await messages.service
          .get(DataSource)
          .transaction((tx) => messages.service.get(Outbox).add(tx, told));
        await expect.poll(() => row(id)).toMatchObject({ num_attempts: told.data.attempt });
      }
    });
    expect(writesWith(transactions, /update messages/)).toEqual([2, 2]);
    expect(writesWith(transactions, /update bus_positions/)).toEqual([2, 2]);
  });
});
