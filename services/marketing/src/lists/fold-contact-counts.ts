import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inBatches } from '@postmesh/concurrency';
import { Periodic } from '@postmesh/jobs';

// A read of a list adds what was not folded: of so many rows that takes 2 ms.
const BATCH = 10_000;

/** Adds the deltas that triggers write to the lists. What it has not come to yet is counted all the same. */
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

// One statement: nobody sees a delta both there and in the list, or in neither. Lists are taken in the order of ids, as
// whoever takes several does. What is left of a list that went with its account counts nowhere.
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
