import { PARTITIONS_PER_STREAM, STREAMS, type Stream } from '@postmesh/contracts';

export interface Member {
  id: string;
  streams: readonly string[];
}

export interface Partition {
  stream: Stream;
  partition: number;
}

/** @returns `<stream>/<partition>`: how a partition is named in maps and logs */
export function partitionName({ stream, partition }: { stream: string; partition: number }): string {
  return `${stream}/${partition}`;
}

/** @returns every partition of the streams */
export function partitionsOf(streams: readonly Stream[]): Partition[] {
  return streams.flatMap((stream) =>
    Array.from({ length: PARTITIONS_PER_STREAM }, (_, partition) => ({ stream, partition })),
  );
}

/**
 * Which partitions a member should hold. Every member computes the same from the same list, so nobody needs to lead.
 * Streams begin at different members, so that what does not divide evenly falls on different ones.
 */
export function assignedTo(memberId: string, members: readonly Member[]): Partition[] {
  const inOrder = [...members].sort((a, b) => (a.id < b.id ? -1 : 1));
  return STREAMS.flatMap((stream, shift) => {
    const listeners = inOrder.filter((member) => member.streams.includes(stream));
    return partitionsOf([stream]).filter(
      ({ partition }) => listeners[(partition + shift) % listeners.length]?.id === memberId,
    );
  });
}
