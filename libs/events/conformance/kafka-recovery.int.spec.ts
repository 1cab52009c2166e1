import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId, Transient, type EventEnvelope } from '@postmesh/contracts';
import type { Admin } from 'kafkajs';
import { describe, expect, test } from 'vitest';
import { startKafka, wipeKafka } from '../../../tools/real/kafka.mjs';
import { createKafkaBus } from '../src/index.js';
import { silentLogger, type EventBus } from '../src/event-bus.port.js';
import { kafkaClient } from '../src/kafka/kafka-client.js';
import { fact, facts, keysOutOfOrder, withoutRepeats } from './facts.js';
import { Diary, listen } from './listener.js';
import { kafkaBrokers, leaveOutKafka } from './real-kafka.js';

async function losesAndFindsItsBroker(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'postmesh-kafka-'));
  const first = await startKafka({ dir });
  const brokers = first.env.KAFKA_BROKERS.split(',');
  const bus = await createKafkaBus({ brokers, clientId: 'recovery', sessionTimeoutMs: 6_000 });
  const { diary, subscription } = await listen(bus, { group: 'readers' });
  const before = facts(10, 3);
  await bus.publish(before);
  await diary.until((written) => written.distinct() >= before.length);

  process.kill(first.pid, 'SIGKILL');
  await expect(bus.publish([fact('key-0', 99)])).rejects.toBeInstanceOf(Transient);
  await expect.poll(() => subscription.ready()).toBe(false);
  expect(bus.ready()).toBe(false);
  const second = await startKafka({ dir, keepData: true });

  await expect.poll(() => subscription.ready()).toBe(true);
  const after = Array.from({ length: 10 }, (_, key) => fact(`key-${key}`, 3));
  await bus.publish(after);
  expect(bus.ready()).toBe(true);
  await diary.until((written) => written.distinct() >= before.length + after.length);
  expect(keysOutOfOrder(withoutRepeats(diary.events))).toEqual([]);

  process.kill(second.pid, 'SIGKILL');
  wipeKafka(dir);
  const empty = await startKafka({ dir, keepData: true });
  const anew = facts(10, 2);
  await publishAgain(bus, anew);
  await diary.until((written) => written.distinct() >= before.length + after.length + anew.length);
  expect(subscription.ready()).toBe(true);
  await bus.close();
  await empty.stop();
  await rm(dir, { recursive: true, force: true });
}

/** As a relay does: what was refused is published again. */
async function publishAgain(bus: EventBus, events: readonly EventEnvelope[]): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await bus.publish(events);
    } catch (error) {
      if (tries === 10) throw error;
    }
  }
}

/** On shared brokers: topics with names of its own, deleted at the end. */
async function withTopics(
  work: (world: { bus: EventBus; admin: Admin; prefix: string; topic: string }) => Promise<void>,
): Promise<void> {
  const prefix = `t${newId()}.`;
  const options = { brokers: (kafkaBrokers ?? '').split(','), clientId: 'recovery', prefix };
  const bus = await createKafkaBus({ ...options, sessionTimeoutMs: 6_000 });
  const admin = kafkaClient(options, silentLogger).admin();
  await admin.connect();
  try {
    await work({ bus, admin, prefix, topic: `${prefix}messages` });
  } finally {
    await bus.close();
    const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(prefix));
    await admin.deleteTopics({ topics });
    await admin.disconnect();
  }
}

/** Resolves when they are gone: until then, brokers take events into them. */
async function deleteTopics(admin: Admin, topics: string[]): Promise<void> {
  await admin.deleteTopics({ topics });
  const present = async () => (await admin.listTopics()).filter((topic) => topics.includes(topic));
  await expect.poll(present).toEqual([]);
}

const makesDeletedTopicsAgain = () =>
  withTopics(async ({ bus, admin, prefix }) => {
    const streams = ['messages', 'deliveries'] as const;
    const names = streams.map((stream) => `${prefix}${stream}`);
    const { diary, subscription } = await listen(bus, { group: 'readers', streams });
    const before = facts(10, 3);
    await bus.publish(before);
    await diary.until((written) => written.distinct() >= before.length);
    // the offsets are committed after the batch: a commit that meets the topic made anew would skip its events
    const isHandled = async () =>
      (await bus.lag()).some(({ stream, behind }) => stream === 'messages' && behind === 0);
    await expect.poll(isHandled).toBe(true);

    await deleteTopics(admin, names);
    const first = facts(10, 2);
    await publishAgain(bus, first);
    await diary.until((written) => written.distinct() >= before.length + first.length);
    await expect.poll(isHandled).toBe(true);

    // no event is published: the member must detect the deletion of its topics alone
    await deleteTopics(admin, names);
    const isThere = async () => (await admin.listTopics()).includes(`${prefix}messages`);
    await expect.poll(isThere).toBe(true);
    const second = facts(10, 2);
    await publishAgain(bus, second);
    await diary.until((written) => written.distinct() >= before.length + first.length + second.length);
    await expect.poll(() => subscription.ready() && bus.ready()).toBe(true);
    await expect.poll(isHandled).toBe(true);
  });

