import { FAILED, lookUp, type KnownRecords, type LookUp } from './look-up.rules.js';
import type { PublishedRecords } from './published-records.js';
import type { RecordIndex } from './records.rules.js';
import type { Zones } from './zones.js';

// Far above the concurrent questions of one machine; beyond it a question fails and does not wait in memory.
const MAX_WAITING_QUESTIONS = 10_000;

/** Answers questions about names, for the DNS server and for the verification of messages alike. */
export class NameService {
  private waiting = 0;

  constructor(
    private readonly zones: Zones,
    private readonly published: PublishedRecords,
    private readonly house: KnownRecords['house'] = () => undefined,
  ) {}

  /** For the verification of many messages per second: records that were read a moment ago are good enough. */
  async recent(name: string, type: string): Promise<LookUp> {
    const found = this.lookUp(name, type, this.published.recent());
    return found.outcome === 'found' && !found.isDefault ? found : this.answer(name, type);
  }

  /** The current answer: a check right after a change of a domain sees the change. */
  async answer(name: string, type: string): Promise<LookUp> {
    const withoutPublished = this.lookUp(name, type, undefined);
    if (withoutPublished.outcome !== 'unknown') return withoutPublished;
    if (this.waiting >= MAX_WAITING_QUESTIONS) return FAILED;
    this.waiting += 1;
    try {
      return this.lookUp(name, type, await this.published.fresh());
    } catch {
      return this.lastKnown(name, type);
    } finally {
      this.waiting -= 1;
    }
  }

  /**
   * Records that cannot be read do not mean "no such name": those of the last reading are still answered, and for the
   * rest the resolver must retry. The absence of an MX is also taken from the last reading: a domain accepts mail
   * elsewhere only after a check that read its records.
   */
  private lastKnown(name: string, type: string): LookUp {
    const found = this.lookUp(name, type, this.published.stale());
    return found.outcome === 'found' ? found : FAILED;
  }

  private lookUp(name: string, type: string, published: RecordIndex | undefined): LookUp {
    const zone = (covered: string) => this.zones.covering(covered);
    return lookUp({ zone, house: (owner) => this.house?.(owner), published }, name, type);
  }
}
