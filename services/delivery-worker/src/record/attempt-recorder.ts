import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { failureKind } from '@postmesh/contracts';
import { GroupCommit } from '@postmesh/database';
import type { Logger } from '@postmesh/observability';
import { Outbox } from '@postmesh/outbox';
import { LOGGER } from '@postmesh/service-host';
import type { ClaimedDelivery } from '../claim/delivery-claims.js';
import { WorkerLease } from '../lease/worker-lease.js';
import { attemptsMade, toEvent, waitReason, type AttemptRecord } from './attempt-record.rules.js';

type Leased = Pick<ClaimedDelivery, 'id' | 'lease_token'>;

/** One lease of one delivery. */
const leaseOf = ({ id, lease_token }: Leased): string => `${id}/${lease_token}`;

// Attempts that end within this time are written together; the messages have arrived, so nobody waits for it.
const GATHER_MS = 5;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Writes attempts down: attempt, state and event of all attempts that ended together in one commit. Whoever
 * lost the lease meanwhile writes nothing: the delivery is somebody else's now.
 */
@Injectable()
export class AttemptRecorder implements OnApplicationShutdown {
  private readonly group: GroupCommit<AttemptRecord, boolean>;
  private readonly ending = new AbortController();

  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    private readonly lease: WorkerLease,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.group = new GroupCommit((records) => this.commit(records), {
      maxWeight: 500,
      flushers: 2,
      maxPending: 20_000,
      gatherMs: GATHER_MS,
    });
  }

  /**
   * Keeps at it while the database is away: what a server has answered must not be forgotten, or the message would
   * go out again. As many wait as attempts are under way, no more.
   * @returns false when the lease was lost and nothing was written
   * @throws what the database says of the record itself, or its absence when the worker ends
   */
  async record(attempt: AttemptRecord): Promise<boolean> {
    for (let tries = 0; ; tries++) {
      try {
        return await this.group.add(attempt);
      } catch (error) {
        if (failureKind(error) !== 'transient' || this.ending.signal.aborted) throw error;
        if (tries === 0)
          this.logger.warn({ err: error, message_id: attempt.delivery.id }, 'writing again soon');
        await this.rest(tries);
      }
    }
  }

  onApplicationShutdown(): void {
    this.ending.abort();
  }

  /** The end of the worker ends the rest: one last try, then it is left to others. */
  private async rest(tries: number): Promise<void> {
    const ms = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(tries, 10), LONGEST_PAUSE_MS);
    await pause(ms, undefined, { signal: this.ending.signal }).catch(() => undefined);
  }

  private async commit(records: readonly AttemptRecord[]): Promise<boolean[]> {
    const ending = records.filter(({ nextAttemptAt }) => nextAttemptAt === null);
    const waiting = records.filter(({ nextAttemptAt, held }) => nextAttemptAt !== null && held === null);
    const heldBack = records.filter(({ held }) => held !== null);
    const written = await this.dataSource.transaction(async (manager) => {
      const held = new Set([
        ...(await this.finish(manager, ending)),
        ...(await this.postpone(manager, waiting)),
        ...(await this.hold(manager, heldBack)),
      ]);
      const mine = records.filter(({ delivery, silent }) => !silent && held.has(leaseOf(delivery)));
      await insertAttempts(manager, mine);
      await this.outbox.add(manager, mine.map(toEvent));
      return held;
    });
    return records.map(({ delivery }) => written.has(leaseOf(delivery)));
  }

  private async finish(manager: EntityManager, records: readonly AttemptRecord[]): Promise<string[]> {
    if (records.length === 0) return [];
    const [rows]: [Leased[], number] = await manager.query(
      `delete from deliveries d using unnest($1::uuid[], $2::bigint[]) as given(id, token)
       where d.id = given.id and d.lease_token = given.token and d.lease_owner = $3 and d.state = 'leased'
       returning d.id, d.lease_token`,
      [
        records.map(({ delivery }) => delivery.id),
        records.map(({ delivery }) => delivery.lease_token),
        this.lease.id,
      ],
    );
    return rows.map(leaseOf);
  }

  private async postpone(manager: EntityManager, records: readonly AttemptRecord[]): Promise<string[]> {
    if (records.length === 0) return [];
    const [rows]: [Leased[], number] = await manager.query(
      `update deliveries d set state = 'waiting', due_at = given.due_at, reason = given.reason, lease_owner = null,
         lease_until = null, attempt = given.attempt,
         first_attempt_at = case when given.window_runs then d.first_attempt_at end
       from unnest($1::uuid[], $2::bigint[], $4::timestamptz[], $5::text[], $6::int[], $7::bool[])
         as given(id, token, due_at, reason, attempt, window_runs)
       where d.id = given.id and d.lease_token = given.token and d.lease_owner = $3 and d.state = 'leased'
       returning d.id, d.lease_token`,
      [
        records.map(({ delivery }) => delivery.id),
        records.map(({ delivery }) => delivery.lease_token),
        this.lease.id,
        records.map(({ nextAttemptAt }) => nextAttemptAt),
        records.map(waitReason),
        records.map(attemptsMade),
        records.map((record) => record.windowRuns || attemptsMade(record) > 0),
      ],
    );
    return rows.map(leaseOf);
  }

  /** Its due time stays: that is when it goes out, once its account may send again. */
  private async hold(manager: EntityManager, records: readonly AttemptRecord[]): Promise<string[]> {
    if (records.length === 0) return [];
    const [rows]: [Leased[], number] = await manager.query(
      `update deliveries d set state = 'held', reason = given.reason, held_for = given.account_id,
         held_until = given.held_until, lease_owner = null, lease_until = null, attempt = given.attempt,
         first_attempt_at = case when given.attempt > 0 then d.first_attempt_at end
       from unnest($1::uuid[], $2::bigint[], $4::text[], $5::uuid[], $6::timestamptz[], $7::int[])
         as given(id, token, reason, account_id, held_until, attempt)
       where d.id = given.id and d.lease_token = given.token and d.lease_owner = $3 and d.state = 'leased'
       returning d.id, d.lease_token`,
      [
        records.map(({ delivery }) => delivery.id),
        records.map(({ delivery }) => delivery.lease_token),
        this.lease.id,
        records.map(({ held }) => held),
        records.map(({ delivery }) => delivery.account_id),
        records.map(({ nextAttemptAt }) => nextAttemptAt),
        records.map(attemptsMade),
      ],
    );
    return rows.map(leaseOf);
  }
}

