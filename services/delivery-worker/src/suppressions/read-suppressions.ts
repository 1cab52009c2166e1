import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { backoffMs, pause } from '@postmesh/concurrency';
import { SuppressionsPage } from '@postmesh/messages-contract';
import { InternalClient } from '@postmesh/http';
import type { Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import { factOfListed } from './suppression-copy.rules.js';
import { AFTER_ALL, BEFORE_ALL, SuppressionCopy, type Place } from './suppression-copy.js';

const BACKOFF = { firstMs: 500, maxMs: 15_000 };
// Ten million suppressions. For more, the log has an error, and the rest waits for the next read.
const MAX_PAGES = 10_000;

interface Page {
  readonly after: Place;
  readonly cursor: string | null;
}

/**
 * Reads all suppression lists from the messages service, page by page: into a new copy, and once in a while to find
 * changes without an event (a stream was lost, one of two databases was restored).
 */
@Injectable()
export class ReadSuppressions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly copy: SuppressionCopy,
    private readonly client: InternalClient,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Resolves when the copy is complete, or the worker stops. Without a time limit: an incomplete copy would let mail go
   * to people who asked for none.
   */
  async complete(stopping: AbortSignal): Promise<void> {
    for (let failures = 0; !stopping.aborted;) {
      try {
        if ((await this.copy.readAt(this.dataSource)) === null) await this.readAll(stopping);
        return;
      } catch (error) {
        failures += 1;
        this.logger.error(
          { event: 'suppressions.unknown', err: error, failures },
          'suppressions unknown, deliveries wait for them',
        );
      }
      await pause(backoffMs(failures, BACKOFF), stopping);
    }
  }

  /** Reads every page, and records the time. @throws errors of the messages service or the database */
  async readAll(signal: AbortSignal): Promise<void> {
    const [{ now: askedAt }]: [{ now: Date }] = await this.dataSource.query('select now()');
    let page: Page | null = { after: BEFORE_ALL, cursor: null };
    const corrected = { learnt: 0, removed: 0 };
    for (let nth = 0; nth < MAX_PAGES && page !== null; nth++) {
      const listed = await this.ask(page.cursor);
      if (signal.aborted || listed === undefined) return;
      page = await this.take(page.after, listed, askedAt, corrected);
    }
    if (page !== null) throw new Error(`more than ${MAX_PAGES} pages of suppressions`);
    await this.copy.wasRead(this.dataSource, askedAt);
    this.logger.info({ event: 'suppressions.read', ...corrected }, 'all suppression lists were read');
  }

  /** @returns the next page */
  private async take(
    after: Place,
    { suppressions, next }: SuppressionsPage,
    askedAt: Date,
    corrected: { learnt: number; removed: number },
  ): Promise<Page | null> {
    const facts = suppressions.map(factOfListed);
    const last = facts.at(-1) ?? after;
    const stretch = { after, upTo: next === null ? AFTER_ALL : last, askedAt };
    await this.dataSource.transaction(async (tx) => {
      corrected.removed += await this.copy.removeUnlisted(tx, stretch, facts);
      corrected.learnt += await this.copy.learn(tx, facts);
    });
    return next === null ? null : { after: last, cursor: next };
  }

  /** @returns undefined when the messages service is of a version without suppressions: then there are none */
  private ask(cursor: string | null): Promise<SuppressionsPage | undefined> {
    const path = `/internal/suppressions${cursor === null ? '' : `?after=${encodeURIComponent(cursor)}`}`;
    return this.client.request('messages', { method: 'GET', path }, SuppressionsPage);
  }
}
