import type { FreshRecords } from './fresh-records.js';
import type { HandZones } from './hand-zones.js';
import { lookUp, type LookUp } from './look-up.rules.js';

export type Reply = LookUp | { outcome: 'failed'; records: []; byDefault: false };

// Far above what one machine asks at a time; beyond it a question is refused, never kept waiting in memory.
const MOST_WAITING = 10_000;

/** Answers questions about names, for the DNS server and for the verifier of letters alike. */
export class NameService {
  private waiting = 0;

  constructor(
    private readonly zones: HandZones,
    private readonly records: FreshRecords,
  ) {}

  /**
   * For who reads letters, many a second: records that were seen a moment ago are good enough.
   */
  async recent(name: string, type: string): Promise<Reply> {
    const handZone = (asked: string) => this.zones.covering(asked);
    const now = lookUp({ handZone, published: this.records.recent() }, name, type);
    return now.outcome === 'found' && !now.byDefault ? now : this.answer(name, type);
  }

  /** As it is now: who has just changed a domain and checks it sees the change. */
  async answer(name: string, type: string): Promise<Reply> {
    const handZone = (asked: string) => this.zones.covering(asked);
    const alone = lookUp({ handZone, published: undefined }, name, type);
    if (alone.outcome !== 'unknown') return alone;
    if (this.waiting >= MOST_WAITING) return FAILED;
    this.waiting += 1;
    try {
      return lookUp({ handZone, published: await this.records.fresh() }, name, type);
    } catch {
      // Not knowing is not the same as "no such name": the asker must come again.
      return FAILED;
    } finally {
      this.waiting -= 1;
    }
  }
}

const FAILED: Reply = { outcome: 'failed', records: [], byDefault: false };
