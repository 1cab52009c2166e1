import type { DataSource } from 'typeorm';

const BATCH = 2_000;
// one call deletes at most this many batches; what is left waits for the next call
const BATCHES_PER_CALL = 100;

// A run that is still open keeps its row for a whole replay time after its claim, so that a late one is
// judged by the fence and not by whether it was pruned.
const EXPIRED_DAILY = `claimed_at <= clock_timestamp() - make_interval(secs => $1)`;
const EXPIRED_SECRET = `secret and status is not null`;

/**
 * Deletes records whose time is over: answers that hold API keys as soon as their replay ends, all others
 * once their replay and a lease lie behind their claim.
 * @returns rows deleted
 */
export async function pruneExpired(dataSource: DataSource, keptSeconds: number): Promise<number> {
  const secrets = await pruneWhere(dataSource, EXPIRED_SECRET, []);
  return secrets + (await pruneWhere(dataSource, EXPIRED_DAILY, [keptSeconds]));
}

async function pruneWhere(dataSource: DataSource, condition: string, parameters: number[]): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < BATCHES_PER_CALL; batch += 1) {
    const [, count]: [unknown, number] = await dataSource.query(
      `delete from idempotency where ctid = any(array(
         select ctid from idempotency where expires_at <= clock_timestamp() and ${condition}
         limit ${BATCH} for update skip locked))`,
      parameters,
    );
    total += count;
    if (count < BATCH) break;
  }
  return total;
}
