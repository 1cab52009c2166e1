import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { BlobStore } from '@postmesh/blob-store';
import { DebouncedTask } from '@postmesh/concurrency';
import type { Logger } from '@postmesh/observability';
import { BLOB_STORE, LOGGER } from '@postmesh/service-host';
import { OPEN_STATUSES } from '../message-status/message-status.rules.js';

const BATCH_SIZE = 1_000;
// Some 2 MB of ids. What comes beyond waits for the purge, which is a minute away.
const MAX_WAITING = 20_000;

/** That a send request has no message that is still being delivered. `s` is the send request, $1 the open statuses. */
export const ALL_DONE = `not exists (
  select from messages m
  where m.status = any($1) and (m.id = s.id or (m.send_request_id = s.id and m.id <> m.send_request_id)))`;

/** A send request with the content that it names. */
export interface ContentOf {
  id: string;
  content_id: string;
}

/**
 * Content that is not to be kept (data retention 0) goes from the store as soon as the last message of its request is
 * done, not with the next purge (spec 2-messages §9 rule 3). What a crash or a store that is away leaves behind is
 * found by the purge.
 */
@Injectable()
export class DropContent implements BeforeApplicationShutdown {
  private readonly waiting = new Set<string>();
  private readonly dropping = new DebouncedTask(
    () => this.dropWaiting(),
    (error) => this.logger.warn({ event: 'content.drop_failed', err: error }, 'content waits for the purge'),
  );

  constructor(
    private readonly dataSource: DataSource,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Messages of these send requests are done, and it is committed. Never waits, never fails. */
  done(sendRequestIds: Iterable<string>): void {
    for (const id of sendRequestIds) if (this.waiting.size < MAX_WAITING) this.waiting.add(id);
    if (this.waiting.size > 0) this.dropping.trigger();
  }

  /** Resolves when what was done until now has been looked at. */
  settled(): Promise<void> {
    return this.dropping.settled();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.dropping.stop();
  }

  /**
   * Deletes contents and the names of them. The content goes first: a crash in between finds the row again, and deleting
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
