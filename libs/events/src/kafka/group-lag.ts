import type { Admin } from 'kafkajs';
import type { GroupLag } from '../event-bus.port.js';
import { isOfMarks } from './stream-marks.js';
import type { Topics } from './topics.js';

interface Bounds {
  low: bigint;
  high: bigint;
}

/**
 * The number of events behind each group's committed offsets, for groups and streams of this installation. Brokers keep offsets in a
 * topic without readers for a week.
 */
export async function groupLag(admin: Admin, topics: Topics): Promise<GroupLag[]> {
  const prefix = topics.groupOf('');
  const { groups } = await admin.listGroups();
  const present = new Set(await admin.listTopics());
  const bounds = new Map<string, Map<number, Bounds>>();
  const boundsOf = async (topic: string) => {
    const found = bounds.get(topic) ?? (await readBounds(admin, topic));
    bounds.set(topic, found);
    return found;
  };
  const lags: GroupLag[] = [];
  const isReader = (id: string): boolean => id.startsWith(prefix) && !isOfMarks(id);
  for (const { groupId } of groups.filter((group) => isReader(group.groupId))) {
    const committed = await admin.fetchOffsets({ groupId });
    for (const { topic, partitions } of committed) {
      const stream = topics.nameWithin(topic);
      if (stream === undefined || !present.has(topic)) continue;
      const offsets = new Map(partitions.map(({ partition, offset }) => [partition, BigInt(offset)]));
      const behind = sumBehind(await boundsOf(topic), offsets);
      if (behind > 0 || topics.streamOf(topic))
        lags.push({ group: groupId.slice(prefix.length), stream, behind });
    }
  }
  return lags;
}

async function readBounds(admin: Admin, topic: string): Promise<Map<number, Bounds>> {
  const partitions = await admin.fetchTopicOffsets(topic);
  return new Map(
    partitions.map(({ partition, low, high }) => [partition, { low: BigInt(low), high: BigInt(high) }]),
  );
}

function sumBehind(bounds: ReadonlyMap<number, Bounds>, committed: ReadonlyMap<number, bigint>): number {
  let behind = 0n;
  for (const [partition, { low, high }] of bounds) {
    const offset = committed.get(partition) ?? -1n;
    behind += high - (offset < low ? low : offset);
  }
  return Number(behind);
}
