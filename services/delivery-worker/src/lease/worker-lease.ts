import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { newId } from '@postmesh/contracts';

/** A worker that has said nothing for this long is dead, and what it held is free. */
export const WORKER_SILENCE_S = 10;
// A beat that comes later than this met trouble: of ours, or of the database and then of everybody.
const LATE_BEAT_MS = 5_000;
const LARGEST_STEP = 1_000;

/** Who this worker is, that it lives, and what dead workers left behind. */
@Injectable()
export class WorkerLease {
  readonly id = newId();
  private beatAt: number | undefined;
  private lateAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly dataSource: DataSource) {}

  async heartbeat(): Promise<void> {
    await this.dataSource.query(
      `insert into workers (id, started_at, heartbeat_at) values ($1, now(), now())
       on conflict (id) do update set heartbeat_at = now()`,
      [this.id],
    );
    const now = performance.now();
    if (this.beatAt !== undefined && now - this.beatAt > LATE_BEAT_MS) this.lateAt = now;
    this.beatAt = now;
  }

  async leave(): Promise<void> {
    await this.dataSource.query('delete from workers where id = $1', [this.id]);
  }

  /** An attempt may last longer than its lease: what this worker is still at is not given to others. */
  async renew(ids: readonly string[], leaseSeconds: number): Promise<void> {
    await this.dataSource.query(
      `update deliveries set lease_until = now() + make_interval(secs => $3)
       where id = any($2::uuid[]) and lease_owner = $1 and state = 'leased'`,
      [this.id, ids, leaseSeconds],
    );
  }

  /**
   * Frees deliveries whose worker died or whose lease ran out, due at once. The attempt that was under way
   * is written down as one whose end nobody knows: it may have arrived (architecture §3.9).
   * @returns how many were freed
   */
  async freeAbandoned(): Promise<number> {
    const rows: { freed: string }[] = await this.dataSource.query(
      `with abandoned as materialized (
         select id from deliveries d
         where state = 'leased' and (lease_until < now() or ($3 and not exists (
           select from workers w where w.id = d.lease_owner and w.heartbeat_at > now() - make_interval(secs => $1))))
         limit $2 for update skip locked),
       freed as (
         update deliveries d set state = 'waiting', due_at = now(), lease_owner = null, lease_until = null,
           lease_token = d.lease_token + 1, reason = 'its worker stopped in the middle of an attempt'
         from abandoned a where d.id = a.id
         returning d.id, d.attempt),
       written as (
         insert into attempts (delivery_id, attempt, outcome, finished_at, uncertain)
         select id, attempt, 'unknown', now(), true from freed on conflict do nothing)
       select count(*) as freed from freed`,
      [WORKER_SILENCE_S, LARGEST_STEP, this.mayCallOthersDead()],
    );
    return Number(rows[0]?.freed ?? 0);
  }

  /** Forgets workers that are long dead; their leases were freed before. */
  async forgetDead(): Promise<void> {
    await this.dataSource.query(
      `delete from workers w where heartbeat_at < now() - interval '1 hour'
         and not exists (select from deliveries d where d.lease_owner = w.id and d.state = 'leased')`,
    );
  }

  /** When the database was away, everybody was silent: the others get their time to be heard again. */
  private mayCallOthersDead(): boolean {
    return performance.now() - this.lateAt > WORKER_SILENCE_S * 1_000;
  }
}
