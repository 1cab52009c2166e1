import { Inject, Injectable } from '@nestjs/common';
import { timeOfId } from '@postmesh/contracts';
import { DataSource } from 'typeorm';
import { placeOf, type BlobStore, type Span } from '@postmesh/blob-store';
import { databaseNow } from '@postmesh/database';
import { Periodic } from '@postmesh/work';
import type { Logger } from '@postmesh/observability';
import { BLOB_STORE, LOGGER } from '@postmesh/service-host';

const DAY_MS = 86_400_000;
// Before messages has consumed its event, the content of a system mail has no row, and Kafka retains an event for a
// week.
const MIN_AGE_DAYS = 8;
// Retention is a month at most, so there is little older content: one step reads all of it.
const OLD_DAYS = 60;
// The time of a send request's id and that of its content differ by the milliseconds between two statements.
const NEAR_MS = 10_000;
const CHECKED_AT_ONCE = 20_000;

// By the primary key: an index on content_id would be written with every message, for one search a day. Candidates are
// then searched in the whole table, so an id from another time costs a scan but no content.
const UNNAMED_NEARBY = `
  select id from unnest($1::uuid[]) as stored(id)
  except select content_id from send_requests where id between $2 and $3
  except select content_id from system_mails where content_id = any($1)`;
const NAMED = 'select content_id as id from send_requests where content_id = any($1)';

/**
 * Deletes content without a row: left by a crash between storing content and writing its rows, in a store that
 * cannot join the transaction. Walks through the time of the ids once, a day per step.
 */
@Injectable()
export class SweepContent {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Now, by the database's clock. */
  @Periodic({ name: 'sweep-content', everyMs: DAY_MS, timeoutMs: 3_600_000 })
  async run(signal: AbortSignal): Promise<void> {
    await this.sweep(await databaseNow(this.dataSource), signal);
  }

  async sweep(now: Date, signal: AbortSignal): Promise<void> {
    const end = now.getTime() - MIN_AGE_DAYS * DAY_MS;
    while (!signal.aborted) {
      const from = await this.sweptUntil();
      if (from.getTime() >= end) return;
      const step = Math.max(from.getTime() + DAY_MS, now.getTime() - OLD_DAYS * DAY_MS);
      const to = new Date(Math.min(step, end));
      await this.sweepSpan({ from, to }, signal);
      if (signal.aborted) return;
      // another process may have moved it meanwhile
      await this.dataSource.query('update content_sweep set swept_until = $2 where swept_until = $1', [
        from,
        to,
      ]);
    }
  }

  private async sweptUntil(): Promise<Date> {
    const rows: { swept_until: Date }[] = await this.dataSource.query(
      'select swept_until from content_sweep',
    );
    return rows[0]?.swept_until ?? new Date(0);
  }

  private async sweepSpan(span: Span, signal: AbortSignal): Promise<void> {
    let ids: string[] = [];
    for await (const some of this.blobs.idsOf(span)) {
      if (signal.aborted) return;
      ids.push(...some);
      if (ids.length < CHECKED_AT_ONCE) continue;
      await this.deleteUnnamed(ids);
      ids = [];
    }
    await this.deleteUnnamed(ids);
  }

  private async deleteUnnamed(ids: string[]): Promise<void> {
    const sorted = ids.toSorted();
    const [first, last] = [sorted[0], sorted.at(-1)];
    if (first === undefined || last === undefined) return;
    const suspects = await this.idsBy(UNNAMED_NEARBY, [
      ids,
      placeOf(new Date(timeOfId(first) - NEAR_MS)),
      placeOf(new Date(timeOfId(last) + NEAR_MS)),
    ]);
    if (suspects.length === 0) return;
    const named = new Set(await this.idsBy(NAMED, [suspects]));
    const unnamed = suspects.filter((id) => !named.has(id));
    await this.blobs.delete(unnamed);
    this.logger.info({ event: 'content.swept', count: unnamed.length }, 'content without a message deleted');
  }

  private async idsBy(sql: string, parameters: unknown[]): Promise<string[]> {
    const rows: { id: string }[] = await this.dataSource.query(sql, parameters);
    return rows.map(({ id }) => id);
  }
}
