import type { DataSource } from 'typeorm';

const BATCH = 2_000;
// one call deletes at most this many batches of each sort; what is left waits for the next call
const BATCHES_PER_CALL = 100;

export interface Kept {
  leaseSeconds: number;
  ttlSeconds: number;
  secretTtlSeconds: number;
}

/**
 * Deletes records whose time is over: answers that hold API keys as soon as their replay ends, all others
 * once a lease and a replay lie behind their claim. A run that is still open keeps its row that long too,
 * so that a late one is judged by the fence and not by whether it was pruned.
 * @returns rows deleted
 */
export async function pruneExpired(dataSource: DataSource, kept: Kept): Promise<number> {
  const secrets = await prune(dataSource, 'secret and status is not null', kept.secretTtlSeconds);
  return secrets + (await prune(dataSource, 'true', kept.leaseSeconds + kept.ttlSeconds));
}

// `expires_at` decides; `claimed_at` bounds it from below and has the index
async function prune(dataSource: DataSource, condition: string, claimedBefore: number): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < BATCHES_PER_CALL; batch += 1) {
    const [, count]: [unknown, number] = await dataSource.query(
      `delete from idempotency where ctid = any(array(
         select ctid from idempotency
         where claimed_at <= now() - make_interval(secs => $1) and expires_at <= now() and ${condition}
         limit ${BATCH} for update skip locked))`,
      [claimedBefore],
    );
    total += count;
    if (count < BATCH) break;
  }
  return total;
}
