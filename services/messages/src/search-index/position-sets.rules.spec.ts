import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PositionSet, writeHashedPositions, writePositions } from './position-sets.rules.js';

const SIZE = 8_192;
const read = (written: Buffer, hash?: number) => {
  const set = PositionSet.none(SIZE);
  set.addWritten(written, hash);
  return [...set.positions()];
};
const positions = fc
  .uniqueArray(fc.nat(SIZE - 1), { maxLength: 2_000 })
  .map((list) => list.sort((a, b) => a - b));

describe('positions in a segment', () => {
  it('are read as they were written', () => {
    fc.assert(
      fc.property(positions, (list) => {
        expect(read(writePositions(list, SIZE))).toEqual(list);
      }),
    );
  });

  it('take a byte when they are all, and never more than a bit each', () => {
    const all = Array.from({ length: SIZE }, (_, at) => at);
    expect(writePositions(all, SIZE)).toHaveLength(1);
    expect(read(writePositions(all, SIZE))).toEqual(all);
    expect(writePositions(all.slice(1), SIZE)).toHaveLength(1 + SIZE / 8);
    expect(writePositions([7], SIZE)).toHaveLength(3);
  });

  it('with hashes are distinguished by them', () => {
    const written = writeHashedPositions([
      { position: 3, hash: 0xffff },
      { position: 9, hash: 5 },
      { position: 8_191, hash: 0xffff },
    ]);
    expect(read(written, 0xffff)).toEqual([3, 8_191]);
    expect(read(written, 5)).toEqual([9]);
    expect(read(written, 6)).toEqual([]);
  });

  it('are joined and cut as sets', () => {
    const set = PositionSet.all(SIZE);
    const other = PositionSet.none(SIZE);
    other.addWritten(writePositions([1, 2], SIZE));
    other.add(70);
    set.keepOnly(other);
    expect([...set.positions()]).toEqual([1, 2, 70]);
    expect([...PositionSet.all(10).positions()]).toHaveLength(10);
  });

  it('in an unknown form are refused', () => {
    expect(() => read(Buffer.from([9]))).toThrow('unknown form of positions: 9');
  });
});
