import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Periodic } from '@postmesh/work';
import type { Logger } from '@postmesh/observability';
import { Inbox, pruneCrashNotes, pruneDeadLetters } from '@postmesh/events';
import type { Settings } from '@postmesh/settings';
import { LOGGER, SETTINGS } from './tokens.js';
import { Idempotency } from './idempotency/idempotency.js';

// No bus redelivers later than this: Kafka keeps a week by default, the embedded log an hour.
const REDELIVERY_DAYS = 8;

/** Prunes stored responses, handled events, notes of crashes and dead letters of a service with a database. */
@Injectable()
export class Housekeeping {
  constructor(
    private readonly dataSource: DataSource,
    private readonly idempotency: Idempotency,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'deadLetterDays'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Continues until nothing is left; the next run does the rest of one that is out of time. */
  @Periodic({ name: 'housekeeping', everyMs: 300_000, timeoutMs: 600_000 })
  async run(signal: AbortSignal): Promise<void> {
    const { dataSource } = this;
    const { deadLetterDays: days } = this.settings;
    await this.idempotency.prune(signal);
    await new Inbox().prune(dataSource, { days: REDELIVERY_DAYS, signal });
    await pruneCrashNotes(dataSource, { days: REDELIVERY_DAYS, signal });
    const count = await pruneDeadLetters(dataSource, { days, signal });
    if (count === 0) return;
    const line = { event: 'dead_letters.pruned', count, days };
    this.logger.warn(line, 'dead letters deleted, they were not replayed in time');
  }
}
