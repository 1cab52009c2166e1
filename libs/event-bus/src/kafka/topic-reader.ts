import { newId } from '@postmesh/contracts';
import type { Admin, Kafka, KafkaMessage } from 'kafkajs';
import { endsWithin, Signal } from '../signal.js';

// After the group is joined and nothing more comes, the end of a compacted topic may be a gap.
const QUIET_MS = 3_000;
const LIMIT_MS = 120_000;

/**
 * Reads the one partition of a topic from an offset up to what was its end, under a group that exists for this
 * reading only: the client knows no other way to read.
 * @param visit called in order; false ends the reading
 */
export async function readTopic(
  { kafka, admin, group }: { kafka: Kafka; admin: Admin; group: string },
  { topic, from }: { topic: string; from: bigint },
  visit: (message: KafkaMessage) => boolean,
): Promise<void> {
  const [bounds] = await admin.fetchTopicOffsets(topic);
  const end = BigInt(bounds?.high ?? 0);
  if (from >= end || BigInt(bounds?.low ?? 0) >= end) return;
  const groupId = `${group}-${newId()}`;
  const consumer = kafka.consumer({ groupId, maxWaitTimeInMs: 500, allowAutoTopicCreation: false });
  const progress = new Signal();
  const state: { isJoined: boolean; isOver: boolean; failure?: Error } = { isJoined: false, isOver: false };
  const finish = (failure?: Error): void => {
    state.failure ??= failure;
    state.isOver = true;
    progress.raise();
  };
  consumer.on(consumer.events.CRASH, ({ payload }) => finish(payload.error));
  consumer.on(consumer.events.GROUP_JOIN, () => {
    state.isJoined = true;
    progress.raise();
  });
  try {
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatch: async ({ batch }) => {
        if (state.isOver) return;
        const wanted = batch.messages.filter(({ offset }) => BigInt(offset) >= from && BigInt(offset) < end);
        if (!wanted.every(visit) || BigInt(batch.lastOffset()) + 1n >= end) finish();
        progress.raise();
      },
    });
    consumer.seek({ topic, partition: 0, offset: from.toString() });
    const limit = Date.now() + LIMIT_MS;
    while (!state.isOver && Date.now() < limit) {
      const before = Date.now();
      await progress.wait(QUIET_MS);
      if (state.isJoined && Date.now() - before >= QUIET_MS) break;
    }
  } finally {
    await endsWithin(consumer.disconnect(), 5_000);
    await admin.deleteGroups([groupId]).catch(() => undefined);
  }
  if (state.failure) throw state.failure;
}
