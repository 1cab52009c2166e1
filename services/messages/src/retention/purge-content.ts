import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { inBatches } from '@postmesh/concurrency';
import { Periodic } from '@postmesh/work';
import { OPEN_STATUSES } from '../message-status/message-status.rules.js';
import { ALL_DONE, DropContent, type ContentOf } from './drop-content.js';

const BATCH_SIZE = 1_000;
// Some seconds of a run. Done content after ten million open messages is purged within twenty minutes.
const MAX_OPEN = 500_000;

/** The position of a send request in the order of purging. */
interface Place {
  id: string;
  until: Date;
}

const FIRST: Place = { id: '00000000-0000-0000-0000-000000000000', until: new Date(0) };

/** A send request with expired content, which is deleted unless one of its messages is open. */
interface OverContent extends Place, ContentOf {
  is_done: boolean;
}

/**
 * Both retention periods (spec 2-messages §9): content first, the record later. Runs every minute.
 *
 * In batches and not by dropping partitions: each message has its own two periods, from 1 to 30 days, so a partition of
 * one day of creation would have messages that expire tomorrow next to messages that expire in a month, and every read
 * by id would have to search thirty of them. Partial indexes find expired rows, and a batch holds its locks for some
 * milliseconds.
 */
@Injectable()
export class PurgeContent {
  /** after the last row of the previous run */
  private place = FIRST;

  constructor(
    private readonly dataSource: DataSource,
    private readonly contents: DropContent,
  ) {}

  // The contract has a limit of an hour. Content that `DropContent` missed stays in the store for no longer than this.
  @Periodic({ name: 'purge', everyMs: 60_000, timeoutMs: 600_000 })
  async purge(signal: AbortSignal): Promise<void> {
    await this.purgeContents(signal);
    await inBatches(() => this.purgeRecords(), { size: BATCH_SIZE, signal });
  }

  /**
   * Deletes expired content without an open message. Reads expired rows page by page, to the end or until it has
   * read many that are still open: the next run continues from there, so that done messages after millions of open ones
   * are reached, and no statement reads more than a page.
   */
  private async purgeContents(signal: AbortSignal): Promise<void> {
    for (let open = 0; open < MAX_OPEN && !signal.aborted;) {
      const page: OverContent[] = await this.dataSource.query(OVER, [
        OPEN_STATUSES,
        this.place.until,
        this.place.id,
      ]);
      const done = page.filter(({ is_done }) => is_done);
      await this.contents.delete(done);
      open += page.length - done.length;
      const last = page.at(-1);
      if (page.length < BATCH_SIZE || !last) {
        this.place = FIRST;
        return;
      }
      this.place = last;
    }
  }

  private async purgeRecords(): Promise<number> {
    return this.dataSource.transaction(async (manager) => {
      const due: { id: string }[] = await manager.query(
        `select id from send_requests where retain_metadata_until <= now() and content_id is null
         order by retain_metadata_until limit ${BATCH_SIZE} for update skip locked`,
      );
      const ids = due.map((row) => row.id);
      if (ids.length === 0) return 0;
      const [gone]: [{ id: string }[], number] = await manager.query(
        `delete from messages where id = any($1::uuid[]) or (send_request_id = any($1::uuid[]) and id <> send_request_id)
         returning id`,
        [ids],
      );
      await deleteOf(manager, gone);
      await manager.query('delete from send_requests where id = any($1::uuid[])', [ids]);
      return ids.length;
    });
  }
}

const OVER = `
  with page as materialized (
    select id, content_id, retain_data_until from send_requests
    where content_id is not null and retain_data_until <= now() and (retain_data_until, id) > ($2, $3)
    order by retain_data_until, id limit ${BATCH_SIZE})
  select id, content_id, retain_data_until as until, ${ALL_DONE} as is_done from page s order by until, id`;

/**
 * Deletes the rows that belong to deleted messages. A separate statement: the one that deletes the messages may have
 * waited for a concurrent recording, and does not see its rows.
 */
async function deleteOf(manager: EntityManager, messages: readonly { id: string }[]): Promise<void> {
  await manager.query(
    `with fetches as (delete from tracked_fetches where message_id = any($1::uuid[]))
     delete from delivery_attempts where message_id = any($1::uuid[])`,
    [messages.map(({ id }) => id)],
  );
}