const skipsNothingOfATopicMadeAgainDuringABatch = () =>
  withTopics(async ({ bus, admin, prefix, topic }) => {
    let handling = (): void => undefined;
    const isHandling = new Promise<void>((resolve) => (handling = resolve));
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const before = facts(10, 3);
    const first = async () => {
      if (diary.distinct() < before.length) return;
      handling();
      await gate;
    };
    const diary = new Diary();
    await listen(bus, { group: 'readers', diary, first });
    await bus.publish(before);
    await diary.until((written) => written.distinct() >= before.length);
    const long = facts(10, 1);
    await bus.publish(long);
    await isHandling;

    await deleteTopics(admin, [topic]);
    const brokers = (kafkaBrokers ?? '').split(',');
    const other = await createKafkaBus({ brokers, clientId: 'other', prefix });
    // more of each key than the old topic had: its offsets are in the middle of the new one
    const anew = facts(10, 6);
    await publishAgain(other, anew);
    await other.close();
    open();
    await diary.until((written) => written.distinct() >= before.length + long.length + anew.length);
  });

const skipsNothingBehindItsOldOffsets = () =>
  withTopics(async ({ bus, admin, prefix, topic }) => {
    const events = facts(20, 2);
    await bus.publish(events);
    const partitions = (await admin.fetchTopicOffsets(topic)).map(({ partition }) => ({
      partition,
      offset: '1000',
    }));
    await admin.setOffsets({ groupId: `${prefix}readers`, topic, partitions });
    const { diary } = await listen(bus, { group: 'readers' });
    await diary.until((written) => written.distinct() >= events.length);
  });

const marksGoWithTheirTopics = () =>
  withTopics(async ({ bus, admin, topic }) => {
    const { marks } = bus;
    if (!marks) throw new Error('streams of Kafka can be lost');
    await bus.publish(facts(3, 1));
    expect(await marks.read('messages', 'messages')).toBeUndefined();
    const mark = Date.now();
    await marks.write('messages', 'messages', mark);
    await marks.write('webhooks', 'messages', 7);
    await bus.publish(facts(3, 1));
    expect(await marks.read('messages', 'messages')).toBe(mark);
    expect(await marks.read('webhooks', 'messages')).toBe(7);
    expect(await bus.lag()).toEqual([]);

    await deleteTopics(admin, [topic]);
    await publishAgain(bus, facts(10, 2));
    await expect.poll(() => marks.read('messages', 'messages')).toBeUndefined();
    await marks.write('messages', 'messages', mark + 1);
    expect(await marks.read('messages', 'messages')).toBe(mark + 1);
  });

const countsWhatWaitsInAStreamOfAnotherRelease = () =>
  withTopics(async ({ bus, admin, prefix }) => {
    const topic = `${prefix}of-the-release-before`;
    await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: true });
    const offset = (at: string) =>
      admin.setOffsets({ groupId: `${prefix}readers`, topic, partitions: [{ partition: 0, offset: at }] });
    const options = { brokers: (kafkaBrokers ?? '').split(','), clientId: 'recovery', prefix };
    const producer = kafkaClient(options, silentLogger).producer();
    await producer.connect();
    await producer.send({ topic, acks: -1, messages: [{ value: '{}' }, { value: '{}' }] });
    await producer.disconnect();
    await offset('2');
    expect(await bus.lag()).toEqual([]);
    await offset('1');
    expect(await bus.lag()).toEqual([{ group: 'readers', stream: 'of-the-release-before', behind: 1 }]);
  });

describe('the Kafka bus', { timeout: 120_000 }, () => {
  if (kafkaBrokers) {
    test(
      'is not ready while its broker is gone, and continues when it is back, even if empty',
      losesAndFindsItsBroker,
    );
    test('makes topics again that are deleted while it runs, and its members go on', makesDeletedTopicsAgain);
    test(
      'handles all of a topic that was made again while its member handled a batch',
      skipsNothingOfATopicMadeAgainDuringABatch,
    );
    test(
      'handles all of a topic that is shorter than the offsets of before',
      skipsNothingBehindItsOldOffsets,
    );
    test(
      'counts what waits in a stream that only another release has, and no lag where nothing does',
      countsWhatWaitsInAStreamOfAnotherRelease,
    );
    test('knows a topic by its mark: one that is made again has none', marksGoWithTheirTopics);
  } else {
    test('continues when its broker is back (needs Kafka)', () =>
      leaveOutKafka('recovery of the Kafka driver'));
  }
});
