import { PARTITIONS_PER_STREAM } from '@postmesh/contracts';
import { describe, expect, test } from 'vitest';
import { assignedTo, partitionName, partitionsOf, type Member } from './assignment.rules.js';

const member = (id: string, ...streams: string[]): Member => ({ id, streams });

describe('assignment', () => {
  test.each([1, 2, 3, 5, 12, 20])('%i members hold every partition exactly once, evenly', (count) => {
    const members = Array.from({ length: count }, (_, n) => member(`m${n}`, 'messages', 'deliveries'));
    const shares = members.map(({ id }) => assignedTo(id, members).map(partitionName));
    expect(shares.flat().sort()).toEqual(partitionsOf(['messages', 'deliveries']).map(partitionName).sort());
    const sizes = shares.map((share) => share.length);
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(2);
  });

  test('a stream goes only to those who listen to it', () => {
    const members = [member('a', 'messages'), member('b', 'messages', 'domains')];
    expect(assignedTo('a', members).every(({ stream }) => stream === 'messages')).toBe(true);
    expect(assignedTo('b', members).filter(({ stream }) => stream === 'domains')).toHaveLength(
      PARTITIONS_PER_STREAM,
    );
  });

  test('the order in which members are listed does not matter', () => {
    const members = [member('a', 'messages'), member('b', 'messages'), member('c', 'messages')];
    expect(assignedTo('b', members)).toEqual(assignedTo('b', [...members].reverse()));
  });

  test('one who is not a member gets nothing', () => {
    expect(assignedTo('z', [member('a', 'messages')])).toEqual([]);
  });
});
