import { EventEnvelope } from '@postmesh/contracts';
import { Outbox } from '@postmesh/events';
import { testDatabase } from '@postmesh/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MailHost } from '../testing/mail-host.js';
import { startWorker, type MessageWanted, type WorkerUnderTest } from '../testing/worker-under-test.js';
import { KeptOutcomes } from './kept-outcomes.js';
import { ReconcileDeliveries } from './reconcile-deliveries.js';

const database = testDatabase();
let host: MailHost;
let worker: WorkerUnderTest;

beforeAll(async () => {
  host = await MailHost.start();
  // under another address than that of the bus: events leave through the outbox table
  const settings = { deliveryWorkerDatabaseUrl: `${database.url}&application_name=apart` };
  worker = await startWorker({ databaseUrl: database.url, port: host.port, settings });
});
afterAll(async () => {
  await worker?.stop();
  await host?.stop();
});

const later = new Date(Date.now() + 3_600_000);
/** A message as the messages service publishes it: under the id of its send request. */
const message = async (wanted: MessageWanted) => {
  const event = await worker.message(wanted);
  return { ...event, id: event.data.send_request_id };
};
const asked = ({ data }: Awaited<ReturnType<WorkerUnderTest['message']>>) =>
  data.recipients.map(({ id }) => ({ id, send_request_id: data.send_request_id }));

describe('the query of the messages service about open messages', () => {
  it('distinguishes deliveries that never arrived from waiting and ended ones', async () => {
    const waiting = await message({ to: ['a@one.test', 'b@two.test'], firstAttempt: later });
    const lost = await message({ to: ['a@one.test', 'b@two.test'] });
    const ended = await message({ to: ['c@one.test'] });
    await worker.bus.publish([waiting, ended]);
    await worker.outcome(ended.data.send_request_id, 'delivered');
    const answer = await worker.service
      .get(ReconcileDeliveries)
      .execute([waiting, lost, ended].flatMap(asked), { retell: false });
    expect(answer).toEqual({
      unknown: [lost.data.send_request_id],
      ended: ended.data.recipients.map(({ id }) => id),
      retold: [],
    });
  });

  it('publishes an outcome again, under its old id, as long as it is retained', async () => {
    const { service, bus } = worker;
    expect(service.get(Outbox).way).toBe('relay');
    const published: EventEnvelope[] = [];
    await bus.subscribe({
      group: 'listener',
      streams: ['deliveries'],
      handle: async (events) => {
        published.push(...events.map(({ text }) => EventEnvelope.parse(JSON.parse(text)) as EventEnvelope));
      },
    });
    const messages = await Promise.all(['a', 'b', 'c'].map((name) => message({ to: [`${name}@one.test`] })));
    await bus.publish(messages);
    await Promise.all(messages.map(({ data }) => worker.outcome(data.send_request_id, 'delivered')));
    const [first, second] = messages.flatMap(asked);
    const of = (id: string) =>
      published.filter(({ data }) => (data as { message_id: string }).message_id === id);
    await expect.poll(() => of(first!.id).length).toBe(1);

    const reconcile = (retell: boolean) =>
      service.get(ReconcileDeliveries).execute([first!, second!], { retell });
    expect((await reconcile(true)).retold).toEqual([]);
    await worker.database.query(`update kept_outcomes set kept_at = now() - interval '3 minutes'`);
    expect((await reconcile(true)).retold.toSorted()).toEqual([first!.id, second!.id].toSorted());
    await expect.poll(() => [of(first!.id).length, of(second!.id).length]).toEqual([2, 2]);
    expect(of(first!.id)[1]).toEqual(of(first!.id)[0]);

    await worker.database.query(`update kept_outcomes set kept_at = now() - interval '31 hours'`);
    await service.get(KeptOutcomes).forget(new AbortController().signal);
    expect(await reconcile(true)).toMatchObject({ ended: [first!.id, second!.id], retold: [] });
  });
});
