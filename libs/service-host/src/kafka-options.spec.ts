import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from '@postmesh/settings';
import { describe, expect, it } from 'vitest';
import { kafkaOptions } from './kafka-options.js';

const optionsOf = (given: Record<string, string>) =>
  kafkaOptions(loadSettings({ KAFKA_BROKERS: 'kafka:9092', ...given }));
const LOGIN = { KAFKA_SASL_USERNAME: 'mail', KAFKA_SASL_PASSWORD: 'secret' };

describe('the connection to Kafka', () => {
  it('is unencrypted and without a login by default', async () => {
    const asked = { brokers: ['kafka:9092'], prefix: 'postmesh.', ssl: false, sasl: undefined };
    expect(await optionsOf({})).toEqual(asked);
  });

  it('has TLS, a CA and a login according to the settings', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'postmesh-ca-'));
    await writeFile(join(folder, 'ca.pem'), 'a certificate');
    const mechanism = { KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512', ...LOGIN };
    const found = await optionsOf({ KAFKA_SSL: 'on', KAFKA_CA_FILE: join(folder, 'ca.pem'), ...mechanism });
    expect(found).toMatchObject({
      ssl: { ca: 'a certificate' },
      sasl: { mechanism: 'scram-sha-512', username: 'mail', password: 'secret' },
    });
    expect(await optionsOf({ KAFKA_SSL: 'on' })).toMatchObject({ ssl: true, sasl: undefined });
    await rm(folder, { recursive: true });
  });

  it.each([
    [{ KAFKA_CA_FILE: '/ca.pem' }, 'KAFKA_CA_FILE needs KAFKA_SSL=on'],
    [{ KAFKA_SSL: 'on', KAFKA_CA_FILE: '/nowhere/ca.pem' }, 'KAFKA_CA_FILE cannot be read'],
    [{ KAFKA_SASL_USERNAME: 'mail' }, 'need KAFKA_SASL_MECHANISM'],
    [{ KAFKA_SASL_MECHANISM: 'scram-sha-256', KAFKA_SASL_USERNAME: 'mail' }, 'needs KAFKA_SASL_USERNAME and'],
    [{ KAFKA_SASL_MECHANISM: 'plain', ...LOGIN }, 'KAFKA_SASL_MECHANISM=plain needs KAFKA_SSL=on'],
  ])('%j: %s', async (given, told) => {
    await expect(optionsOf(given)).rejects.toThrow(told);
  });
});
