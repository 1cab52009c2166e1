import { afterAll, describe, expect, it } from 'vitest';
import { knotServer, startForeignNameServer, zoneLines, type ForeignNameServer } from '@postmesh/testing';
import { domainsUnderTest } from '../testing/domains-under-test.js';

const knot = knotServer();

interface Item {
  type: string;
  host: string;
  content: string;
  label: string;
  propagated: boolean;
}

describe.runIf(knot !== undefined)('§11.4 the records on another name server', () => {
  let server: ForeignNameServer;
  const domains = domainsUnderTest(async () => {
    const zones = { 'shop.test': '', 'svc.test': '', 'broken.test': '' };
    server = await startForeignNameServer(knot as string, { zones });
    return { dnsServers: [server.address] };
  });
  afterAll(() => server?.stop());

  const seen = (resource: { dns_records: Item[] }) =>
    resource.dns_records.filter(({ propagated }) => propagated).map(({ label }) => label);
  const codes = async (domain: string) => {
    const rows: { kind: string; code: string }[] = await domains.sql(
      `select kind, problem->>'code' as code from dns_records r join domains d on d.id = r.domain_id
        where d.domain = $1 and problem is not null`,
      [domain],
    );
    return Object.fromEntries(rows.map(({ kind, code }) => [kind, code]));
  };
  const create = async (domain: string) => (await domains.create({ domain })).body;
  const record = (resource: { dns_records: Item[] }, label: string) =>
    resource.dns_records.find((item) => item.label === label) as Item;

  /** our own zone: aliases with their keys */
  const publishOwnZone = async () => {
    const zone = await domains.service.internal('GET', '/operator/zone');
    const own = (zone.body.serviceRecords as Item[]).filter(({ host }) => host.endsWith('.svc.test'));
    await server.setZone('svc.test', zoneLines(own.filter(({ type }) => type === 'TXT')));
  };

  it('are found in their required form', async () => {
    const made = await create('mail.shop.test');
    await server.setZone('shop.test', zoneLines(made.dns_records));
    await publishOwnZone();
    const checked = (await domains.check('mail.shop.test')).body;
    expect(checked).toMatchObject({ dns_valid: true, rotation_ready: true });
    expect(seen(checked)).toHaveLength(9);
    expect(await codes('mail.shop.test')).toEqual({});
  });

  it('are found in upper and lower case, along chains, in answers too long for UDP, by inheritance', async () => {
    const made = await create('news.shop.test');
    const dkim = record(made, 'DKIM');
    await publishOwnZone();
    await server.setZone(
      'shop.test',
      [
        'News TXT "V=SPF1 INCLUDE:all.Shop.test. -ALL"',
        ...Array.from({ length: 20 }, (_, at) => `news TXT "${`verification-${at}-`.repeat(12)}"`),
        'all TXT "v=spf1 a:a.shop.test in" "clude:spf.svc.test ~all"',
        'a A 127.0.0.1',
        `${dkim.host}. CNAME One.Shop.test.`,
        'one CNAME two',
        `two CNAME ${dkim.content.toUpperCase()}.`,
        '_dmarc TXT "v=DMARC1; p=reject; sp=quarantine"',
      ].join('\n'),
    );
    const checked = (await domains.check('news.shop.test')).body;
    expect(checked.dns_valid).toBe(true);
    expect(seen(checked)).toEqual(['SPF', 'DKIM', 'DMARC']);
  });

  it('with a manual key are compared as keys: in strings, folded, with other tags', async () => {
    const account_id = domains.account();
    await domains.service.internal('PUT', `/operator/accounts/${account_id}/settings`, {
      dns_mode: 'manual',
    });
    const made = (await domains.create({ domain: 'key.shop.test' }, { account_id })).body;
    const { host, content } = record(made, 'DKIM');
    const key = content.slice(content.indexOf('p=') + 2);
    const others = made.dns_records.filter(({ label }: Item) => label !== 'DKIM');
    const check = async (text: string) => {
      await server.setZone('shop.test', `${zoneLines(others)}\n${host}. TXT ${text}`);
      return (await domains.check('key.shop.test', { account_id })).body.dns_valid;
    };
    expect(
      await check(`"h=sha256; p=${key.slice(0, 100)} " "${key.slice(100, 300)}" " ${key.slice(300)}; t=s"`),
    ).toBe(true);
    expect(await check(`"v=DKIM1; k=rsa; p=${key.slice(0, 200)}"`)).toBe(false);
    expect(await codes('key.shop.test')).toEqual({ dkim: 'dkim_key_cut' });
  });

  it('that are wrong are reported with their problem', async () => {
    const made = await create('mail.broken.test');
    await server.setZone(
      'broken.test',
      [
        'mail TXT "v=spf1 include:spf.svc.test -all"',
        'mail TXT "v=spf1 mx -all"',
        'mail MX 0 .',
        '_dmarc.mail TXT "v=DMARC1; p=none; sp=oops"',
        'track.mail A 127.0.0.7',
        'rp.mail CNAME rp.other.test.',
        'subs.mail.broken.test CNAME subs.svc.test.',
        `${record(made, 'DKIM').host}. TXT "v=DKIM1; p="`,
        'media.mail CNAME media.mail',
      ].join('\n'),
    );
    expect((await domains.check('mail.broken.test')).body.dns_valid).toBe(false);
    expect(await codes('mail.broken.test')).toEqual({
      spf: 'spf_several',
      mx: 'mx_elsewhere',
      dmarc: 'dmarc_malformed',
      tracking: 'alias_proxied',
      return_path: 'inconclusive',
      subscription: 'host_doubled',
      dkim: 'alias_other_data',
      dkim_standby: 'not_found',
      media: 'alias_too_long',
    });
  });

  it('of a name server that is down keep their last state', async () => {
    await server.stop();
    const checked = (await domains.check('mail.shop.test')).body;
    expect(checked.dns_valid).toBe(true);
    expect(seen(checked)).toHaveLength(9);
    expect(new Set(Object.values(await codes('mail.shop.test')))).toEqual(new Set(['inconclusive']));
  });
});
