import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CLAIM_OLDEST, CLAIM_SPREAD, MOST_LANES } from './claim-statements.js';
import type { Rooms } from './destination-rooms.js';

/** A delivery that this worker has leased, with what its message says. */
export interface ClaimedDelivery {
  id: string;
  send_request_id: string;
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
  /** of the content, bytes */
  size: number;
  return_path_host: string;
  expires: Date | null;
  sandbox: string | null;
  /** as far as this service has heard; null: nothing */
  account_state: string | null;
}

export interface ClaimRequest {
  worker: string;
  limit: number;
  leaseSeconds: number;
  rooms: Rooms;
}

export interface OldestClaimed {
  deliveries: ClaimedDelivery[];
  /** due deliveries were seen that stay behind */
  leftBehind: boolean;
  /** so many of them at the head of the queue that others may be hidden behind them */
  clogged: boolean;
}

interface Row extends ClaimedDelivery {
  seen: number;
  last: string | null;
}

// Enough to find what has room behind a few that have none.
const SPARE_WINDOW = 50;

/** Takes due deliveries for this worker, many per statement (architecture §3.5). */
@Injectable()
export class DeliveryClaims {
  /** destinations up to here had their turn */
  private after = '';

  constructor(private readonly dataSource: DataSource) {}

  /**
   * Leases due deliveries, oldest first: the intent is on disk before the network is touched. Looks at the head
   * of the queue only, so that a claim costs the same however much waits.
   */
  async oldest(request: ClaimRequest): Promise<OldestClaimed> {
    const window = request.limit * 2 + SPARE_WINDOW;
    const rows: Row[] = await this.dataSource.query(CLAIM_OLDEST, [...parametersOf(request), window]);
    const deliveries = claimedOf(rows);
    const seen = rows[0]?.seen ?? 0;
    const leftBehind = seen > deliveries.length;
    return { deliveries, leftBehind, clogged: seen >= window && deliveries.length < request.limit };
  }

  /**
   * Leases due deliveries destination by destination, in turns: a few hundred destinations per call, each up to
   * its room, so that a backlog at the head of the queue hides nobody.
   */
  async spread(request: ClaimRequest): Promise<ClaimedDelivery[]> {
    const rows: Row[] = await this.dataSource.query(CLAIM_SPREAD, [...parametersOf(request), this.after]);
    const [first] = rows;
    const deliveries = claimedOf(rows);
    const toTheEnd = deliveries.length < request.limit && (first?.seen ?? 0) < MOST_LANES;
    this.after = toTheEnd ? '' : (first?.last ?? '');
    return deliveries;
  }

  /** Milliseconds until the next delivery is due; undefined when none waits. */
  async nextDueInMs(): Promise<number | undefined> {
    const rows: { ms: number | null }[] = await this.dataSource.query(
      `select (extract(epoch from min(due_at) - now()) * 1000)::float8 as ms from deliveries where state = 'waiting'`,
    );
    return rows[0]?.ms ?? undefined;
  }

  /**
   * Gives back whatever the worker holds and has not begun: a claim whose answer was lost, a stop.
   * @param begun ids that it may not give back
   */
  async giveBack(worker: string, begun: readonly string[]): Promise<number> {
    const [, count]: [unknown, number] = await this.dataSource.query(
      `update deliveries set state = 'waiting', attempt = attempt - 1, lease_owner = null, lease_until = null,
         first_attempt_at = case when attempt = 1 then null else first_attempt_at end,
         reason = 'its worker gave it back before the attempt'
       where lease_owner = $1 and state = 'leased' and id <> all($2::uuid[])`,
      [worker, begun],
    );
    return count;
  }
}

function parametersOf({ worker, limit, leaseSeconds, rooms }: ClaimRequest): unknown[] {
  return [worker, limit, leaseSeconds, rooms.destinations, rooms.rooms, rooms.others];
}

/** One row without a delivery tells what was seen when nothing was claimed. */
function claimedOf(rows: readonly Row[]): ClaimedDelivery[] {
  return rows.filter(({ id }) => id !== null);
}
