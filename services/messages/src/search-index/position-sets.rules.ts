// Sets of positions in a segment, the format of `search_postings.positions`. The first byte is the form.

const LIST = 0;
const BITS = 1;
const ALL = 2;
const HASHED = 3;
const ALL_BITS = 0xff;
const HASHED_BYTES = 4;

/** @param positions ascending, each below `size` */
export function writePositions(positions: readonly number[], size: number): Buffer {
  if (positions.length === size) return Buffer.from([ALL]);
  if (positions.length * 2 < size / 8) {
    const list = Buffer.alloc(1 + positions.length * 2);
    list[0] = LIST;
    positions.forEach((position, nth) => list.writeUInt16LE(position, 1 + nth * 2));
    return list;
  }
  const bits = Buffer.alloc(1 + Math.ceil(size / 8));
  bits[0] = BITS;
  const own = bits.subarray(1);
  for (const position of positions) setBit(own, position);
  return bits;
}

function setBit(bits: Uint8Array, position: number): void {
  bits[position >> 3] = (bits[position >> 3] ?? 0) | (1 << (position & 7));
}

/** Positions with a hash of 16 bits each. */
export function writeHashedPositions(entries: readonly { position: number; hash: number }[]): Buffer {
  const bytes = Buffer.alloc(1 + entries.length * HASHED_BYTES);
  bytes[0] = HASHED;
  entries.forEach(({ position, hash }, nth) => {
    bytes.writeUInt16LE(hash, 1 + nth * HASHED_BYTES);
    bytes.writeUInt16LE(position, 3 + nth * HASHED_BYTES);
  });
  return bytes;
}

/** A set of positions in memory: a bit each. */
export class PositionSet {
  private constructor(
    private readonly bits: Uint8Array,
    private readonly size: number,
  ) {}

  static none(size: number): PositionSet {
    return new PositionSet(new Uint8Array(Math.ceil(size / 8)), size);
  }

  static all(size: number): PositionSet {
    return new PositionSet(new Uint8Array(Math.ceil(size / 8)).fill(ALL_BITS), size);
  }

  add(position: number): void {
    setBit(this.bits, position);
  }

  /** @param hash of a hashed set: adds only positions with this hash */
  addWritten(written: Buffer, hash?: number): void {
    switch (written[0]) {
      case ALL:
        this.bits.fill(ALL_BITS);
        return;
      case BITS:
        for (let at = 0; at < this.bits.length; at++)
          this.bits[at] = (this.bits[at] ?? 0) | (written[at + 1] ?? 0);
        return;
      case LIST:
        for (let at = 1; at < written.length; at += 2) this.add(written.readUInt16LE(at));
        return;
      case HASHED:
        for (let at = 1; at < written.length; at += HASHED_BYTES) {
          if (written.readUInt16LE(at) === hash) this.add(written.readUInt16LE(at + 2));
        }
        return;
      default:
        throw new Error(`unknown form of positions: ${written[0]}`);
    }
  }

  keepOnly(other: PositionSet): void {
    for (let at = 0; at < this.bits.length; at++)
      this.bits[at] = (this.bits[at] ?? 0) & (other.bits[at] ?? 0);
  }

  /** Ascending. */
  positions(): number[] {
    const found: number[] = [];
    for (let at = 0; at < this.bits.length; at++) {
      const byte = this.bits[at] ?? 0;
      if (byte === 0) continue;
      for (let bit = 0; bit < 8; bit++) {
        if (byte & (1 << bit)) found.push(at * 8 + bit);
      }
    }
    // the last byte may have unused bits
    return this.size % 8 === 0 ? found : found.filter((position) => position < this.size);
  }
}
