import { Kafka, logLevel, type Admin } from 'kafkajs';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { newId, type EventEnvelope, type Stream } from '@postmesh/contracts';
import { openDatabase } from '@postmesh/database';
import { Metrics } from '@postmesh/observability';
import { loadSettings } from '@postmesh/settings';
import { realPart, testDatabase } from '@postmesh/testing';
import { LostStreams } from '../src/lost-streams.js';
import { attachOutbox, Outbox, unpublished } from '../src/outbox.js';
import { OUTBOX_MIGRATIONS } from '../src/outbox.migrations.js';
import { OutboxRelay } from '../src/relay.js';
import { logger } from './service-under-test.js';
import { createKafkaBus } from '../src/index.js';
import type { EventBus } from '../src/event-bus.port.js';

const brokers = realPart('KAFKA_BROKERS', loadSettings().kafkaBrokers);
const STREAM = 'campaigns';
const NEW_STREAM = 'suppressions';
const SCHEMA = 'messages';

const fetched = (n: number, stream: Stream = STREAM): EventEnvelope => ({
  id: newId(),
  type: 'thing-happened',
  version: 1,
  occurred_at: new Date().toISOString(),
  stream,
  key: `key-${n % 7}`,
  account_id: null,
  trace: null,
  data: { n, text: 'line\n"end"' },
});

describe.runIf(brokers)(
  'a stream of Kafka that is lost with what a reader had not handled',
  { timeout: 120_000 },
  () => {
    const database = testDatabase();
    const metrics = new Metrics({ defaults: false });
    const never = new AbortController().signal;
    const outbox = new Outbox();
    const prefix = `t${newId()}.`;
    let dataSource: DataSource;
    let bus: EventBus;
    let relay: OutboxRelay;
    let admin: Admin;

    beforeAll(async () => {
      admin = new Kafka({ brokers: [...(brokers ?? [])], logLevel: logLevel.NOTHING }).admin();
      await admin.connect();
      const to = { url: database.url, schema: SCHEMA, logger };
      dataSource = await openDatabase({ ...to, entities: [], migrations: OUTBOX_MIGRATIONS, poolSize: 4 });
      bus = await createKafkaBus({
        brokers: brokers ?? [],
        clientId: 'lost',
        prefix,
        sessionTimeoutMs: 6_000,
      });
      relay = new OutboxRelay({ ...to, bus, dataSource, metrics });
      attachOutbox(dataSource, relay.sink());
      relay.start();
    });

    afterAll(async () => {
      await relay?.stop();
      await bus?.close();
      await admin?.deleteTopics({ topics: [STREAM, NEW_STREAM].map((stream) => `${prefix}${stream}`) });
      await admin?.disconnect();
      await dataSource?.destroy();
    });

    const query = (sql: string, parameters: unknown[] = []) => dataSource.query(sql, parameters);
    const published = () => expect.poll(() => unpublished(dataSource, 100)).toMatchObject({ count: 0 });
    const publish = async (count: number, stream: Stream = STREAM): Promise<string[]> => {
      const events = Array.from({ length: count }, (_, n) => fetched(n, stream));
      await dataSource.transaction((tx) => outbox.add(tx, events));
      await published();
      return events.map(({ id }) => id);
    };
    const look = ({ graceMs = 0 } = {}) => {
      if (!bus.marks) throw new Error('streams of Kafka can be lost');
      const parts = { bus, marks: bus.marks, dataSource, logger, metrics };
      return new LostStreams({ ...parts, service: 'messages', schema: SCHEMA, graceMs }).look(never);
    };
    const tooSoon = { graceMs: 60_000 };
    const read = async (group: string, stream: Stream = STREAM) => {
      const texts = new Map<string, Set<string>>();
      await bus.subscribe({
        group,
        streams: [stream],
        handle: async (events) => {
          for (const { text } of events) {
            const { id } = JSON.parse(text) as EventEnvelope;
            texts.set(id, (texts.get(id) ?? new Set()).add(text));
          }
        },
      });
      return texts;
    };
    const state = async (stream: Stream = STREAM) =>
      (
        await query('select mark, missing_since, republish_to from stream_marks where stream = $1', [stream])
      )[0];

    it('is noticed, and is published again as it was, once the grace is over', async () => {
      const marketing = await read('marketing');
      const before = await publish(20);
      await expect.poll(() => marketing.size).toBe(20);
      // it is unknown whether the stream was lost before it had a mark
      await look();
      expect(await state()).toMatchObject({ missing_since: expect.any(Date) });
      await look();
      await look();
      const { mark } = await state();
      await look();
      expect(await state()).toEqual({ mark, missing_since: null, republish_to: null });

      await admin.deleteTopics({ topics: [`${prefix}${STREAM}`] });
      const after = await publish(5);
      const all = [...before, ...after].toSorted();
      await expect.poll(() => marketing.size).toBe(25);
      await expect
        .poll(async () => look(tooSoon).then(() => state()))
        .toMatchObject({ mark, missing_since: expect.any(Date), republish_to: null });

      await look();
      expect(await state()).toMatchObject({ missing_since: null, republish_to: expect.any(String) });
      await look();
      expect((await state()).republish_to).toBeNull();
      expect((await state()).mark).not.toBe(mark);
      const webhooks = await read('webhooks');
      await expect.poll(() => [...webhooks.keys()].toSorted()).toEqual(all);
      expect([...marketing.keys()].toSorted()).toEqual(all);
      const texts = [...webhooks.values(), ...marketing.values()];
      expect(texts.every((of) => of.size === 1)).toBe(true);
      expect(await metrics.render()).toMatch(
        /postmesh_events_republished_total{service="messages",stream="campaigns"} 45/,
      );
    });

    it('is published again, too, when it was lost before the first look', async () => {
      const before = await publish(5, NEW_STREAM);
      await admin.deleteTopics({ topics: [`${prefix}${NEW_STREAM}`] });
      const after = await publish(2, NEW_STREAM);
      await look(tooSoon);
      await look(tooSoon);
      expect(await state(NEW_STREAM)).toMatchObject({
        missing_since: expect.any(Date),
        republish_to: null,
      });
      await look();
      await look();
      expect(await state(NEW_STREAM)).toMatchObject({ missing_since: null, republish_to: null });
      const worker = await read('delivery-worker', NEW_STREAM);
      await expect.poll(() => [...worker.keys()].toSorted()).toEqual([...before, ...after].toSorted());
    });

    it('continues where a run ended, and begins anew when the stream is lost again', async () => {
      const end = 'select position from groups where stream = $1';
      const [{ position }] = await query(end, [STREAM]);
      const [{ from }] = await query(
        `select min(position) as from from log where stream = $1 and position > $2`,
        [STREAM, position - 3],
      );
      await query('update stream_marks set republished = $2, republish_to = $3 where stream = $1', [
        STREAM,
        from,
        position,
      ]);
      const again = vi.spyOn(bus, 'publish');
      await look();
      const [events] = again.mock.calls.at(-1)!;
      const rest = await query(
        'select envelope from log where stream = $1 and position > $2 order by position',
        [STREAM, from],
      );
      expect(events.map(({ id }) => id)).toEqual(
        rest.map(({ envelope }: { envelope: string }) => (JSON.parse(envelope) as EventEnvelope).id),
      );
      again.mockRestore();
      await query(
        'update stream_marks set mark = mark - 1, republished = $2, republish_to = $3 where stream = $1',
        [STREAM, from, position],
      );
      await look();
      expect((await query('select republished from stream_marks where stream = $1', [STREAM]))[0]).toEqual({
        republished: '0',
      });
    });
  },
);
