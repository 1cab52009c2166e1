import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Permits } from '@postmesh/concurrency';
import { UNNAMED } from '@postmesh/database';
import { conditionsOf, type SegmentFilter } from './segment-filter.schema.js';
import { filterSql, namesList, placesIn, segmentCount } from './segment-filter.sql.js';

// A form asks while a person types, so an old answer is worth less than a free connection.
const TIMEOUT_MS = 5_000;
const CANCELED_STATEMENT = '57014';
// Counting occupies a connection and a processor: the accounts that send wait for neither.
const AT_ONCE = 2;

// All contacts of the account are read, whatever the planner expects of a set: side by side with their lists in the order of
// ids, and neither one by one nor by a hash, whose million look-ups cost more than the rest of a count.
const SETTINGS = `select set_config('statement_timeout', '${TIMEOUT_MS}', true), set_config('work_mem', '64MB', true),
  set_config('enable_nestloop', 'off', true), set_config('enable_hashjoin', 'off', true),
  set_config('max_parallel_workers_per_gather', $1, true)`;
// Two processors do a third more work than one, and take two thirds of its time: for filters that need more than half a second.
const CONDITIONS_OF_ONE_PROCESSOR = 4;

/** The number of contacts that a campaign to a filter would take. */
@Injectable()
export class CountSegment {
  private readonly permits = new Permits(1, AT_ONCE);

  constructor(private readonly dataSource: DataSource) {}

  /** @returns null when counting takes longer than five seconds, or others count already */
  async execute(accountId: string, filter: SegmentFilter): Promise<number | null> {
    const waiting = AbortSignal.timeout(TIMEOUT_MS);
    try {
      await this.permits.acquire(accountId, waiting);
    } catch {
      return null;
    }
    try {
      return await this.count(accountId, filter);
    } catch (error) {
      if ((error as { code?: unknown }).code === CANCELED_STATEMENT) return null;
      throw error;
    } finally {
      this.permits.release(accountId);
    }
  }

  private count(accountId: string, filter: SegmentFilter): Promise<number> {
    const parameters: unknown[] = [accountId];
    const condition = filterSql(filter, '$1::uuid', placesIn(parameters));
    return this.dataSource.transaction(async (tx) => {
      await tx.query(SETTINGS, [conditionsOf(filter) > CONDITIONS_OF_ONE_PROCESSOR ? '1' : '0']);
      const text = segmentCount(condition, '$1::uuid', namesList(filter));
      const [row]: { contacts: number }[] = await tx.query(`${UNNAMED} ${text}`, parameters);
      return row?.contacts ?? 0;
    });
  }
}
