import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { memberOf } from '@postmesh/service-testing';
import { DnsHostDouble } from '../testing/dns-host-double.js';
import { domainsUnderTest } from '../testing/domains-under-test.js';

const folder = mkdtempSync(join(tmpdir(), 'postmesh-dc-'));
let host: DnsHostDouble;

const domains = domainsUnderTest(async () => {
  host = await DnsHostDouble.start();
  const extraCaFile = join(folder, 'ca.pem');
  writeFileSync(extraCaFile, host.ca);
  return {
    extraCaFile,
    outgoingHttpAllow: ['127.0.0.0/8'],
    baseUrl: 'https://mail.example.com',
    domainConnectProviderId: 'mail.example.com',
    domainConnectName: 'Example Mail',
    domainConnectKey: generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey,
  };
});
afterAll(async () => {
  await host?.close();
  rmSync(folder, { recursive: true });
});

const keys = new Map<string, string[]>();

beforeEach(async () => {
  const { status, body } = await domains.service.internal('GET', '/operator/domain-connect/template');
  expect(status).toBe(200);
  host.template = body.template;
  host.status = undefined;
  host.zones.clear();
  host.requests.length = 0;
  for (const { host: name } of body.key_records) keys.set(name, []);
  for (const { host: name, content } of body.key_records) keys.get(name)?.push(content);
  domains.dns.set('A', 'dc.host.test', '127.0.0.1');
});
afterAll(() => expect(host.faults).toEqual([]));

const ask = (domain: string, account = domains.service.accountId) =>
  domains.service.call('GET', `/console/api/domains/${domain}/setup-link`, {
    principal: memberOf(account, 'Developer'),
  });
const linkOf = async (domain: string) => (await ask(domain)).body;

/** A domain in a zone of the host, which its name server says. */
async function hosted(domain: string, zone = domain, settings: object = {}) {
  const made = await domains.create({ domain });
  expect(made.status).toBe(201);
  host.zones.set(zone, settings);
  domains.dns.set('TXT', `_domainconnect.${zone}`, host.pointer);
  return made.body;
}

const apply = (url: string) => host.apply(url, async (name) => keys.get(name)?.toReversed() ?? []);
type Row = { type: string; host: string; content: string };
const rows = (records: readonly Row[]) =>
  records.map(({ type, host: name, content }) => `${type} ${name} ${content}`).toSorted();

describe('the set-up link of a domain', () => {
  it('lets its DNS host publish every missing record, and the domain may send', async () => {
    const made = await hosted('shop.test');
    const link = await linkOf('shop.test');
    expect(link).toMatchObject({ reason: null, dns_host: 'Example DNS', zone: 'shop.test', by_hand: [] });
    const published = await apply(link.url);
    expect(rows(published)).toEqual(rows(link.changes));
    expect(rows(published)).toEqual(rows(made.dns_records));
    expect(host.requests).toEqual([
      'GET /dc/v2/shop.test/settings',
      'GET /api/v2/domainTemplates/providers/mail.example.com/services/mail',
    ]);
    for (const { type, host: name, content } of published) domains.dns.set(type as 'TXT', name, content);
    await domains.publishOwnZone();
    expect((await domains.check('shop.test')).body.dns_valid).toBe(true);
    expect(await linkOf('shop.test')).toMatchObject({ url: null, reason: 'nothing_missing', changes: [] });
  });

  it('is for the zone above, with the labels of the domain, and leaves mail exchangers alone', async () => {
    const body = { domain: 'mail.zone.test', tracking_subdomain: 'go', dkim_selector: 'own' };
    expect((await domains.create(body)).status).toBe(201);
    host.zones.set('zone.test', {});
    domains.dns.set('TXT', '_domainconnect.zone.test', host.pointer);
    const link = await linkOf('mail.zone.test');
    const { searchParams } = new URL(link.url);
    expect(Object.fromEntries(searchParams)).toMatchObject({
      domain: 'zone.test',
      host: 'mail',
      selector: 'own',
      tracking: 'go',
    });
    expect(rows(await apply(link.url))).toEqual(rows(link.changes));
    expect(link.by_hand.map(({ type }: Row) => type)).toEqual(['MX']);
  });

  it('names only the records that are missing, and what was found in their place', async () => {
    const made = await hosted('partly.test');
    await domains.publish(made, ['DMARC', 'Tracking']);
    domains.dns.set('TXT', '_dmarc.partly.test', 'v=DMARC1; p=maybe');
    await domains.check('partly.test');
    const link = await linkOf('partly.test');
    expect(
      link.changes.map(({ label, found }: { label: string; found: string | null }) => [label, found]),
    ).toEqual([
      ['DMARC', expect.stringContaining('p=maybe')],
      ['Tracking', expect.anything()],
    ]);
    const query = new URL(link.url).searchParams;
    expect([query.get('groupId'), query.has('selector')]).toEqual(['dmarc,tracking', false]);
    expect(rows(await apply(link.url))).toEqual(rows(link.changes));
  });

  it('is refused by the host when anything in it was changed', async () => {
    await hosted('signed.test');
    const { url } = await linkOf('signed.test');
    for (const changed of [
      url.replace('tracking=track', 'tracking=evil'),
      url.replace('domain=signed.test', 'domain=other.test'),
      url.replace(/sig=[^&]+/, 'sig=AAAA'),
      `${url}&z=1`,
    ])
      await expect(apply(changed)).rejects.toThrow('the signature is wrong');
  });
});

