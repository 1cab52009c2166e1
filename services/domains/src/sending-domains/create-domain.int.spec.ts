import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { domainsUnderTest } from '../testing/domains-under-test.js';

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
  it('answers 201 with the whole resource', async () => {
    const made = await domains.create({ domain: ' Mail.Example.COM. ' });
    expect(made.status).toBe(201);
    const token = /^([a-z2-7]{16})\.d1\.dkim\.svc\.test$/.exec(made.body.dns_records[1].content)?.[1];
    expect(token).toBeDefined();
    const record = (label: string, type: string, host: string, content: string, required: boolean) => ({
      label,
      type,
      host,
      content,
      required,
      propagated: false,
    });
    expect(made.body).toEqual({
      object: 'domain',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      account_id: domains.service.accountId,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/),
      updated_at: made.body.created_at,
      domain: 'mail.example.com',
      dns_records: [
        record('SPF', 'TXT', 'mail.example.com', 'v=spf1 include:spf.svc.test ~all', true),
        record('DKIM', 'CNAME', 'managed._domainkey.mail.example.com', `${token}.d1.dkim.svc.test`, true),
        record(
          'DKIM standby',
          'CNAME',
          'managed2._domainkey.mail.example.com',
          `${token}.d2.dkim.svc.test`,
          false,
        ),
        record(
          'DMARC',
          'TXT',
          '_dmarc.mail.example.com',
          'v=DMARC1; p=quarantine; sp=none; adkim=r; aspf=r;',
          true,
        ),
        record('Return-Path', 'CNAME', 'rp.mail.example.com', 'rp.svc.test', false),
        record('Tracking', 'CNAME', 'track.mail.example.com', 'track.svc.test', false),
        record('Subscription', 'CNAME', 'subs.mail.example.com', 'subs.svc.test', false),
        record('Media', 'CNAME', 'media.mail.example.com', 'media.svc.test', false),
        record('MX', 'MX', 'mail.example.com', '10 mx.svc.test', false),
      ],
      last_dns_check_at: null,
      dns_valid: false,
      tracking_subdomain: null,
      return_path_subdomain: null,
      subscription_subdomain: null,
      media_subdomain: null,
      dkim_rotation_interval_days: null,
      dkim_selector: null,
      rotation_ready: false,
      dsn_recipient: null,
      sending_type: 'transactional',
      paused: false,
      paused_at: null,
      pause_reason: null,
    });
    expect((await domains.get('mail.example.com')).body).toEqual(made.body);
  });

  it('takes every field', async () => {
    const made = await domains.create({
      domain: 'every.test',
      tracking_subdomain: ' Click ',
      return_path_subdomain: 'bounce',
      subscription_subdomain: '',
      media_subdomain: null,
      dkim_rotation_interval_days: 30,
      dkim_selector: ' S1 ',
      sending_type: 'marketing',
    });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      tracking_subdomain: 'click',
      return_path_subdomain: 'bounce',
      subscription_subdomain: null,
      media_subdomain: null,
      dkim_rotation_interval_days: 30,
      dkim_selector: 's1',
      sending_type: 'marketing',
    });
    const hosts = made.body.dns_records.map((record: { host: string }) => record.host);
    expect(hosts).toEqual(
      expect.arrayContaining(['click.every.test', 's1._domainkey.every.test', 's12._domainkey.every.test']),
    );
    expect(hosts).toHaveLength(8);
  });

  it('tells the other services', async () => {
    const made = await domains.create({ domain: 'told.test' });
    const [event] = await domains.events('told.test', 1);
    expect(event).toMatchObject({
      type: 'domain-changed',
      key: made.body.id,
      account_id: domains.service.accountId,
    });
    expect(event?.data).toEqual({
      domain_id: made.body.id,
      account_id: domains.service.accountId,
      domain: 'told.test',
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

  it('keeps what the owner has published as SPF, within what is asked for', async () => {
    domains.dns.set('TXT', 'spf.test', 'v=spf1 mx -all', 'verification=1');
    const made = await domains.create({ domain: 'spf.test' });
    expect(made.body.dns_records[0].content).toBe('v=spf1 mx include:spf.svc.test -all');
    domains.dns.set('TXT', 'two-spf.test', 'v=spf1 mx -all', 'v=spf1 a -all');
    const two = await domains.create({ domain: 'two-spf.test' });
    expect(two.body.dns_records[0].content).toBe('v=spf1 include:spf.svc.test ~all');
  });

  it('does not wait for name servers that fail', async () => {
    domains.dns.misbehave('*', 'servfail');
    expect((await domains.create({ domain: 'dark.test' })).status).toBe(201);
  });

  it('makes two sealed keys of the size that is set', async () => {
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

  it('gives another account the same domain with its own keys', async () => {
    const one = await domains.create({ domain: 'both.test' });
    const other = await domains.create({ domain: 'both.test' }, { account_id: domains.account() });
    expect([one.status, other.status]).toEqual([201, 201]);
    expect(other.body.dns_records[1].content).not.toBe(one.body.dns_records[1].content);
  });
});

describe('§11.3 errors of create', () => {
  const INVALID = 'invalid domain name, please provide a valid fully qualified domain name.';

  it.each([
    [{}, 'domain is required'],
    [{ domain: 7 }, 'domain must be a string'],
    [{ domain: '' }, INVALID],
    [{ domain: 'localhost' }, INVALID],
    [{ domain: 'co.uk' }, INVALID],
    [{ domain: 'a_b.test' }, INVALID],
    [{ domain: '-a.test' }, INVALID],
    [{ domain: 'a..test' }, INVALID],
    [{ domain: '192.0.2.1' }, INVALID],
    [{ domain: 'a.test\r\nX: y' }, INVALID],
    [{ domain: `${'x'.repeat(64)}.test` }, INVALID],
    [{ domain: 'bad.test' }, /^domain is banned to protect our network/],
    [{ domain: 'mail.BAD.test' }, /^domain is banned to protect our network/],
    [{ domain: 'r.test', tracking_subdomain: 'a.b' }, /^tracking_subdomain must be one DNS label/],
    [{ domain: 'r.test', media_subdomain: '-a' }, /^media_subdomain must be one DNS label/],
    [{ domain: 'r.test', return_path_subdomain: 'x'.repeat(64) }, /^return_path_subdomain must be/],
    [
      { domain: 'r.test', tracking_subdomain: 'rp' },
      'the subdomains of a domain must differ from each other',
    ],
    [{ domain: 'r.test', dkim_rotation_interval_days: 0 }, 'dkim_rotation_interval_days must be at least 1'],
    [
      { domain: 'r.test', dkim_rotation_interval_days: 366 },
      'dkim_rotation_interval_days must be at most 365',
    ],
    [
      { domain: 'r.test', dkim_rotation_interval_days: 1.5 },
      'dkim_rotation_interval_days must be an integer',
    ],
    [{ domain: 'r.test', dkim_selector: 'a.b' }, /^dkim_selector must be one DNS label/],
    [{ domain: 'r.test', dkim_selector: 'x'.repeat(63) }, /^dkim_selector must be one DNS label/],
    [
      { domain: 'r.test', dkim_private_key: 'no key' },
      'invalid dkim_private_key (an RSA key of at least 1024 bits, in PEM)',
    ],
    [
      { domain: 'r.test', dkim_private_key: '' },
      'invalid dkim_private_key (an RSA key of at least 1024 bits, in PEM)',
    ],
    [{ domain: 'r.test', sending_type: 'bulk' }, 'sending_type must be one of: transactional, marketing'],
    [{ domain: 'r.test', sending_type: null }, 'sending_type must be one of: transactional, marketing'],
    [{ domain: 'r.test', sending_type: '' }, 'sending_type must be one of: transactional, marketing'],
    [{ domain: 'r.test', colour: 'red' }, 'unknown field: colour'],
    [{ domain: 'r.test', dns_valid: true }, 'dns_valid is not writable'],
    [{ domain: 'r.test', dsn_recipient: 'a@b.test' }, 'dsn_recipient is not writable'],
    [{ domain: 'localhost', tracking_subdomain: 'a.b' }, INVALID],
  ])('%j: 400', async (body, message) => {
    const refused = await domains.create(body);
    expect(refused.status).toBe(400);
    expect(refused.body).toEqual({
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    });
  });

  it('409 when this account has it', async () => {
    await domains.create({ domain: 'twice.test' });
    const refused = await domains.create({ domain: 'Twice.test.' });
    expect([refused.status, refused.body]).toEqual([409, { message: 'domain already exists' }]);
    expect(refused.headers['idempotent-replayed']).toBeUndefined();
  });

  it('one of many creates at once wins', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => domains.create({ domain: 'race.test' })));
    expect(all.map((given) => given.status).sort()).toEqual([201, 409, 409, 409, 409]);
  });

  it.each(['suspended', 'parent-suspended'] as const)('403 for an account that is %s', async (status) => {
    const refused = await domains.create({ domain: 'susp.test' }, { account: { status } });
    expect([refused.status, refused.body]).toEqual([
      403,
      { message: 'account is suspended, contact support' },
    ]);
  });

  it('403 above the limit, also when the last one is wanted twice at once', async () => {
    const account_id = domains.account();
    await domains.service.internal('PUT', `/operator/accounts/${account_id}/settings`, { domain_limit: 1 });
    const both = await Promise.all(
      ['l1.test', 'l2.test'].map((domain) => domains.create({ domain }, { account_id })),
    );
    expect(both.map((given) => given.status).sort()).toEqual([201, 403]);
    const refused = both.find((given) => given.status === 403);
    expect(refused?.body).toEqual({ message: 'domain limit reached' });
  });

  it('403 without the scope', async () => {
    const refused = await domains.create({ domain: 'x.test' }, { scopes: ['domains:read'] });
    expect([refused.status, refused.body]).toEqual([
      403,
      { message: 'insufficient permissions for the required scope' },
    ]);
  });

  it('403 for the fields of partners on an ordinary account, but not for a blank selector', async () => {
    const account = { platform_partner: false };
    const key = await domains.create({ domain: 'p1.test', dkim_private_key: pem('pkcs8') }, { account });
    const selector = await domains.create({ domain: 'p2.test', dkim_selector: 's1' }, { account });
    const blank = await domains.create({ domain: 'p3.test', dkim_selector: '  ' }, { account });
    expect([key.status, selector.status, blank.status]).toEqual([403, 403, 201]);
    expect(blank.body.dkim_selector).toBeNull();
  });
});

describe('§11.2 manual DNS', () => {
  it.each(['pkcs1', 'pkcs8'] as const)('a partner brings an RSA key in %s', async (type) => {
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

  it('has no rotation', async () => {
    const body = { domain: 'norot.test', dkim_private_key: pem('pkcs8'), dkim_rotation_interval_days: 30 };
    const refused = await domains.create(body);
    expect([refused.status, refused.body.message]).toEqual([
      400,
      'dkim_rotation_interval_days is only for domains with managed DNS',
    ]);
  });

  it('is what an account of the operator’s choice gets', async () => {
    const account_id = domains.account();
    await domains.service.internal('PUT', `/operator/accounts/${account_id}/settings`, {
      dns_mode: 'manual',
    });
    const made = await domains.create({ domain: 'manual.test' }, { account_id });
    expect(made.body.dns_records[1]).toMatchObject({ type: 'TXT', host: 'managed._domainkey.manual.test' });
    expect(made.body.dns_records[1].content).toMatch(/^v=DKIM1; k=rsa; p=MIGf/);
  });
});

describe('§4 create is idempotent', () => {
  it('replays the answer under the same key', async () => {
    const headers = { 'idempotency-key': 'create-1' };
    const first = await domains.create({ domain: 'idem.test' }, { headers });
    const again = await domains.create({ domain: 'idem.test' }, { headers });
    expect([first.status, again.status, again.headers['idempotent-replayed']]).toEqual([201, 201, 'true']);
    expect(again.text).toBe(first.text);
    const other = await domains.create({ domain: 'other.test' }, { headers });
    expect(other.status).toBe(422);
  });
});
