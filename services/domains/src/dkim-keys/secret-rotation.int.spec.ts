import { createPrivateKey, createPublicKey } from 'node:crypto';
import { rotateSecrets, startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { DataSource } from 'typeorm';
import { afterEach, expect, it } from 'vitest';
import { DOMAINS_SERVICE } from '../domains.definition.js';
import { startTestDnsServer } from '../testing/test-dns-server.js';

const A = 'the-key-of-the-first-year-long-enough';
const B = 'the-key-of-the-second-year-long-enough';
const database = testDatabase();
let service: TestService | undefined;
afterEach(() => service?.stop());

/** Like a process that was restarted with other settings. */
async function restart(dns: string, ...secretKeys: string[]): Promise<TestService> {
  await service?.stop();
  const settings = { dnsServers: [dns], serviceZone: 'svc.test', secretKeys };
  const neighbours = { accounts: () => ({ status: 404, body: {} }) };
  service = await startTestService(DOMAINS_SERVICE, { databaseUrl: database.url, settings, neighbours });
  return service;
}

it('private keys are never stored in clear, and survive a rotation of the secret keys', async () => {
  const dns = await startTestDnsServer();
  const first = await restart(dns.address, A);
  const path = `/v2/accounts/${first.accountId}/domains`;
  const made = await first.call('POST', path, { body: { domain: 'shop.test' } });
  expect(made.status).toBe(201);
  const signingKey = `/internal/domains/${made.body.id}/signing-key`;
  const before = await first.internal('GET', signingKey);
  expect(await tablesWith(first.service.get(DataSource), 'PRIVATE KEY')).toEqual([]);
  expect(await tablesWith(first.service.get(DataSource), 'shop.test')).toContain('domains.domains');

  const both = await restart(dns.address, B, A);
  const keys = await both.service.get(DataSource).query('select count(*)::int as count from dkim_keys');
  const { 'dkim-keys': rotated } = await rotateSecrets(both);
  expect(rotated).toMatchObject({ current: keys[0].count, older: 0, unreadable: 0, state: 'current' });

  const last = await restart(dns.address, B);
  const after = await last.internal('GET', signingKey);
  expect([after.status, after.body]).toEqual([200, before.body]);
  expect(createPublicKey(createPrivateKey(after.body.private_key_pem)).asymmetricKeyType).toBe('rsa');
  await dns.close();
});

/** Searches every row of every table, as text, for a word. */
async function tablesWith(dataSource: DataSource, word: string): Promise<string[]> {
  const tables: { name: string }[] = await dataSource.query(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const text = `select from ${name} one where one::text like $1 limit 1`;
    const rows: unknown[] = await dataSource.query(text, [`%${word}%`]);
    if (rows.length > 0) found.push(name);
  }
  return found;
}
