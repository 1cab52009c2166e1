import { SINGLE, type LeasedItem } from './leased-table.js';

/** The place of a claimed row in its turn: see claim.sql.ts. */
export interface ClaimedTurn extends Pick<LeasedItem, 'accountId' | 'key' | 'lane'> {
  /** of its group, 0 when the group was visited out of turn */
  readonly groupNth: number;
  /** of its account, in its group and lane */
  readonly accountNth: number;
}

type Cursor = { single: string | null; bulk: string | null };

// Of groups where something new waits: enough for what comes between two claims, and no account may fill them.
const MAX_FRESH_OF_ACCOUNT = 50;
const MAX_FRESH_ACCOUNTS = 100;
const FRESH_MS = 5_000;
const MAX_CURSORS = 200;
// Eight singles, then one of bulk.
const LANE_TURNS = 9;
const NO_CURSOR: Cursor = { single: null, bulk: null };

/**
 * Whose turn it is, as this worker knows it: where the next claim goes on among groups and, in a group, among accounts.
 * Groups where something new waits are looked at out of turn, so that nobody waits for a walk over all groups of others.
 */
export class Turns {
  /** the last group that had its turn */
  afterGroup = '';
  private claims = 0;
  private readonly cursors = new Map<string, Cursor>();
  /** groups by account, with the time until which they are looked at, by `performance.now()` */
  private readonly fresh = new Map<string, Map<string, number>>();

  /** 0..8, one more from claim to claim */
  get lanes(): number {
    return this.claims % LANE_TURNS;
  }

  /** The accounts that had their turn last. */
  cursorOf(key: string): Cursor {
    return this.cursors.get(key) ?? NO_CURSOR;
  }

  /** Groups of which it is known whose turn it was. */
  cursorGroups(): string[] {
    return [...this.cursors.keys()];
  }

  /** Something single waits there that no claim has seen. @param now by `performance.now()` */
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
   * @param lastGroup the last one that the claim looked at in turn
   * @param isFull it took as much as it might, so that groups at the end of its walk may have come short
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

/** Makes room for one more: the oldest goes. */
function limitSize<K, V>(map: Map<K, V>, max: number): void {
  if (map.size < max) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
