import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { inBatches } from '@postmesh/concurrency';
import { Periodic } from '@postmesh/work';
import { OPEN_STATUSES } from '../message-status/message-status.rules.js';
import { ALL_DONE, DropContent, type ContentOf } from './drop-content.js';

const BATCH_SIZE = 1_000;
// Some seconds of a run. What is done behind ten million open messages goes within twenty minutes.
const MAX_OPEN = 500_000;

/** The place of a send request in the order of purging. */
interface Place {
  id: string;
  until: Date;
}

const FIRST: Place = { id: '00000000-0000-0000-0000-000000000000', until: new Date(0) };

/** A send request whose content is over; it goes unless a message of it is still open. */
interface OverContent extends Place, ContentOf {
  is_done: boolean;
}

/**
 * Both retention clocks (spec 2-messages §9): content first, the record later. Runs every minute.
 *
 * In batches and not by dropping partitions: each message has its own two clocks, from 1 to 30 days, so a partition of
 * one day of creation would have messages that go tomorrow beside messages that go in a month, and every read by id
 * would have to look into thirty of them. Partial indexes find what is due, and a batch holds its locks for some
 * milliseconds.
 */
@Injectable()
export class PurgeContent {
  /** behind what the last run looked at */
  private place = FIRST;

  constructor(
    private readonly dataSource: DataSource,
    private readonly contents: DropContent,
  ) {}

  // The contract says an hour. Content that `DropContent` left behind lies in the store for no longer than this.
  @Periodic({ name: 'purge', everyMs: 60_000, timeoutMs: 600_000 })
  async purge(signal: AbortSignal): Promise<void> {
    await this.purgeContents(signal);
    await inBatches(() => this.purgeRecords(), { size: BATCH_SIZE, signal });
  }

  /**
   * Content whose time is over and that no open message needs any more. Goes through what is due page by page, to the
   * end or until it has met many that are still open: the next run goes on from there, so that what is done behind
   * millions of open ones has its turn, and no statement looks at more than a page.
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
 * What belongs to messages that are deleted. A statement of its own: the one that deletes them may have waited for who
 * was just recording, and does not see what that has written.
 */
async function deleteOf(manager: EntityManager, messages: readonly { id: string }[]): Promise<void> {
  await manager.query(
    `with fetches as (delete from tracked_fetches where message_id = any($1::uuid[]))
     delete from delivery_attempts where message_id = any($1::uuid[])`,
    [messages.map(({ id }) => id)],
  );
}
