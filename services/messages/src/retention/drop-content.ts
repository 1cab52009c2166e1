import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { BlobStore } from '@postmesh/blob-store';
import { DebouncedTask } from '@postmesh/concurrency';
import type { Logger } from '@postmesh/observability';
import { BLOB_STORE, LOGGER } from '@postmesh/service-host';
import { OPEN_STATUSES } from '../message-status/message-status.rules.js';

const BATCH_SIZE = 1_000;
// About 2 MB of ids. Further ones wait for the purge, which runs every minute.
const MAX_WAITING = 20_000;

/** SQL condition: no message of a send request has an open delivery. `s` is the send request, $1 the open statuses. */
export const ALL_DONE = `not exists (
  select from messages m
  where m.status = any($1) and (m.id = s.id or (m.send_request_id = s.id and m.id <> m.send_request_id)))`;

/** A send request with the id of its content. */
export interface ContentOf {
  id: string;
  content_id: string;
}

/**
 * Deletes content without retention (data retention 0) from the store as soon as the last message of its request is
 * done, instead of at the next purge (spec 2-messages §9 rule 3). The purge finds the rest after a crash or an outage
 * of the store.
 */
@Injectable()
export class DropContent implements BeforeApplicationShutdown {
  private readonly waiting = new Set<string>();
  private readonly dropping = new DebouncedTask(
    () => this.dropWaiting(),
    (error) =>
      this.logger.warn(
        { event: 'content.drop_failed', err: error },
        'deleting content failed, the purge will retry',
      ),
  );

  constructor(
    private readonly dataSource: DataSource,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Called after the commit in which messages of these send requests became done. Never waits, never fails. */
  done(sendRequestIds: Iterable<string>): void {
    for (const id of sendRequestIds) if (this.waiting.size < MAX_WAITING) this.waiting.add(id);
    if (this.waiting.size > 0) this.dropping.trigger();
  }

  /** Resolves when all requests up to now are handled. */
  settled(): Promise<void> {
    return this.dropping.settled();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.dropping.stop();
  }

  /**
   * Deletes contents, then their ids in the rows. After a crash in between, the row is found again, and deleting
   * twice is harmless.
   */
  async delete(contents: readonly ContentOf[]): Promise<void> {
    if (contents.length === 0) return;
    await this.blobs.delete(contents.map((one) => one.content_id));
    await this.dataSource.query('update send_requests set content_id = null where id = any($1::uuid[])', [
      contents.map((one) => one.id),
    ]);
  }

  private async dropWaiting(): Promise<void> {
    while (this.waiting.size > 0) {
      const ids = [...this.waiting].slice(0, BATCH_SIZE);
      for (const id of ids) this.waiting.delete(id);
      const due: ContentOf[] = await this.dataSource.query(
        `select id, content_id from send_requests s
         where id = any($2::uuid[]) and hide_when_done and content_id is not null and ${ALL_DONE}`,
        [OPEN_STATUSES, ids],
      );
      await this.delete(due);
    }
  }
}
