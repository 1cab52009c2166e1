import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inBatches } from '@postmesh/concurrency';
import { Periodic } from '@postmesh/jobs';

// A read of a list adds the unfolded deltas: this many take 2 ms.
const BATCH = 10_000;

/** Folds the deltas written by triggers into the lists. Unfolded deltas count as well. */
@Injectable()
export class FoldContactCounts {
  constructor(private readonly dataSource: DataSource) {}

  @Periodic({ name: 'fold-contact-counts', everyMs: 5_000, timeoutMs: 60_000 })
  async fold(signal: AbortSignal): Promise<void> {
    const foldBatch = async (): Promise<number> => {
      const [row]: { taken: number }[] = await this.dataSource.query(FOLD_BATCH, [BATCH]);
      return row?.taken ?? 0;
    };
    await inBatches(foldBatch, { size: BATCH, signal });
  }
}

// One statement: no reader sees a delta both in the table and in the list, or in neither. Lists are locked in the order
// of ids, like everywhere. Deltas of a list that was deleted with its account are dropped.
const FOLD_BATCH = `
  with taken as (
    delete from list_count_deltas where id = any(array(
      select id from list_count_deltas order by id limit $1 for update skip locked))
    returning list_id, delta),
  sums as (select list_id, sum(delta) as delta from taken group by list_id),
  held as (select id from lists where id in (select list_id from sums) order by id for no key update),
  folded as (
    update lists set contact_count = contact_count + sums.delta
      from sums join held on held.id = sums.list_id where lists.id = sums.list_id)
  select count(*)::int as taken from taken`;
