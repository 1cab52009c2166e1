import { PARTITIONS_PER_STREAM } from '@postmesh/contracts';

/** FNV-1a over UTF-16 units: quick, and even over UUIDs and names. @returns 0 … PARTITIONS_PER_STREAM - 1 */
export function partitionOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index++) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  }
  // The low bits of FNV follow the last letter closely; folding the high half in evens them out.
  return ((hash ^ (hash >>> 16)) >>> 0) % PARTITIONS_PER_STREAM;
}
