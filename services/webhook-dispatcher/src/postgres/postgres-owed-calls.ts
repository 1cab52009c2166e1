import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { newId } from '@postmesh/contracts';
import type { ClaimedCall, ClaimRequest, NewCall, OwedCalls } from '../dispatch/owed-calls.port.js';

// Twice the longest call: what is not written down by then was cut off, and is made again.
export const LEASE_SECONDS = 20;

// Host by host, so that a receiver with a long backlog hides nobody: one index probe per host that is owed
// anything, then only as many rows of each as it has room for. Whoever locks a row first has it.
const CLAIM = `
  with recursive hosts as (
    (select host from owed_calls order by host limit 1)
    union all
    select (select owed.host from owed_calls owed where owed.host > hosts.host order by owed.host limit 1)
    from hosts where hosts.host is not null),
  chosen as materialized (
    select due.id, due.due_at
    from hosts
    left join unnest($1::text[], $2::int[]) as busy(host, room) on busy.host = hosts.host
    cross join lateral (
      select owed.id, owed.due_at from owed_calls owed
      where owed.host = hosts.host and owed.due_at <= now()
        and (owed.leased_until is null or owed.leased_until < now())
      order by owed.due_at limit coalesce(busy.room, $3)) as due
    where hosts.host is not null
    order by due.due_at, due.id limit $4),
  held as materialized (
    select id from owed_calls
    where id in (select id from chosen) and (leased_until is null or leased_until < now())
    for update skip locked)
  update owed_calls owed
  set lease = owed.lease + 1, leased_by = $5, leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
  from held where owed.id = held.id
  returning owed.id, owed.webhook_id as "webhookId", owed.account_id as "accountId", owed.trace, owed.host, owed.url,
    owed.sealed_secret as "sealedSecret", owed.webhook_message_id as "webhookMessageId",
    owed.event_type as "eventType", owed.body, owed.attempts + 1 as attempt, owed.lease, owed.due_at as "dueAt"`;

/** The owed calls in this service's own tables. */
@Injectable()
export class PostgresOwedCalls implements OwedCalls {
  /** tells dispatchers apart in the table; the lease, not this name, decides */
  private readonly self = newId();

  constructor(private readonly dataSource: DataSource) {}

  async claim({ limit, rooms, perHost }: ClaimRequest): Promise<ClaimedCall[]> {
    const [rows]: [(ClaimedCall & { dueAt: Date })[], number] = await this.dataSource.query(CLAIM, [
      rooms.map(({ host }) => host),
      rooms.map(({ room }) => room),
      perHost,
      limit,
      this.self,
    ]);
    // what was queued first is begun first: a reception before its outcome
    return rows.sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime() || (a.id < b.id ? -1 : 1));
  }

  async nextDueInMs(): Promise<number | undefined> {
    const rows: { ms: number }[] = await this.dataSource.query(
      `select (extract(epoch from due_at - now()) * 1000)::float8 as ms from owed_calls
       where leased_until is null or leased_until < now() order by due_at limit 1`,
    );
    return rows[0]?.ms;
  }

  /** Part of the intake's transaction. A call that is owed already is not owed twice. */
  async add(manager: EntityManager, calls: readonly NewCall[]): Promise<void> {
    if (calls.length === 0) return;
    await manager.query(
      `insert into owed_calls (id, webhook_id, account_id, trace, host, url, sealed_secret, webhook_message_id,
         event_type, body, due_at)
       select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[],
         $8::text[], $9::text[], $10::text[], $11::timestamptz[])
       on conflict do nothing`,
      [
        calls.map((call) => call.id),
        calls.map((call) => call.webhookId),
        calls.map((call) => call.accountId),
        calls.map((call) => call.trace),
        calls.map((call) => new URL(call.url).host),
        calls.map((call) => call.url),
        calls.map((call) => call.sealedSecret),
        calls.map((call) => call.webhookMessageId),
        calls.map((call) => call.eventType),
        calls.map((call) => call.body),
        calls.map((call) => call.dueAt),
      ],
    );
  }

  /** Part of the intake's transaction. @returns how many calls are no longer owed */
  async drop(manager: EntityManager, webhookIds: readonly string[]): Promise<number> {
    const [, count]: [unknown, number] = await manager.query(
      'delete from owed_calls where webhook_id = any($1::uuid[])',
      [webhookIds],
    );
    return count;
  }
}
