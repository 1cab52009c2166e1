import { parentsOf, wireName } from './host-name.rules.js';
import type { PublishedRecord, PublishedZone } from './published-zone.js';
import { parseRecord, type ZoneRecord } from './record-text.rules.js';

/** Records by name, and the names that exist only because something stands below them (RFC 8020). */
export class RecordIndex {
  private readonly records = new Map<string, ZoneRecord[]>();
  private readonly existing = new Set<string>();
  /** Records that cannot be published: unknown type, content or name that fits no packet. */
  unusable = 0;

  static of(zone: PublishedZone): RecordIndex {
    const index = new RecordIndex();
    for (const domain of zone.domains) index.addAll(domain.records);
    index.addAll(zone.serviceRecords);
    return index;
  }

  addAll(records: readonly PublishedRecord[]): this {
    for (const record of records) this.add(record);
    return this;
  }

  at(name: string): readonly ZoneRecord[] {
    return this.records.get(name) ?? [];
  }

  exists(name: string): boolean {
    return this.existing.has(name);
  }

  private add({ type, host, content }: PublishedRecord): void {
    const name = wireName(host);
    const record = parseRecord(type, content);
    if (name === undefined || record === undefined) {
      this.unusable += 1;
      return;
    }
    const here = this.records.get(name);
    if (here === undefined) {
      this.records.set(name, [record]);
      this.existing.add(name);
      for (const parent of parentsOf(name)) this.existing.add(parent);
    } else if (!hides(here, record)) {
      here.push(record);
    }
  }
}

/**
 * Two accounts may own the same domain. Its zone can hold their equal records once, and one CNAME only
 * (RFC 1034 §3.6.2): the first to have been published stays.
 */
function hides(here: readonly ZoneRecord[], added: ZoneRecord): boolean {
  if (added.type === 'CNAME') return here.some((record) => record.type === 'CNAME');
  return here.some((record) => record.type === added.type && sameData(record, added));
}

function sameData(one: ZoneRecord, other: ZoneRecord): boolean {
  return JSON.stringify(one.data) === JSON.stringify(other.data);
}
