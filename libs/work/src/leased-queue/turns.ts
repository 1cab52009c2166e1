import { SINGLE, type LeasedItem } from './leased-table.js';

/** The position of a claimed row in the round-robin: see claim.sql.ts. */
export interface ClaimedTurn extends Pick<LeasedItem, 'accountId' | 'key' | 'lane'> {
  /** of its group, 0 when the group was visited out of turn */
  readonly groupNth: number;
  /** of its account, in its group and lane */
  readonly accountNth: number;
}

type Cursor = { single: string | null; bulk: string | null };

// Most groups of one account that are visited out of turn: enough for the arrivals between two claims.
const MAX_FRESH_OF_ACCOUNT = 50;
const MAX_FRESH_ACCOUNTS = 100;
const FRESH_MS = 5_000;
const MAX_CURSORS = 200;
// Eight singles, then one of bulk.
const LANE_TURNS = 9;
const NO_CURSOR: Cursor = { single: null, bulk: null };

/**
 * The round-robin state of this worker: where the next claim continues among groups and, in a group, among accounts.
 * Groups with new rows are visited out of turn, so that a row never waits for a walk over all groups of others.
 */
export class Turns {
  /** the last group that was visited in turn */
  afterGroup = '';
  private claims = 0;
  private readonly cursors = new Map<string, Cursor>();
  /** groups by account, with the time until which they are visited, by `performance.now()` */
  private readonly fresh = new Map<string, Map<string, number>>();

  /** 0..8, one more from claim to claim */
  get lanes(): number {
    return this.claims % LANE_TURNS;
  }

  /** The accounts that were served last. */
  cursorOf(key: string): Cursor {
    return this.cursors.get(key) ?? NO_CURSOR;
  }

  /** Groups whose last account is known. */
  cursorGroups(): string[] {
    return [...this.cursors.keys()];
  }

  /** A single row arrived there that no claim has seen. @param now by `performance.now()` */
  came(accountId: string, key: string, now: number): void {
    if (!this.fresh.has(accountId)) limitSize(this.fresh, MAX_FRESH_ACCOUNTS);
    const groups = this.fresh.get(accountId) ?? new Map<string, number>();
    if (!groups.has(key)) limitSize(groups, MAX_FRESH_OF_ACCOUNT);
    this.fresh.set(accountId, groups.set(key, now + FRESH_MS));
  }

  freshGroups(now: number): string[] {
    for (const [accountId, groups] of this.fresh) {
      for (const [key, until] of groups) if (until < now) groups.delete(key);
      if (groups.size === 0) this.fresh.delete(accountId);
    }
    return [...this.fresh.values()].flatMap((groups) => [...groups.keys()]);
  }

  /**
   * @param lastGroup the last group that the claim visited in turn
   * @param isFull the claim reached its limit, so that groups at the end of its walk may have got too few
   */
  claimed(rows: readonly ClaimedTurn[], lastGroup: string | null, isFull: boolean): void {
    this.claims++;
    const furthest = new Map<string, number>();
    for (const { accountId, key, lane, accountNth } of rows) {
      this.fresh.get(accountId)?.delete(key);
      const stream = `${lane} ${key}`;
      if ((furthest.get(stream) ?? 0) > accountNth) continue;
      furthest.set(stream, accountNth);
      this.moveCursor(key, lane === SINGLE ? { single: accountId } : { bulk: accountId });
    }
    const last = rows.reduce((most, row) => (row.groupNth > most.groupNth ? row : most), NO_TURN);
    this.afterGroup = (isFull && last.groupNth > 0 ? last.key : lastGroup) ?? '';
  }

  private moveCursor(key: string, change: Partial<Cursor>): void {
    const cursor = { ...this.cursorOf(key), ...change };
    this.cursors.delete(key);
    limitSize(this.cursors, MAX_CURSORS);
    this.cursors.set(key, cursor);
  }
}

const NO_TURN = { key: '', groupNth: 0 };

/** Removes the oldest entry when the map is full. */
function limitSize<K, V>(map: Map<K, V>, max: number): void {
  if (map.size < max) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