async function insertAttempts(manager: EntityManager, records: readonly AttemptRecord[]): Promise<void> {
  if (records.length === 0) return;
  await manager.query(
    `insert into attempts (delivery_id, attempt, outcome, started_at, finished_at, smtp_code, enhanced_status_code,
       response, command, classification, remote_host, tls, uncertain)
     select * from unnest($1::uuid[], $2::int[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::int[], $7::text[],
       $8::text[], $9::text[], $10::text[], $11::text[], $12::bool[], $13::bool[])
     on conflict do nothing`,
    [
      records.map(({ delivery }) => delivery.id),
      records.map(({ delivery }) => delivery.attempt),
      records.map(({ outcome }) => outcome),
      records.map(({ startedAt }) => startedAt),
      records.map(({ finishedAt }) => finishedAt),
      records.map(({ reply }) => reply?.smtp_code ?? null),
      records.map(({ reply }) => reply?.enhanced_status_code ?? null),
      records.map(({ reply }) => reply?.response?.slice(0, 1_000) ?? null),
      records.map(({ reply }) => reply?.command ?? null),
      records.map(({ classification, reply }) => classification ?? reply?.classification ?? null),
      records.map(({ remoteHost }) => remoteHost),
      records.map(({ tls }) => tls),
      records.map(({ uncertain }) => uncertain),
    ],
  );
}
