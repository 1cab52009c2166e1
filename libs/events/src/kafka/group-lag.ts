import { STREAMS, type Stream } from '@postmesh/contracts';
import type { Admin } from 'kafkajs';
import type { GroupLag } from '../event-bus.port.js';
import { isOfMarks } from './stream-marks.js';
import type { Topics } from './topics.js';

interface Bounds {
  low: bigint;
  high: bigint;
}

/** The number of events behind each group's committed offsets, for groups and streams of this installation. */
export async function groupLag(admin: Admin, topics: Topics): Promise<GroupLag[]> {
  const prefix = topics.groupOf('');
  const { groups } = await admin.listGroups();
  const bounds = await boundsOfStreams(admin, topics);
  const lags: GroupLag[] = [];
  const isReader = (id: string): boolean => id.startsWith(prefix) && !isOfMarks(id);
  for (const { groupId } of groups.filter((group) => isReader(group.groupId))) {
    const committed = await admin.fetchOffsets({ groupId });
    for (const { topic, partitions } of committed) {
      const stream = topics.streamOf(topic);
      const known = stream && bounds.get(stream);
      if (!known) continue;
      const offsets = new Map(partitions.map(({ partition, offset }) => [partition, BigInt(offset)]));
      lags.push({ group: groupId.slice(prefix.length), stream, behind: sumBehind(known, offsets) });
    }
  }
  return lags;
}

async function boundsOfStreams(admin: Admin, topics: Topics): Promise<Map<Stream, Map<number, Bounds>>> {
  const present = new Set(await admin.listTopics());
  const bounds = new Map<Stream, Map<number, Bounds>>();
  for (const stream of STREAMS.filter((name) => present.has(topics.nameOf(name)))) {
    const partitions = await admin.fetchTopicOffsets(topics.nameOf(stream));
    const entries = partitions.map(
      ({ partition, low, high }) => [partition, { low: BigInt(low), high: BigInt(high) }] as const,
    );
    bounds.set(stream, new Map(entries));
  }
  return bounds;
}

function sumBehind(bounds: ReadonlyMap<number, Bounds>, committed: ReadonlyMap<number, bigint>): number {
  let behind = 0n;
  for (const [partition, { low, high }] of bounds) {
    const offset = committed.get(partition) ?? -1n;
    behind += high - (offset < low ? low : offset);
  }
  return Number(behind);
}
