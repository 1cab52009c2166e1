import { parentsOf, wireName } from './host-name.rules.js';
import type { PublishedRecord } from './published-zone.js';
import { RecordIndex } from './record-index.js';

export interface HandZone {
  name: string;
  records: PublishedRecord[];
}

/** More are a mistake of the caller; each costs memory for ever. */
const MOST_ZONES = 1_000;

/** Zones published by hand: they replace everything else at their name and below, the longest name first. */
export class HandZones {
  private readonly zones = new Map<string, HandZone & { index: RecordIndex }>();

  constructor(private readonly keep: (zones: HandZone[]) => Promise<void> = async () => {}) {}

  /** @throws RangeError when there is no room for one more zone */
  async put(zone: HandZone): Promise<void> {
    if (this.zones.size >= MOST_ZONES && !this.zones.has(zone.name)) {
      throw new RangeError(`no more than ${MOST_ZONES} zones`);
    }
    this.restore(zone);
    await this.keep(this.list());
  }

  restore(zone: HandZone): void {
    this.zones.set(zone.name, { ...zone, index: new RecordIndex().addAll(zone.records) });
  }

  async remove(name: string): Promise<boolean> {
    const removed = this.zones.delete(wireName(name) ?? '');
    if (removed) await this.keep(this.list());
    return removed;
  }

  list(): HandZone[] {
    return [...this.zones.values()].map(({ name, records }) => ({ name, records }));
  }

  covering(name: string): { name: string; records: RecordIndex } | undefined {
    if (this.zones.size === 0) return undefined;
    for (const candidate of [name, ...parentsOf(name)]) {
      const zone = this.zones.get(candidate);
      if (zone !== undefined) return { name: zone.name, records: zone.index };
    }
    return undefined;
  }
}
