import type { Content } from '../blob-store.port.js';

/** Contents that are written in one statement: their bytes in one buffer, and the position of each. */
export interface Batch {
  ids: string[];
  /** 1-based, as Postgres counts */
  starts: number[];
  sizes: number[];
  bytes: Buffer;
}

// One statement copies its bytes twice on the way out; more rows than this gain nothing.
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
const MAX_BATCH_ROWS = 500;

/** Cuts contents into batches of bounded size, in their order; a larger content is a batch of its own, uncopied. */
export function batchesOf(contents: readonly Content[]): Batch[] {
  const batches: Batch[] = [];
  let group: Content[] = [];
  let size = 0;
  for (const content of contents) {
    const full = size + content.bytes.length > MAX_BATCH_BYTES || group.length >= MAX_BATCH_ROWS;
    if (group.length > 0 && full) {
      batches.push(batchOf(group));
      group = [];
      size = 0;
    }
    group.push(content);
    size += content.bytes.length;
  }
  if (group.length > 0) batches.push(batchOf(group));
  return batches;
}

function batchOf(group: readonly Content[]): Batch {
  let start = 1;
  const starts = group.map(({ bytes }) => {
    const at = start;
    start += bytes.length;
    return at;
  });
  const [only] = group;
  return {
    ids: group.map(({ id }) => id),
    starts,
    sizes: group.map(({ bytes }) => bytes.length),
    bytes: group.length === 1 && only ? only.bytes : Buffer.concat(group.map(({ bytes }) => bytes)),
  };
}
