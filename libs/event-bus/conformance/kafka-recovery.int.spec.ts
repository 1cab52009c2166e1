import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transient } from '@postmesh/contracts';
import { describe, expect, test } from 'vitest';
import { startKafka } from '../../../tools/real/kafka.mjs';
import { createKafkaBus } from '../src/index.js';
import { fact, facts, keysOutOfOrder, withoutRepeats } from './facts.js';
import { listen } from './listener.js';
import { kafkaBrokers, leaveOutKafka } from './real-kafka.js';

async function losesAndFindsItsBroker(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'postmesh-kafka-'));
  const first = await startKafka({ dir });
  const brokers = first.env.KAFKA_BROKERS.split(',');
  const bus = await createKafkaBus({ brokers, clientId: 'recovery', sessionTimeoutMs: 6_000 });
  const { diary, subscription } = await listen(bus, { group: 'readers' });
  const before = facts(10, 3);
  await bus.publish(before);
  await diary.until((written) => written.distinct() >= before.length);

  process.kill(first.pid, 'SIGKILL');
  await expect(bus.publish([fact('key-0', 99)])).rejects.toBeInstanceOf(Transient);
  await expect.poll(() => subscription.ready(), { timeout: 40_000 }).toBe(false);
  expect(bus.ready()).toBe(false);
  const second = await startKafka({ dir, keepData: true });

  await expect.poll(() => subscription.ready(), { timeout: 40_000 }).toBe(true);
  const after = Array.from({ length: 10 }, (_, key) => fact(`key-${key}`, 3));
  await bus.publish(after);
  expect(bus.ready()).toBe(true);
  await diary.until((written) => written.distinct() >= before.length + after.length);
  expect(keysOutOfOrder(withoutRepeats(diary.events))).toEqual([]);
  await bus.close();
  await second.stop();
  await rm(dir, { recursive: true, force: true });
}

describe('the Kafka bus', { timeout: 120_000 }, () => {
  if (kafkaBrokers) {
    test('is not ready while its broker is gone, and goes on when it is back', losesAndFindsItsBroker);
  } else {
    test('goes on when its broker is back (needs Kafka)', () =>
      leaveOutKafka('recovery of the Kafka driver'));
  }
});
