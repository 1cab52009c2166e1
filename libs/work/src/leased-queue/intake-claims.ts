import type { NewRow } from './leased-table.js';

// Longer than the transaction of an intake. Rows that are not handed over by then are given back by their lease.
const HAND_OVER_MS = 15_000;

/** Rows that an intake inserts as claimed: their permits are in use, and the commit is not known yet. */
export interface IntakeClaim {
  readonly ids: ReadonlySet<string>;
  /** @returns whether the rows are still this claim's to begin */
  end(): boolean;
}

/** The claims of intakes whose commit is not known yet. */
export class IntakeClaims {
  private readonly open = new Set<ReadonlySet<string>>();

  /**
   * @param rows with a permit each
   * @param release gives the permits back
   * @param onLost the transaction failed, or its end was not reported: the rows may be leased or not
   */
  add(rows: readonly NewRow[], release: (rows: readonly NewRow[]) => void, onLost: () => void): IntakeClaim {
    const ids = new Set(rows.map(({ id }) => id));
    this.open.add(ids);
    const end = () => {
      clearTimeout(timer);
      const wasOpen = this.open.delete(ids);
      if (wasOpen) release(rows);
      return wasOpen;
    };
    const timer = setTimeout(() => {
      if (end()) onLost();
    }, HAND_OVER_MS).unref();
    return { ids, end };
  }

  /** Ids that may be committed and are about to begin: they must not be given back. */
  ids(): string[] {
    return [...this.open].flatMap((ids) => [...ids]);
  }
}
