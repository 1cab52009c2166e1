import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transient } from '@postmesh/contracts';
import { freePort } from '@postmesh/database';
import { selfSignedCertificate } from '@postmesh/secrets';
import { expect, test } from 'vitest';
import { startKafka } from '../../../tools/real/kafka.mjs';
import { createKafkaBus } from '../src/index.js';
import { isRefused } from '../src/kafka/final-failure.js';
import type { KafkaBusOptions } from '../src/kafka/kafka-client.js';
import { facts } from './facts.js';
import { listen } from './listener.js';
import { kafkaBrokers, leaveOutKafka } from './real-kafka.js';

async function reachesSecuredBrokers(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'postmesh-kafka-'));
  const { key, cert } = selfSignedCertificate(['localhost']);
  const { username, password } = { username: 'mail', password: 'a-password' };
  const kafka = await startKafka({ dir, login: { username, password, key, cert } });
  const sasl = { mechanism: 'scram-sha-512', username, password } as const;
  const options = { brokers: [kafka.secured ?? ''], clientId: 'secured', ssl: { ca: cert }, sasl };

  const bus = await createKafkaBus(options);
  const { diary } = await listen(bus, { group: 'readers' });
  await bus.publish(facts(5, 2));
  await diary.until((written) => written.distinct() >= 10);
  await bus.close();

  const wrong = { ...sasl, password: 'another' };
  for (const change of [{ sasl: wrong }, { sasl: undefined }, { ssl: true }, { ssl: false }]) {
    await expect(publishOnce({ ...options, ...change })).rejects.toBeInstanceOf(Transient);
  }
  // a start ends at once with what no other try cures
  for (const change of [{ sasl: wrong }, { sasl: { ...sasl, mechanism: 'plain' as const } }, { ssl: true }])
    expect(isRefused(await failureOf({ ...options, ...change }))).toBe(true);
  // a broker does not answer a client without TLS, and neither does one that still starts
  const notYet = { brokers: [`127.0.0.1:${await freePort()}`] };
  for (const change of [{ ssl: false }, { sasl: undefined }, notYet])
    expect(isRefused(await failureOf({ ...options, ...change }))).toBe(false);
  await kafka.stop();
  await rm(dir, { recursive: true, force: true });
}

const failureOf = (options: KafkaBusOptions): Promise<unknown> =>
  createKafkaBus(options).then(
    (bus) => bus.close().then(() => expect.unreachable('it was let in')),
    (error: unknown) => error,
  );

/** Some brokers let a client connect and refuse its requests. */
async function publishOnce(options: KafkaBusOptions): Promise<void> {
  const bus = await createKafkaBus(options);
  await bus.publish(facts(1, 1)).finally(() => bus.close());
}

if (kafkaBrokers) {
  test(
    'TLS with a CA of its own and a login by SCRAM; neither another password nor another CA',
    reachesSecuredBrokers,
    120_000,
  );
} else {
  test('Kafka with TLS and a login (needs brokers)', () =>
    leaveOutKafka('TLS and logins of the Kafka driver'));
}