describe('there is no link', () => {
  it('for the domain of another account, and for one that does not exist', async () => {
    await hosted('theirs.test');
    expect((await ask('theirs.test', newId())).status).toBe(404);
    expect((await ask('none.test')).status).toBe(404);
    expect(host.requests).toEqual([]);
  });

  it('without a DNS host that speaks the protocol, and for a zone that it does not have', async () => {
    await domains.create({ domain: 'plain.test' });
    expect(await linkOf('plain.test')).toMatchObject({ url: null, reason: 'no_dns_host', dns_host: null });
    expect((await linkOf('plain.test')).changes.length).toBeGreaterThan(3);
    domains.dns.set('TXT', '_domainconnect.plain.test', host.pointer);
    expect(await linkOf('plain.test')).toMatchObject({ url: null, reason: 'no_dns_host' });
  });

  it('where the host does not know the template, or has no page', async () => {
    await hosted('untaken.test');
    host.template = undefined;
    expect(await linkOf('untaken.test')).toMatchObject({
      url: null,
      reason: 'template_unknown',
      dns_host: 'Example DNS',
    });
    await hosted('nopage.test', 'nopage.test', { urlSyncUX: null });
    expect(await linkOf('nopage.test')).toMatchObject({ url: null, reason: 'template_unknown' });
  });

  it('while the host or the name server does not answer', async () => {
    await hosted('silent.test');
    host.status = 503;
    expect(await linkOf('silent.test')).toMatchObject({ url: null, reason: 'dns_host_unreachable' });
    host.status = undefined;
    domains.dns.misbehave('_domainconnect.silent.test', 'servfail');
    expect(await linkOf('silent.test')).toMatchObject({ url: null, reason: 'dns_host_unreachable' });
  });

  it.each([
    ['a page without TLS', { urlSyncUX: 'http://dc.host.test/sync' }],
    ['a script as its page', { urlSyncUX: 'javascript:alert(1)' }],
    ['a page with a query', { urlSyncUX: 'https://dc.host.test/sync?next=' }],
    ['a page with a name of a user', { urlSyncUX: 'https://bank.test@dc.host.test/' }],
    ['a demand that we do not know', { crit: ['vnd.host.newFlow'], 'vnd.host.newFlow': true }],
    ['no address of its API', { urlAPI: null }],
  ])('from a host with %s', async (what, settings) => {
    const domain = `bad-${what.length}-${what.at(-1)}.test`;
    await hosted(domain, domain, settings);
    expect(await linkOf(domain)).toMatchObject({ url: null, reason: 'no_dns_host' });
  });

  it.each([
    'https://dc.host.test/dc',
    'dc.host.test/dc?x=',
    'dc.host.test/#',
    'user@dc.host.test',
    '',
    ' ',
    'a b',
  ])('for the record %j, which is no address', async (text) => {
    await hosted('record.test').catch(() => undefined);
    domains.dns.set('TXT', '_domainconnect.record.test', text);
    expect(await linkOf('record.test')).toMatchObject({ url: null, reason: 'no_dns_host' });
    expect(host.requests).toEqual([]);
    await domains.service.call('DELETE', domains.path('/record.test'));
  });

  it.each(['10.0.0.1', '169.254.169.254', 'private.test'])(
    'and no request for a host in a private network: %s',
    async (target) => {
      domains.dns.set('A', 'private.test', '192.168.1.1');
      const domain = `to-${target}`.replaceAll('.', '-') + '.test';
      await domains.create({ domain });
      domains.dns.set('TXT', `_domainconnect.${domain}`, `${target}:${host.port}/dc`);
      expect(await linkOf(domain)).toMatchObject({ url: null, reason: 'dns_host_unreachable' });
      expect(host.requests).toEqual([]);
    },
  );
});
