import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { nameAndParents, PublishedRecord, RecordIndex } from './records.rules.js';

/** Failure of a zone's name servers: an error, or no answer at all. */
export const ZoneFailure = z.enum(['servfail', 'refused', 'silent']);
export type ZoneFailure = z.infer<typeof ZoneFailure>;

const Zone = z.object({
  name: z.string(),
  records: z.array(PublishedRecord),
  failure: ZoneFailure.optional(),
  /** signed: answers carry AD, as from a validating resolver (RFC 4035 §3.2.3) */
  secure: z.boolean().optional(),
});
export type Zone = z.infer<typeof Zone>;

/** State of the zone that covers a name. */
export interface CoveringZone {
  index: RecordIndex;
  failure: ZoneFailure | undefined;
  secure: boolean;
}

/** More are a mistake of the caller; each costs memory for good. */
export const MAX_ZONES = 1_000;

/** Zones published through the control API: they replace all other records at their name and below. */
export class Zones {
  private readonly zones = new Map<string, Zone & { index: RecordIndex }>();

  /** @param path JSON file that keeps the zones over a restart */
  constructor(private readonly path: string) {
    try {
      for (const zone of z.array(Zone).parse(JSON.parse(readFileSync(path, 'utf8')))) this.set(zone);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
        throw new Error(`${path} cannot be read: remove it to start without its zones`, { cause: error });
      }
    }
  }

  hasRoomFor(name: string): boolean {
    return this.zones.size < MAX_ZONES || this.zones.has(name);
  }

  put(zone: Zone): void {
    this.set(zone);
    this.save();
  }

  /** @returns false when there was no such zone */
  remove(name: string): boolean {
    const removed = this.zones.delete(name);
    if (removed) this.save();
    return removed;
  }

  list(): Zone[] {
    return [...this.zones.values()].map(({ index: _index, ...zone }) => zone);
  }

  /** The zone that covers a name, the longest zone name first. */
  covering(name: string): CoveringZone | undefined {
    if (this.zones.size === 0) return undefined;
    for (const candidate of nameAndParents(name)) {
      const zone = this.zones.get(candidate);
      if (zone !== undefined)
        return { index: zone.index, failure: zone.failure, secure: zone.secure === true };
    }
    return undefined;
  }

  private set(zone: Zone): void {
    this.zones.set(zone.name, { ...zone, index: new RecordIndex(zone.records) });
  }

  private save(): void {
    writeFileSync(`${this.path}.new`, JSON.stringify(this.list()), { mode: 0o600 });
    renameSync(`${this.path}.new`, this.path);
  }
}
