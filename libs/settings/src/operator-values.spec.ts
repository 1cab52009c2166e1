import { describe, expect, it } from 'vitest';
import { CATALOGUE } from './catalogue.js';
import { loadSettings, type SettingName } from './load.js';

const settings = loadSettings({});

const VALUES: readonly (readonly [value: string, setting: SettingName, expected: unknown])[] = [
  // our prefix differs from the example of the contract
  ['KEY_PREFIX', 'keyPrefix', 'pm'],
  ['SERVICE_DNS_ZONE', 'serviceZone', 'postmesh.test'],
  ['DNS_RESOLVERS', 'dnsServers', []],
  ['TRUSTED_PROXIES', 'trustedProxies', []],
  ['PLATFORM_PARTNER_DEFAULT', 'platformPartner', true],
  ['DOMAIN_LIMIT', 'domainLimit', 10_000],
  ['DNS_MODE_DEFAULT', 'dnsMode', 'managed'],
  ['PRICE_PER_MESSAGE', 'pricePerMessage', 0],
  ['CURRENCY', 'currency', 'usd'],
  ['RATE_GENERAL', 'rateGeneralPerSecond', 100],
  ['RATE_GENERAL', 'rateGeneralBurst', 200],
  ['RATE_STATISTICS', 'rateStatisticsPerSecond', 1],
  ['RATE_STATISTICS', 'rateStatisticsBurst', 1],
  ['BODY_LIMIT_BYTES', 'bodyLimitBytes', 30_000_000],
  ['IDEMPOTENCY_LEASE_S', 'idempotencyLeaseSeconds', 300],
  ['IDEMPOTENCY_TTL_S', 'idempotencyTtlSeconds', 86_400],
  ['IDEMPOTENCY_SECRET_TTL_S', 'idempotencySecretTtlSeconds', 300],
  // false = no private network may be called
  ['ALLOW_PRIVATE_TARGETS', 'outgoingHttpAllow', []],
  ['RETENTION_DEFAULT_DAYS', 'retentionMetadataDays', 7],
  ['RETENTION_DEFAULT_DAYS', 'retentionDataDays', 7],
];

describe('§16 values that an operator sets', () => {
  it.each(VALUES)('§16 %s is the setting %s with the default %j', (_value, name, expected) => {
    expect(settings[name]).toEqual(expected);
  });

  it('§16 each can be set', () => {
    const other: Partial<Record<SettingName, [text: string, value: unknown]>> = {
      keyPrefix: ['eds', 'eds'],
      serviceZone: ['mail.example', 'mail.example'],
      dnsServers: ['192.0.2.1:53,192.0.2.2', ['192.0.2.1:53', '192.0.2.2']],
      trustedProxies: ['10.0.0.0/8', ['10.0.0.0/8']],
      platformPartner: ['off', false],
      domainLimit: ['5', 5],
      dnsMode: ['manual', 'manual'],
      pricePerMessage: ['0.001', 0.001],
      currency: ['EUR', 'eur'],
      rateGeneralPerSecond: ['7', 7],
      rateGeneralBurst: ['8', 8],
      rateStatisticsPerSecond: ['2', 2],
      rateStatisticsBurst: ['3', 3],
      bodyLimitBytes: ['2000', 2_000],
      idempotencyLeaseSeconds: ['2', 2],
      idempotencyTtlSeconds: ['3', 3],
      idempotencySecretTtlSeconds: ['4', 4],
      outgoingHttpAllow: ['10.0.0.0/8', ['10.0.0.0/8']],
      retentionMetadataDays: ['30', 30],
      retentionDataDays: ['0', 0],
    };
    const names = Object.keys(other) as SettingName[];
    const read = loadSettings(
      Object.fromEntries(names.map((name) => [CATALOGUE[name].env, other[name]?.[0]])),
    );
    for (const name of names) expect([name, read[name]]).toEqual([name, other[name]?.[1]]);
    expect(new Set(names)).toEqual(new Set(VALUES.map(([, name]) => name)));
  });
});
