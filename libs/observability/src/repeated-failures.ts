import { outageOf } from '@postmesh/contracts';

const EVERY_MS = 30_000;
// Above the number of existing kinds of lines; further kinds are always logged.
const MAX_KINDS = 1_000;

/**
 * While a store is unavailable, or full, every use of it fails, and one line says as much as seven hundred: one line
 * per event and cause is logged in half a minute, with the number of lines omitted before it.
 */
export class RepeatedFailures {
  private readonly kinds = new Map<string, { toldAt: number; leftOut: number }>();

  constructor(private readonly clock: () => number = () => performance.now()) {}

  /** @param fields of the line, with the failure as `err` @returns the fields to log; undefined: omit the line */
  admit(fields: unknown): unknown {
    if (typeof fields !== 'object' || fields === null || !('err' in fields)) return fields;
    const outage = outageOf(fields.err);
    if (outage === undefined) return fields;
    const kind = `${'event' in fields ? String(fields.event) : ''} ${outage}`;
    const now = this.clock();
    const known = this.kinds.get(kind);
    if (known && now - known.toldAt < EVERY_MS) {
      known.leftOut += 1;
      return undefined;
    }
    if (this.kinds.size >= MAX_KINDS) this.kinds.clear();
    this.kinds.set(kind, { toldAt: now, leftOut: 0 });
    return known && known.leftOut > 0 ? { ...fields, left_out: known.leftOut } : fields;
  }
}
