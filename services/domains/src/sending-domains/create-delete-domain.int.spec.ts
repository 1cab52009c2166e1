import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { DOMAIN_FACTS_USABLE_MS } from '@postmesh/domains-contract';
import { domainsUnderTest } from '../testing/domains-under-test.js';

// proven again: requests that meet, events, rows, and a file of banned names
let folder: string;
const domains = domainsUnderTest(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postmesh-bans-'));
  const bannedDomainsFile = join(folder, 'banned.txt');
  await writeFile(bannedDomainsFile, '# spammers\nbad.test\n');
  return { bannedDomainsFile, domainLimit: 60 };
});
afterAll(() => rm(folder, { recursive: true }));

const pem = (type: 'pkcs1' | 'pkcs8', bits = 1024) =>
  generateKeyPairSync('rsa', { modulusLength: bits }).privateKey.export({ type, format: 'pem' }).toString();

describe('§11.3 create a domain', () => {
  it('publishes an event', async () => {
    const made = await domains.create({ domain: 'published.test' });
    const [event] = await domains.events('published.test', 1);
    expect(event).toMatchObject({
      type: 'domain-changed',
      key: made.body.id,
      account_id: domains.service.accountId,
    });
    expect(event?.data).toEqual({
      domain_id: made.body.id,
      account_id: domains.service.accountId,
      domain: 'published.test',
      dns_valid: false,
      paused: false,
      deleted: false,
      sending_type: 'transactional',
      return_path_host: null,
      tracking_host: null,
      subscription_host: null,
      signing_key: expect.stringMatching(/^[\w-]{16}$/),
      revision: 1,
    });
  });

  it('does not wait for name servers that fail', async () => {
    domains.dns.misbehave('*', 'servfail');
    expect((await domains.create({ domain: 'dark.test' })).status).toBe(201);
  });

  it('makes two sealed keys of the configured size', async () => {
    const made = await domains.create({ domain: 'keys.test' });
    const rows = await domains.sql('select * from dkim_keys where domain_id = $1 order by slot', [
      made.body.id,
    ]);
    expect(rows).toMatchObject([
      { slot: 1, bits: 1024, own: false, activated_at: expect.any(Date) },
      { slot: 2, bits: 1024, own: false, activated_at: null },
    ]);
    expect(rows[0].private_key).toMatch(/^v1\./);
    expect(rows[0].public_key).not.toBe(rows[1].public_key);
  });
});

describe('§11.3 errors of create', () => {
  it.each(['bad.test', 'mail.BAD.test'])('400 for %s, which is banned', async (domain) => {
    const refused = await domains.create({ domain });
    expect([refused.status, refused.body]).toEqual([
      400,
      { message: expect.stringMatching(/^domain is banned to protect our network/) },
    ]);
  });

  it('one of many concurrent creates wins', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => domains.create({ domain: 'race.test' })));
    expect(all.map((given) => given.status).sort()).toEqual([201, 409, 409, 409, 409]);
  });

  it('403 above the limit, also for two concurrent creates of the last one', async () => {
    const account_id = domains.account();
    await domains.service.internal('PUT', `/operator/accounts/${account_id}/settings`, { domain_limit: 1 });
    const both = await Promise.all(
      ['l1.test', 'l2.test'].map((domain) => domains.create({ domain }, { account_id })),
    );
    expect(both.map((given) => given.status).sort()).toEqual([201, 403]);
    const refused = both.find((given) => given.status === 403);
    expect(refused?.body).toEqual({ message: 'domain limit reached' });
  });
});

describe('§11.2 manual DNS', () => {
  it.each(['pkcs1', 'pkcs8'] as const)('a partner supplies an RSA key in %s', async (type) => {
    const key = pem(type);
    const made = await domains.create({
      domain: `own-${type}.test`,
      dkim_private_key: key,
      dkim_selector: 'own',
    });
    const publicKey = createPublicKey(createPrivateKey(key))
      .export({ type: 'spki', format: 'der' })
      .toString('base64');
    expect(made.status).toBe(201);
    expect(made.text).not.toContain('PRIVATE');
    expect(made.body.dns_records[1]).toEqual({
      label: 'DKIM',
      type: 'TXT',
      host: `own._domainkey.own-${type}.test`,
      content: `v=DKIM1; k=rsa; p=${publicKey}`,
      required: true,
      propagated: false,
    });
    const labels = made.body.dns_records.map((record: { label: string }) => record.label);
    expect(labels).toEqual(['SPF', 'DKIM', 'DMARC', 'Return-Path', 'Tracking', 'Subscription', 'Media']);
    expect(JSON.stringify(await domains.sql('select * from dkim_keys'))).not.toContain('PRIVATE');
  });

  it.each([
    ['an RSA key that is too small', pem('pkcs8', 512)],
    [
      'another kind of key',
      generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    ],
    [
      'a public key',
      generateKeyPairSync('rsa', { modulusLength: 1024 })
        .publicKey.export({ type: 'spki', format: 'pem' })
        .toString(),
    ],
    ['half a key', pem('pkcs8').slice(0, 300)],
  ])('%s is refused', async (_name, key) => {
    const refused = await domains.create({ domain: 'badkey.test', dkim_private_key: key });
    expect([refused.status, refused.body]).toEqual([
      400,
      { message: 'invalid dkim_private_key (an RSA key of at least 1024 bits, in PEM)' },
    ]);
  });
});

describe('§11.3 delete a domain', () => {
  it('deletes its keys and verdicts, and publishes an event', async () => {
    const { id } = await domains.valid('bye.test');
    const gone = await domains.service.call('DELETE', domains.path('/bye.test'));
    expect([gone.status, gone.body]).toEqual([200, { message: 'domain deleted successfully' }]);
    expect((await domains.get('bye.test')).status).toBe(404);
    for (const table of ['dkim_keys', 'dns_records']) {
      expect(await domains.sql(`select from ${table} where domain_id = $1`, [id])).toEqual([]);
    }
    const events = await domains.events('bye.test', 3);
    expect(events.at(-1)?.data).toMatchObject({
      domain_id: id,
      deleted: true,
      dns_valid: false,
      revision: 3,
    });
  });

  it.each([
    ['a deletion', () => domains.service.call('DELETE', domains.path('/ends.test'))],
    ['a pause', () => domains.operate('ends.test/pause', { body: { reason: 'x' } })],
  ])('%s is answered once no service uses the facts from before it (ADR 95)', async (_what, end) => {
    await domains.valid('ends.test');
    const begun = performance.now();
    expect((await end()).status).toBe(200);
    // a timer may be early by a part of a millisecond
    expect(performance.now() - begun).toBeGreaterThan(DOMAIN_FACTS_USABLE_MS - 2);
  });
});
