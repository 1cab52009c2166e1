import { describe, expect, it } from 'vitest';
import { houseOf } from '../testing/virtual-house.js';
import { VirtualQueue } from '../testing/virtual-queue.js';

const HOUR = 3_600_000;
const MESSAGE_MS = 200;
const [ANY, GOOGLE, OUTLOOK] = ['m:0123456789abcdef', 'p:google', 'p:outlook'];

/** A house that has more mail than it takes, for some hours; then what it took and refused in some more. */
async function share(
  name: string,
  groupKey: string,
  { aMinute, learns, measured }: { aMinute: number; learns: number; measured: number },
) {
  const queue = new VirtualQueue(await houseOf(name), groupKey, MESSAGE_MS);
  queue.due = 10_000_000;
  const begin = queue.now;
  await queue.run(() => false, begin + learns * HOUR);
  const { delivered, refused } = queue;
  await queue.run(() => false, begin + (learns + measured) * HOUR);
  return {
    used: (queue.delivered - delivered) / (aMinute * 60 * measured),
    refused: (queue.refused - refused) / (queue.delivered - delivered),
  };
}

describe('a learnt limit, in virtual time', () => {
  // measured over a try above the limit, and the time until the next one
  it.each([
    ['outlookish', OUTLOOK, { aMinute: 100, learns: 3, measured: 24 }],
    ['outlookish', ANY, { aMinute: 100, learns: 2, measured: 4 }],
    ['googleish', GOOGLE, { aMinute: 300, learns: 2, measured: 10 }],
    ['googleish', ANY, { aMinute: 300, learns: 2, measured: 4 }],
    ['limited', ANY, { aMinute: (2 * 60_000) / MESSAGE_MS, learns: 1, measured: 2 }],
  ])(
    '%s as %s: 85 %% of what it takes are used after some hours, and it refuses next to nothing',
    async (name, groupKey, given) => {
      const { used, refused } = await share(name, groupKey, given);
      expect(used).toBeGreaterThan(0.85);
      expect(used).toBeLessThanOrEqual(1);
      expect(refused).toBeLessThan(0.01);
    },
    120_000,
  );
});
