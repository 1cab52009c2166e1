import { newId, PARTITIONS_PER_STREAM } from '@postmesh/contracts';
import { expect, test } from 'vitest';
import { partitionOf } from './partition.rules.js';

test('a key always has the same partition', () => {
  expect(partitionOf('gmail.com/3')).toBe(partitionOf('gmail.com/3'));
  expect([partitionOf(''), partitionOf('a'), partitionOf('ключ')].every((partition) => partition >= 0)).toBe(
    true,
  );
});

test.each([
  { keys: 'ids', make: () => newId() },
  { keys: 'sharded names', make: (n: number) => `example-${n % 100}.test/${n % 7}` },
])('$keys spread evenly over the partitions', ({ make }) => {
  const counts = Array.from({ length: PARTITIONS_PER_STREAM }, () => 0);
  const total = PARTITIONS_PER_STREAM * 1_000;
  const seen = new Set(Array.from({ length: total }, (_, n) => make(n)));
  for (const key of seen) counts[partitionOf(key)]! += 1;
  const fair = seen.size / PARTITIONS_PER_STREAM;
  expect(Math.min(...counts)).toBeGreaterThan(fair * 0.5);
  expect(Math.max(...counts)).toBeLessThan(fair * 1.5);
});
