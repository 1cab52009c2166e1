import { createPublicKey, createSign, createVerify } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { afterAll, describe, expect, it } from 'vitest';
import { DomainFacts } from '@postmesh/domains-contract';
import { SYSTEM_ACCOUNT_ID } from '@postmesh/contracts';
import { SendingDomains } from '../domain-store/sending-domains.repository.js';
import { NewDomains } from '../sending-domains/new-domains.js';
import { domainsUnderTest } from '../testing/domains-under-test.js';
import { SystemDomain } from './system-domain.js';

let folder: string;
const domains = domainsUnderTest(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postmesh-bans-'));
  const bannedDomainsFile = join(folder, 'banned.txt');
  await writeFile(bannedDomainsFile, 'svc.test\n');
  return { bannedDomainsFile, domainLimit: 1, sendingAddresses: ['192.0.2.1'] };
});
afterAll(() => rm(folder, { recursive: true }));

interface Row {
  type: 'TXT' | 'CNAME' | 'MX';
  host: string;
  content: string;
  label: string;
}

const put = (domain: unknown) => domains.service.internal('PUT', '/internal/system-domain', { domain });
const ensure = async (domain: string) => DomainFacts.parse((await put(domain)).body);
const operator = (method: 'GET' | 'DELETE', rest = '') =>
  domains.service.internal(method, `/operator/system-domain${rest}`);
/** the records of a name in the published zone */
const published = async (type: string, host: string) => {
  const { body } = await domains.service.internal('GET', '/operator/zone');
  const records: Row[] = [...body.domains.flatMap((item: any) => item.records), ...body.serviceRecords]; // eslint-disable-line typescript/no-explicit-any
  return records
    .filter((record) => record.type === type && record.host === host)
    .map(({ content }) => content);
};
const own = async (domain: string) =>
  (
    await domains.sql('select * from domains where domain = $1 and account_id = $2', [
      domain,
      SYSTEM_ACCOUNT_ID,
    ])
  )[0];

