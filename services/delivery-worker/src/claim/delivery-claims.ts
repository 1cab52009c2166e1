import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** A delivery that this worker has leased, with what its letter says. */
export interface ClaimedDelivery {
  id: string;
  submission_id: string;
  recipient: string;
  destination: string;
  /** the number of the attempt that begins now */
  attempt: number;
  first_attempt_at: Date;
  lease_token: string;
  account_id: string;
  domain_id: string;
  domain: string;
  sender: string;
  subject: string;
  message_id_header: string;
  content_id: string;
  return_path_host: string;
  expires: Date | null;
  sandbox: string | null;
}

export interface ClaimRequest {
  worker: string;
  limit: number;
  leaseSeconds: number;
  /** destinations that have as many attempts under way as they may */
  busy: readonly string[];
}

/** Takes due deliveries for this worker, many per statement (architecture §3.5). */
@Injectable()
export class DeliveryClaims {
  constructor(private readonly dataSource: DataSource) {}

  /** Leases due deliveries, oldest first: the intent is on disk before the network is touched. */
  async claim({ worker, limit, leaseSeconds, busy }: ClaimRequest): Promise<ClaimedDelivery[]> {
    return this.dataSource.query(
      `with due as materialized (
         select id from deliveries
         where state = 'waiting' and due_at <= now() and destination <> all($4::text[])
         order by due_at limit $2 for update skip locked),
       claimed as (
         update deliveries d set state = 'leased', lease_owner = $1, lease_token = d.lease_token + 1,
           lease_until = now() + make_interval(secs => $3), attempt = d.attempt + 1,
           first_attempt_at = coalesce(d.first_attempt_at, now()), reason = 'an attempt is under way'
         from due where d.id = due.id
         returning d.id, d.submission_id, d.recipient, d.destination, d.attempt, d.first_attempt_at, d.lease_token)
       select c.*, l.account_id, l.domain_id, l.domain, l.sender, l.subject, l.message_id_header, l.content_id,
         l.return_path_host, l.expires, l.sandbox
       from claimed c join letters l using (submission_id)`,
      [worker, limit, leaseSeconds, busy],
    );
  }

  /** Milliseconds until the next delivery is due; undefined when none waits. */
  async nextDueInMs(): Promise<number | undefined> {
    const rows: { ms: number | null }[] = await this.dataSource.query(
      `select (extract(epoch from min(due_at) - now()) * 1000)::float8 as ms from deliveries where state = 'waiting'`,
    );
    return rows[0]?.ms ?? undefined;
  }

  /** Gives deliveries back that were claimed but not begun: a stop, or no room. */
  async giveBack(worker: string, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.dataSource.query(
      `update deliveries set state = 'waiting', attempt = attempt - 1, lease_owner = null, lease_until = null,
         first_attempt_at = case when attempt = 1 then null else first_attempt_at end,
         reason = 'the worker stopped before the attempt'
       where id = any($2::uuid[]) and lease_owner = $1 and state = 'leased'`,
      [worker, ids],
    );
  }
}
