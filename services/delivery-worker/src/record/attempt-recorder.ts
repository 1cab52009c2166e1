import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { GroupCommit } from '@postmesh/database';
import { Outbox } from '@postmesh/outbox';
import { WorkerLease } from '../lease/worker-lease.js';
import { toEvent, waitReason, type AttemptRecord } from './attempt-record.rules.js';

/**
 * Writes attempts down: attempt, state and event of all attempts that ended together in one commit. Whoever
 * lost the lease meanwhile writes nothing: the delivery is somebody else's now.
 */
@Injectable()
export class AttemptRecorder {
  private readonly group: GroupCommit<AttemptRecord, boolean>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    private readonly lease: WorkerLease,
  ) {
    this.group = new GroupCommit((records) => this.commit(records), {
      maxWeight: 500,
      flushers: 2,
      maxPending: 20_000,
    });
  }

  /** @returns false when the lease was lost and nothing was written */
  record(attempt: AttemptRecord): Promise<boolean> {
    return this.group.add(attempt);
  }

  private async commit(records: readonly AttemptRecord[]): Promise<boolean[]> {
    // rows in the order of their ids, so that two recorders can never wait for each other
    const ordered = [...records].sort((a, b) => (a.delivery.id < b.delivery.id ? -1 : 1));
    const written = await this.dataSource.transaction(async (manager) => {
      const done = await this.finish(
        manager,
        ordered.filter(({ nextAttemptAt }) => nextAttemptAt === null),
      );
      const waiting = await this.postpone(
        manager,
        ordered.filter(({ nextAttemptAt }) => nextAttemptAt !== null),
      );
      const held = new Set([...done, ...waiting]);
      const mine = ordered.filter(({ delivery, silent }) => !silent && held.has(delivery.id));
      await insertAttempts(manager, mine);
      await this.outbox.add(manager, mine.map(toEvent));
      return held;
    });
    return records.map(({ delivery }) => written.has(delivery.id));
  }

  private async finish(manager: EntityManager, records: readonly AttemptRecord[]): Promise<string[]> {
    if (records.length === 0) return [];
    const [rows]: [{ id: string }[], number] = await manager.query(
      `delete from deliveries d using unnest($1::uuid[], $2::bigint[]) as given(id, token)
       where d.id = given.id and d.lease_token = given.token and d.lease_owner = $3 and d.state = 'leased'
       returning d.id`,
      [
        records.map(({ delivery }) => delivery.id),
        records.map(({ delivery }) => delivery.lease_token),
        this.lease.id,
      ],
    );
    return rows.map(({ id }) => id);
  }

  private async postpone(manager: EntityManager, records: readonly AttemptRecord[]): Promise<string[]> {
    if (records.length === 0) return [];
    const [rows]: [{ id: string }[], number] = await manager.query(
      `update deliveries d set state = 'waiting', due_at = given.due_at, reason = given.reason, lease_owner = null,
         lease_until = null, attempt = given.attempt
       from unnest($1::uuid[], $2::bigint[], $4::timestamptz[], $5::text[], $6::int[]) as given(id, token, due_at, reason, attempt)
       where d.id = given.id and d.lease_token = given.token and d.lease_owner = $3 and d.state = 'leased'
       returning d.id`,
      [
        records.map(({ delivery }) => delivery.id),
        records.map(({ delivery }) => delivery.lease_token),
        this.lease.id,
        records.map(({ nextAttemptAt }) => nextAttemptAt),
        records.map(waitReason),
        records.map(({ delivery, counted }) => (counted ? delivery.attempt : delivery.attempt - 1)),
      ],
    );
    return rows.map(({ id }) => id);
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
      records.map(({ answer }) => answer?.smtp_code ?? null),
      records.map(({ answer }) => answer?.enhanced_status_code ?? null),
      records.map(({ answer }) => answer?.response?.slice(0, 1_000) ?? null),
      records.map(({ answer }) => answer?.command ?? null),
      records.map(({ answer }) => answer?.classification ?? null),
      records.map(({ remoteHost }) => remoteHost),
      records.map(({ tls }) => tls),
      records.map(({ uncertain }) => uncertain),
    ],
  );
}
