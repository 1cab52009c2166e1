import { Readable } from 'node:stream';
import { setImmediate as breathe } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { BlobStore } from '@postmesh/blob-store';
import { BudgetExhausted, ByteBudget, type Release } from '@postmesh/concurrency';
import { ApiErrors, Transient } from '@postmesh/contracts';
import type { RouteBodyRequest } from '@postmesh/messages-contract';
import { BLOB_STORE, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { writeRouteBody } from './write-route-body.js';

// The content and, for a moment, its texts: attachments are sent piece by piece.
const COPIES = 2;
const LARGE_FROM_BYTES = 256 * 1024;
const ACCOUNT_SHARE = 1 / 2;
const MAX_WAITING_PER_ACCOUNT = 100;
// The dispatcher waits half a minute.
const MAX_WAIT_MS = 20_000;
// Some milliseconds of this process; other work runs in between.
const PIECES_AT_ONCE = 16;

interface StoredContent {
  accountId: string;
  contentId: string;
  size: number;
}

/**
 * `POST /internal/route-bodies`: the body of a route call for an inbound message. It is made from the stored message at
 * each attempt (decision 48), and streamed.
 */
@Injectable()
export class ReadRouteBody {
  private readonly room: ByteBudget;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
    @Inject(SETTINGS) { largeBytes }: Settings,
  ) {
    this.room = new ByteBudget({
      maxBytes: largeBytes,
      maxPerKey: Math.floor(largeBytes * ACCOUNT_SHARE),
      freeBelow: LARGE_FROM_BYTES,
      maxWaiting: MAX_WAITING_PER_ACCOUNT,
      maxWaitMs: MAX_WAIT_MS,
    });
  }

  /**
   * @returns the JSON text; its memory budget is released at its end
   * @throws ApiError 404 when the content is gone; Transient when no memory budget is free in time
   */
  async execute(request: RouteBodyRequest): Promise<Readable> {
    const stored = await this.find(request.message_id);
    if (!stored) throw ApiErrors.notFound('message');
    const release = await this.enter(stored);
    try {
      const raw = (await this.blobs.get([stored.contentId])).get(stored.contentId);
      if (!raw) throw ApiErrors.notFound('message');
      const body = Readable.from(inPieces({ request, raw, size: stored.size }), { objectMode: false });
      // also when the reader disconnects before the first piece
      return body.once('close', release);
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Readable for routes also where it is hidden (data retention of 0 days), until it is purged. */
  private async find(messageId: string): Promise<StoredContent | undefined> {
    const rows: StoredContent[] = await this.dataSource.query(
      `select s.account_id as "accountId", s.content_id as "contentId", s.size
       from messages m join send_requests s on s.id = m.send_request_id
       where m.id = $1 and s.kind = 'inbound' and s.content_id is not null`,
      [messageId],
    );
    return rows[0];
  }

  private async enter({ accountId, size }: StoredContent): Promise<Release> {
    try {
      return await this.room.enter(accountId, size * COPIES);
    } catch (error) {
      if (error instanceof BudgetExhausted) throw new Transient(error.message, undefined, { cause: error });
      throw error;
    }
  }
}

async function* inPieces(message: Parameters<typeof writeRouteBody>[0]): AsyncGenerator<Buffer> {
  let pieces = 0;
  for (const piece of writeRouteBody(message)) {
    if (++pieces % PIECES_AT_ONCE === 0) await breathe();
    if (piece !== '') yield Buffer.from(piece);
  }
}
