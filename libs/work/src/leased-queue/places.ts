import { Permits } from '@postmesh/concurrency';
import { fairShare, FairPermits } from './fair-permits.js';
import { BULK, SINGLE, type GroupRooms, type Lane, type LeasedItem } from './leased-table.js';

/** The counted fields of a row in flight. */
export type InPlace = Pick<LeasedItem, 'accountId' | 'key' | 'lane'>;

/** The limits of one claim: see claim.sql.ts. */
export interface ClaimBounds {
  readonly limit: number;
  readonly bulkLimit: number;
  readonly groups: readonly NamedGroup[];
  readonly otherGroups: number;
  readonly accounts: readonly { readonly id: string; readonly room: number }[];
  readonly otherAccounts: number;
  /** how much lower the limit of an account is for bulk */
  readonly lessForBulk: number;
  /** what accounts have in flight of each group */
  readonly flows: readonly { readonly accountId: string; readonly key: string; readonly used: number }[];
}

export interface NamedGroup {
  readonly key: string;
  readonly room: number;
  /** visited by every claim, outside of the round-robin */
  readonly isVisited: boolean;
}

// An account may have three times as many permits as stay free, a group as many as stay free.
const ACCOUNT_SHARE = 3;
const GROUP_SHARE = 1;
// Share of the permits that is reserved for singles, rounded down.
const RESERVE = 0.1;

/**
 * The permits of a worker: rows in flight, in total, of each group and of each account, and what may still begin. Bulk
 * has fewer permits than singles, so that singles find some under any load of bulk, also of their own account.
 */
export class Places {
  private busy = 0;
  private readonly reserve: number;
  private readonly groups: FairPermits;
  private readonly accounts: FairPermits;
  /** in flight of one account and group */
  private readonly flows = new Permits(Number.POSITIVE_INFINITY);

  constructor(
    private readonly total: number,
    private readonly rooms: GroupRooms,
  ) {
    this.reserve = Math.floor(total * RESERVE);
    this.groups = new FairPermits((key) => rooms.of(key), GROUP_SHARE);
    this.accounts = new FairPermits(() => total, ACCOUNT_SHARE);
  }

  get inUse(): number {
    return this.busy;
  }

  free(lane: Lane = SINGLE): number {
    return this.total - this.busy - (lane === BULK ? this.reserve : 0);
  }

  /** Whether a free permit may be of use to other groups than its own. */
  get areNarrow(): boolean {
    const free = this.free(BULK);
    return free <= 0 || this.accounts.areShort(free) || this.groups.areShort(free);
  }

  /** @param most permits that the caller has left besides these */
  tryOccupy(row: InPlace, most: number): boolean {
    const free = Math.min(most, this.free(row.lane));
    if (free <= 0 || this.accounts.free(row.accountId, this.free(row.lane)) === 0) return false;
    const room = this.groups.free(row.key, this.free());
    if (flowRoom(room, this.flows.inUseOf(flowOf(row))) <= 0) return false;
    this.occupy(row);
    return true;
  }

  occupy(row: InPlace): void {
    this.busy++;
    this.groups.occupy(row.key);
    this.accounts.occupy(row.accountId);
    this.flows.occupy(flowOf(row));
  }

  vacate(row: InPlace): void {
    this.busy--;
    this.groups.release(row.key);
    this.accounts.release(row.accountId);
    this.flows.release(flowOf(row));
  }

  /**
   * @param visited groups to be visited in addition to those with work in flight, whose permits become free
   * @param named groups that have a name in the claim for another reason
   */
  bounds(limit: number, visited: readonly string[], named: readonly string[]): ClaimBounds {
    const free = this.free();
    const groups = new Map<string, NamedGroup>();
    const add = (key: string, isVisited: boolean) =>
      groups.set(key, { key, room: this.groups.free(key, free), isVisited });
    for (const [key] of this.rooms.entries()) add(key, false);
    for (const key of named) add(key, false);
    for (const key of [...this.groups.keys(), ...visited]) add(key, true);
    return {
      limit,
      bulkLimit: Math.max(0, Math.min(limit, this.free(BULK))),
      groups: [...groups.values()],
      otherGroups: fairShare(0, this.rooms.others, { workerFree: free, share: GROUP_SHARE }),
      accounts: this.accounts.keys().map((id) => ({ id, room: this.accounts.free(id, free) })),
      otherAccounts: fairShare(0, this.total, { workerFree: free, share: ACCOUNT_SHARE }),
      lessForBulk: Math.ceil((this.reserve * ACCOUNT_SHARE) / (1 + ACCOUNT_SHARE)),
      flows: [...this.flows.entries()].map(([flow, used]) => ({ ...readFlow(flow), used })),
    };
  }
}

/** An account may have three times as many permits of a group as stay free for others: claim.sql.ts has it as SQL. */
const flowRoom = (groupRoom: number, used: number): number => Math.ceil((3 * groupRoom - used) / 4);

const flowOf = ({ accountId, key }: Pick<InPlace, 'accountId' | 'key'>): string => `${accountId} ${key}`;

function readFlow(flow: string): { accountId: string; key: string } {
  const at = flow.indexOf(' ');
  return { accountId: flow.slice(0, at), key: flow.slice(at + 1) };
}