describe('the domain of the service’s own messages', () => {
  it('is created at the first request: once for concurrent requests, despite ban list and limit', async () => {
    const facts = await Promise.all(Array.from({ length: 5 }, () => ensure(' SVC.test.')));
    expect(new Set(facts.map(({ domain_id }) => domain_id)).size).toBe(1);
    expect(facts[0]).toMatchObject({
      account_id: SYSTEM_ACCOUNT_ID,
      domain: 'svc.test',
      dns_valid: false,
      return_path_host: null,
      revision: 1,
    });
    expect((await ensure('second.test')).account_id).toBe(SYSTEM_ACCOUNT_ID);
    expect(await ensure('second.test')).toEqual(await ensure('second.test'));
  });

  it('is created once by several processes at the same time', async () => {
    const { service } = domains.service;
    const processes = [1, 2, 3].map(
      () => new SystemDomain(service.get(DataSource), service.get(SendingDomains), service.get(NewDomains)),
    );
    const made = await Promise.all(processes.map((process) => process.ensure('race.test')));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(await domains.sql(`select from domains where domain = 'race.test'`)).toHaveLength(1);
  });

  it('has its records published in the service’s own zone, none of them pointing at itself', async () => {
    await ensure('svc.test');
    expect(await published('TXT', 'svc.test')).toEqual(['v=spf1 include:spf.svc.test ~all']);
    expect(await published('TXT', '_dmarc.svc.test')).toEqual([expect.stringMatching(/^v=DMARC1; /)]);
    for (const host of ['rp', 'track', 'subs', 'media']) {
      expect(await published('CNAME', `${host}.svc.test`)).toEqual([]);
    }
    expect(await published('TXT', 'rp.svc.test')).toEqual(['v=spf1 ip4:192.0.2.1 -all']);
  });

  it('has signatures that the published key verifies', async () => {
    const { domain_id } = await ensure('svc.test');
    const { body: key } = await domains.service.internal('GET', `/internal/domains/${domain_id}/signing-key`);
    expect(key).toMatchObject({ domain: 'svc.test', selector: 'system' });
    const signature = createSign('sha256').update('a message').sign(key.private_key_pem);
    const [alias] = await published('CNAME', `${key.selector}._domainkey.${key.domain}`);
    const [text] = await published('TXT', alias!);
    const der = Buffer.from(/ p=(\S+)$/.exec(text!)![1]!, 'base64');
    const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
    expect(createVerify('sha256').update('a message').verify(publicKey, signature)).toBe(true);
  });

  it('is shown to the operator with its records and its state', async () => {
    const first = await operator('GET');
    expect([first.status, first.body]).toEqual([
      200,
      expect.objectContaining({ object: 'domain', domain: 'svc.test', dns_valid: false }),
    ]);
    expect(
      first.body.dns_records.map(({ label, host, propagated }: Row & { propagated: boolean }) => [
        label,
        host,
        propagated,
      ]),
    ).toEqual([
      ['SPF', 'svc.test', false],
      ['DKIM', 'system._domainkey.svc.test', false],
      ['DKIM standby', 'system2._domainkey.svc.test', false],
      ['DMARC', '_dmarc.svc.test', false],
    ]);
    await domains.publish(first.body);
    await domains.recheck('svc.test');
    expect((await operator('GET')).body).toMatchObject({ dns_valid: true, rotation_ready: true });
    expect(await ensure('svc.test')).toMatchObject({ dns_valid: true, return_path_host: null });
  });

  it('is checked like any other, but a failure causes no notice', async () => {
    const { domain_id } = await ensure('fails.test');
    for (const record of await recordsOf('fails.test'))
      domains.dns.set(record.type, record.host, record.content);
    await domains.publishOwnZone();
    await domains.recheck('fails.test');
    domains.dns.set('TXT', '_dmarc.fails.test');
    for (const _ of [1, 2, 3]) await domains.recheck('fails.test');
    expect(await own('fails.test')).toMatchObject({ id: domain_id, state: 'invalid' });
    expect((await operator('DELETE', '/fails.test')).status).toBe(200);
    const told = await domains.events('fails.test', 4);
    expect(told.map(({ type, data }) => [type, data.dns_valid, data.deleted])).toEqual([
      ['domain-changed', false, false],
      ['domain-changed', true, false],
      ['domain-changed', false, false],
      ['domain-changed', false, true],
    ]);
  });

  it('cannot be added by an account while the service has it', async () => {
    await ensure('brand.test');
    const refused = await domains.create({ domain: 'brand.test' }, { account_id: domains.account() });
    expect([refused.status, refused.body]).toEqual([409, { message: 'domain already exists' }]);
    expect((await operator('DELETE', '/Brand.test')).body).toEqual({
      message: 'domain deleted successfully',
    });
    expect((await operator('DELETE', '/brand.test')).status).toBe(404);
    expect((await domains.create({ domain: 'brand.test' }, { account_id: domains.account() })).status).toBe(
      201,
    );
  });

  it('is an account’s domain if that is valid, and never an unconfirmed one', async () => {
    const account_id = domains.account();
    const made = await domains.create({ domain: 'ours.test' }, { account_id });
    const before = await ensure('ours.test');
    expect(before.account_id).toBe(SYSTEM_ACCOUNT_ID);
    await domains.publish(made.body);
    await domains.check('ours.test', { account_id });
    expect(await ensure('ours.test')).toMatchObject({
      domain_id: made.body.id,
      account_id,
      dns_valid: true,
      return_path_host: 'rp.ours.test',
    });
  });

  it('400 for an invalid domain', async () => {
    for (const bad of ['nonsense', 7, undefined]) expect((await put(bad)).status).toBe(400);
  });
});

async function recordsOf(domain: string): Promise<Row[]> {
  const { body } = await domains.service.internal('GET', '/operator/zone');
  return body.domains.find((item: { domain: string }) => item.domain === domain).records;
}
