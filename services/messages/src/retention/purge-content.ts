import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import type { BlobStore } from '@postmesh/blob-store';
import { defineJob, type Jobs } from '@postmesh/jobs';
import { BLOB_STORE, JOBS } from '@postmesh/service-host';
import { OPEN_STATUSES } from '../message-status/message-status.rules.js';

const EVERY_MS = 600_000;
const BATCH = 1_000;
const MOST_BATCHES = 200;

const PURGE = defineJob({
  queue: 'messages',
  name: 'purge',
  payload: z.object({}),
  attempts: 1,
  backoff: { firstMs: 1_000, maxMs: 1_000 },
  timeoutMs: 600_000,
  concurrency: 1,
});

/** Both retention clocks (spec 2-messages §9): content first, the record later. Runs every ten minutes. */
@Injectable()
export class PurgeContent implements OnApplicationBootstrap {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
    @Inject(JOBS) private readonly jobs: Jobs,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.jobs.process({ purge: PURGE }, { purge: ({ signal }) => this.purge(signal) });
    await this.jobs.every(PURGE, {}, { id: 'purge', everyMs: EVERY_MS });
  }

  async purge(signal: AbortSignal): Promise<void> {
    for (let batch = 0; batch < MOST_BATCHES && !signal.aborted; batch++) {
      const content = await this.purgeContent();
      const records = await this.purgeRecords();
      if (content < BATCH && records < BATCH) return;
    }
  }

  /** Content whose time is over and that no open message needs any more. */
  private async purgeContent(): Promise<number> {
    const due: { id: string; content_id: string }[] = await this.dataSource.query(
      `select id, content_id from submissions s
       where content_id is not null and retain_data_until <= now() and not exists (
         select from messages m where m.status = any($1) and (m.id = s.id or (m.submission_id = s.id and m.id <> m.submission_id)))
       limit ${BATCH}`,
      [OPEN_STATUSES],
    );
    if (due.length === 0) return 0;
    // the content goes first: a crash in between finds the row again, and deleting twice is harmless
    await this.blobs.delete(due.map((row) => row.content_id));
    await this.dataSource.query('update submissions set content_id = null where id = any($1::uuid[])', [
      due.map((row) => row.id),
    ]);
    return due.length;
  }

  private async purgeRecords(): Promise<number> {
    return this.dataSource.transaction(async (manager) => {
      const due: { id: string }[] = await manager.query(
        `select id from submissions where retain_metadata_until <= now() and content_id is null
         limit ${BATCH} for update skip locked`,
      );
      const ids = due.map((row) => row.id);
      if (ids.length === 0) return 0;
      await manager.query(
        `with gone as (
           delete from messages where id = any($1::uuid[]) or (submission_id = any($1::uuid[]) and id <> submission_id)
           returning id)
         delete from delivery_attempts a using gone where a.message_id = gone.id`,
        [ids],
      );
      await manager.query('delete from submissions where id = any($1::uuid[])', [ids]);
      return ids.length;
    });
  }
}
