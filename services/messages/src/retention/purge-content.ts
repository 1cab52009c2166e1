import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Jobs } from '@postmesh/jobs';
import { JOBS } from '@postmesh/service-host';
import { OPEN_STATUSES } from '../message-status/message-status.rules.js';
import { ALL_DONE, DropContent, type ContentOf } from './drop-content.js';

// The contract says an hour. Content that `DropContent` left behind lies in the store for no longer than this.
const EVERY_MS = 60_000;
const BATCH_SIZE = 1_000;
// 1,000 messages a second for the ten minutes that one run may take, and twice as much.
const MAX_BATCHES = 1_200;

const PURGE = { queue: 'messages', name: 'purge', everyMs: EVERY_MS, timeoutMs: 600_000 };

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** The place of a send request in the order of purging. */
interface Purged {
  id: string;
  until: Date;
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
export class PurgeContent implements OnApplicationBootstrap {
  constructor(
    private readonly dataSource: DataSource,
    private readonly contents: DropContent,
    @Inject(JOBS) private readonly jobs: Jobs,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.jobs.repeat(PURGE, (signal) => this.purge(signal));
  }

  async purge(signal: AbortSignal): Promise<void> {
    let after: Purged | undefined = { id: FIRST_ID, until: new Date(0) };
    for (let batch = 0; after && batch < MAX_BATCHES && !signal.aborted; batch++) {
      after = await this.purgeContent(after);
    }
    for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch++) {
      if ((await this.purgeRecords()) < BATCH_SIZE) return;
    }
  }

  /**
   * Content whose time is over and that no open message needs any more. Goes through what is due once per run:
   * messages that are still open are passed over once, not with every batch.
   * @returns where to go on; undefined at the end
   */
  private async purgeContent(after: Purged): Promise<Purged | undefined> {
    const due: (Purged & ContentOf)[] = await this.dataSource.query(
      `select id, content_id, retain_data_until as until from send_requests s
       where content_id is not null and retain_data_until <= now() and (retain_data_until, id) > ($2, $3)
         and ${ALL_DONE}
       order by retain_data_until, id limit ${BATCH_SIZE}`,
      [OPEN_STATUSES, after.until, after.id],
    );
    if (due.length === 0) return undefined;
    await this.contents.delete(due);
    return due.length < BATCH_SIZE ? undefined : due.at(-1);
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
