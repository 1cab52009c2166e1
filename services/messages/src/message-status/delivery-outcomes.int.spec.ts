import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeliveryAttempted, type DeliveryOutcome } from '@postmesh/delivery-worker-contract';
import { MessageChanged } from '@postmesh/messages-contract';
import { newId } from '@postmesh/contracts';
import { Outbox } from '@postmesh/events';
import {
  deliver,
  recordEvents,
  startTestService,
  transactionsOf,
  roundTripsWith,
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
    { account_id: accountId, only_for: 'messages' },
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

describe('outcomes of the worker', () => {
  it('move the message, attempt by attempt', async () => {
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

  it('count once when they are repeated', async () => {
    const id = await message();
    const deferred = event(id, 'deferred', 1, deferral);
    await consume(deferred, deferred);
    await consume(event(id, 'delivered', 2));
    await consume(deferred);
    expect(await row(id)).toMatchObject({ status: 'Delivered', num_attempts: 2, bounce_classification: '' });
    expect(await entries(id)).toHaveLength(2);
  });

  it('replace an unknown outcome, when a worker that was presumed dead reports the end', async () => {
    const response = 'the worker stopped in the middle of the attempt';
    const abandoned = { started_at: null, uncertain: true, reply: { smtp_code: 0, response } };
    const [id, together] = [await message(), await message()];
    await consume(event(id, 'deferred', 1, abandoned));
    expect(await entries(id)).toEqual([
      { status: 'TransientFailure', log: `${response} (it may have arrived)` },
    ]);
    await consume(event(id, 'delivered', 1));
    await consume(event(together, 'deferred', 1, abandoned), event(together, 'delivered', 1));
    for (const one of [id, together]) {
      expect(await row(one)).toMatchObject({ status: 'Delivered', num_attempts: 1 });
      expect(await entries(one)).toEqual([{ status: 'Delivery', log: '250 2.0.0 queued as 7F1' }]);
    }
  });

  it('are folded when a batch has several events of a message', async () => {
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

  it('bounce a delivered message after a later report', async () => {
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
    'never move a message that is %s',
    async (status) => {
      const id = await message(status);
      await consume(event(id, 'bounced', 1, apiError));
      await consume(event(id, 'delivered', 2));
      expect(await row(id)).toMatchObject({ status, bounce_classification: '' });
    },
  );

  it('for unknown messages are ignored', async () => {
    const id = newId();
    await consume(event(id, 'delivered', 1));
    expect(await entries(id)).toEqual([]);
  });

  it('are four round trips to the database, with the position in the log and the published events', async () => {
    const id = await message();
    const transactions = await transactionsOf(async () => {
      for (const told of [event(id, 'deferred', 1, deferral), event(id, 'delivered', 2)]) {
        // with a commit of its own, like the worker: the bus then delivers it once
        await messages.service
          .get(DataSource)
          .transaction((tx) => messages.service.get(Outbox).add(tx, told));
        await expect.poll(() => row(id)).toMatchObject({ num_attempts: told.data.attempt });
      }
    });
    expect(roundTripsWith(transactions, /update messages/)).toEqual([4, 4]);
    expect(roundTripsWith(transactions, /update bus_positions/)).toEqual([4, 4]);
    // and one append for all published events
    const appends = transactions
      .filter(({ texts }) => texts.some((text) => /update messages/.test(text)))
      .map(({ texts }) => texts.filter((text) => /bus\.append/.test(text)).length);
    expect(appends).toEqual([1, 1]);
  });
});

// proven again: the row that a consumer reads at the moment of the event
describe('outcomes of the worker are published to others', () => {
  const changes = async () => {
    const shown: { id: string; row: Promise<unknown> }[] = [];
    const recorded = await recordEvents(messages.bus, {
      streams: ['messages'],
      pick: (told) => {
        if (told.type !== MessageChanged.type) return undefined;
        const changed = MessageChanged.parse(told);
        // read when a consumer has the event
        shown.push({ id: told.id, row: row(changed.data.message_id) });
        return changed;
      },
    });
    return { recorded, shown };
  };

  it('spec 2-messages §18 rule 10: in order, never before it is shown, under the id of the attempt', async () => {
    const { recorded, shown } = await changes();
    const [id, other] = [await message(), await message()];
    const events = [event(id, 'deferred', 1, deferral), event(id, 'bounced', 2, apiError)];
    for (const one of events) await consume(one);
    const mine = await recorded.until(() => {
      const of = recorded.events.filter(({ data }) => data.message_id === id);
      return of.length === 2 && of;
    });
    expect(mine).toMatchObject([
      {
        id: events[0]!.id,
        key: events[0]!.data.send_request_id,
        account_id: accountId,
        data: { changed_at: at(11) },
      },
      {
        id: events[1]!.id,
        data: { change: 'bounced', changed_at: at(21), classification: 'InvalidRecipient', ...apiError },
      },
    ]);
    const rows = shown.filter(({ id: one }) => mine.some((event) => event.id === one)).map((one) => one.row);
    // the deferral may be shown as the bounce that followed it, never as the status before it
    expect(await Promise.all(rows)).toMatchObject([
      { status: expect.stringMatching(/^(Deferred|Bounced)$/) },
      { status: 'Bounced' },
    ]);
    // a repeated event is published once
    await consume(events[1]!);
    await consume(event(other, 'bounced', 1, apiError));
    const last = await recorded.until(() => recorded.events.find(({ data }) => data.message_id === other));
    expect(last.data.change).toBe('bounced');
    expect(recorded.events.filter(({ data }) => data.message_id === id)).toHaveLength(2);
  });

  it('also when they are too late to change the status, and of a record that was purged', async () => {
    const { recorded } = await changes();
    const [late, purged] = [await message('Bounced'), newId()];
    await consume(event(late, 'delivered', 1), event(purged, 'delivered', 1));
    await recorded.until(() =>
      [late, purged].every((id) => recorded.events.some(({ data }) => data.message_id === id)),
    );
    expect(await row(late)).toMatchObject({ status: 'Bounced' });
  });
});
