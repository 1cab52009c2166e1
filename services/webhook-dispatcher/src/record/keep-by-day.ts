import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inBatches } from '@postmesh/concurrency';
import { changedRows, databaseNow, retryTransient } from '@postmesh/database';
import { Periodic } from '@postmesh/work';
import type { Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { isOver, partitionsAround, type DayPartition } from './day-partitions.rules.js';

const DAYS_AHEAD = 3;
// Creating or dropping a partition waits this long for readers and writers, and is retried later.
const LOCK_MS = 2_000;
const BATCH = 10_000;
// The previous release kept attempts in one table for a week.
const OLD_ATTEMPTS_DAYS = 7;
const STATES_DAYS = 30;
const REPLAYS_DAYS = 30;

/** Stores attempts and ended deliveries in a partition per day: pruning drops a table, whatever its size. */
@Injectable()
export class KeepByDay implements OnModuleInit {
  private readonly kept: readonly { table: string; column: string; days: number }[];

  constructor(
    private readonly dataSource: DataSource,
    @Inject(SETTINGS) { webhookAttemptDays, webhookReplayDays }: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.kept = [
      { table: 'webhook_attempts', column: 'started_at', days: webhookAttemptDays },
      { table: 'ended_deliveries', column: 'ended_at', days: webhookReplayDays },
    ];
  }

  async onModuleInit(): Promise<void> {
    const create = async () => this.createAhead(await databaseNow(this.dataSource));
    await retryTransient(create, { what: 'partitions by day', logger: this.logger });
  }

  /** By the clock of the database, unless another time is given: a machine with a wrong clock drops nothing. */
  @Periodic({ name: 'keep-by-day', everyMs: 300_000, timeoutMs: 300_000 })
  async run(signal: AbortSignal, given?: Date): Promise<void> {
    const now = given ?? (await databaseNow(this.dataSource));
    await this.createAhead(now);
    for (const { table, column, days } of this.kept) {
      await this.dropOver(table, days, now);
      await this.prune(`${table}_else`, column, days, signal);
    }
    await this.prune('attempts', 'started_at', OLD_ATTEMPTS_DAYS, signal);
    await this.prune('endpoint_states', 'updated_at', STATES_DAYS, signal);
    await this.prune('replays', 'created_at', REPLAYS_DAYS, signal);
  }

  private async createAhead(now: Date): Promise<void> {
    for (const { table } of this.kept) {
      const there = await this.partitions(table);
      for (const partition of partitionsAround(table, now, DAYS_AHEAD)) {
        if (!there.has(partition.name)) await this.create(table, partition);
      }
    }
  }

  private async create(table: string, { name, day, nextDay }: DayPartition): Promise<void> {
    await this.change(
      `create table if not exists ${name} partition of ${table} for values 
        from ('${day} 00:00:00Z') to ('${nextDay} 00:00:00Z')`,
    );
  }

  private async dropOver(table: string, days: number, now: Date): Promise<void> {
    for (const name of await this.partitions(table)) {
      if (isOver(name, table, now, days)) await this.change(`drop table if exists ${name}`);
    }
  }

  /** One dispatcher at a time. A failure is retried at the next run; until then rows go into the default partition. */
  private async change(statement: string): Promise<void> {
    try {
      await this.dataSource.transaction(async (manager) => {
        await manager.query(`set local lock_timeout = ${LOCK_MS}`);
        await manager.query(`select pg_advisory_xact_lock(hashtext('webhook-dispatcher.keep-by-day'))`);
        await manager.query(statement);
      });
    } catch (error) {
      this.logger.warn(
        { event: 'webhook.partition_failed', err: error, statement },
        'changing a partition failed, will retry',
      );
    }
  }

  private async partitions(table: string): Promise<Set<string>> {
    const rows: { name: string }[] = await this.dataSource.query(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = $1::regclass`,
      [table],
    );
    return new Set(rows.map(({ name }) => name));
  }

  private async prune(table: string, column: string, days: number, signal: AbortSignal): Promise<void> {
    const batch = `delete from ${table} where ctid = any(array(
      select ctid from ${table} where ${column} < now() - make_interval(days => $1) limit ${BATCH}))`;
    await inBatches(() => changedRows(this.dataSource, batch, [days]), {
      size: BATCH,
      signal,
    });
  }
}
