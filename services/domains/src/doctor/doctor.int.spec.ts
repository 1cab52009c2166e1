import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { DomainDoctor } from '@postmesh/domains-contract';
import { domainsUnderTest } from '../testing/domains-under-test.js';
import { WebHost } from '../testing/web-host.js';

const ADDRESS = '198.41.0.4';
const LISTED = '2.0.0.127';
const POLICY = 'version: STSv1\nmode: enforce\nmx: mx.shop.test\nmax_age: 1209600\n';
const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" version="1.2" baseProfile="tiny-ps" viewBox="0 0 9 9"><title>Shop</title></svg>';

const folder = mkdtempSync(join(tmpdir(), 'postmesh-doctor-'));
let web: WebHost;
const domains = domainsUnderTest(async () => {
  web = await WebHost.start(['mta-sts.shop.test', 'www.shop.test']);
  const extraCaFile = join(folder, 'ca.pem');
  writeFileSync(extraCaFile, web.ca);
  return {
    extraCaFile,
    localInternet: false,
    outgoingHttpAllow: ['127.0.0.1/32'],
    mtaStsPort: web.port,
    sendingAddresses: [ADDRESS, '10.0.0.1'],
    addressLists: ['bl.test', 'away.test'],
    domainLists: ['names.test'],
  };
});
afterAll(async () => {
  await web?.close();
  rmSync(folder, { recursive: true });
});

beforeEach(() => {
  const { dns } = domains;
  web.files.clear();
  dns.set('PTR', '4.0.41.198.in-addr.arpa', 'mta.svc.test');
  dns.set('A', 'mta.svc.test', ADDRESS);
  dns.set('A', `${LISTED}.bl.test`, '127.0.0.2');
  dns.set('A', `${LISTED}.away.test`, '127.255.255.254');
  dns.set('A', 'test.names.test', '127.0.1.2');
});

const FIGURES = {
  at: '2026-11-28T05:00:00.000Z',
  days: 30,
  delivered: 1_000,
  complained: 0,
  bulk: 3,
  sessions: { encrypted: 10, plain: 0 },
  secure_links: true,
};

async function doctor(domain: string, body: object = { figures: FIGURES }) {
  const path = `/internal/accounts/${domains.service.accountId}/domains/${domain}/doctor`;
  const answer = await domains.service.internal('POST', path, body);
  expect(answer.status).toBe(200);
  const read = DomainDoctor.parse(answer.body);
  return { ...read, of: Object.fromEntries(read.checks.map((check) => [check.id, check])) };
}
const faultsOf = ({ checks }: DomainDoctor) =>
  checks.flatMap(({ id, state }) => (state === 'ok' ? [] : [`${id} ${state}`]));

/** Everything that a domain may publish, on one web server. */
function publishMore(domain: string): void {
  const { dns } = domains;
  dns.set('TXT', `_dmarc.${domain}`, 'v=DMARC1; p=reject');
  dns.set('MX', domain, `10 mx.${domain}`);
  dns.set('TXT', `_mta-sts.${domain}`, 'v=STSv1; id=1');
  dns.set('A', `mta-sts.${domain}`, '127.0.0.1');
  dns.set('TXT', `_smtp._tls.${domain}`, `v=TLSRPTv1; rua=mailto:tls@${domain}`);
  dns.set('A', `www.${domain}`, '127.0.0.1');
  const base = `https://www.${domain}:${web.port}`;
  dns.set('TXT', `default._bimi.${domain}`, `v=BIMI1; l=${base}/logo.svg; a=${base}/vmc.pem`);
  web.files.set(`mta-sts.${domain}/.well-known/mta-sts.txt`, { contentType: 'text/plain', text: POLICY });
  web.files.set(`www.${domain}/logo.svg`, { contentType: 'image/svg+xml', text: LOGO });
}

describe('the doctor of a domain', () => {
  it('finds everything right, by DNS and web servers, and asks them once in ten minutes', async () => {
    await domains.valid('shop.test');
    publishMore('shop.test');
    const found = await doctor('shop.test');
    expect(faultsOf(found)).toEqual([]);
    expect(found.of['address_lists']?.details).toEqual([
      'bl.test: not listed',
      'away.test refuses our queries (127.255.255.254), as lists do with public resolvers',
    ]);
    expect(found.of['tls']?.checked_at).toBe(FIGURES.at);
    expect(found.requirements.flatMap(({ items }) => items.map(({ met }) => met))).not.toContain(false);
    expect(web.requests.toSorted()).toEqual([
      'mta-sts.shop.test/.well-known/mta-sts.txt',
      'www.shop.test/logo.svg',
    ]);
    // a private address is not given to lists
    expect(domains.dns.questions.filter((question) => question.includes('1.0.0.10'))).toEqual([]);
    const asked = domains.dns.questions.length;
    const again = await doctor('shop.test', { figures: { ...FIGURES, complained: 10 } });
    expect([domains.dns.questions.length, web.requests.length]).toEqual([asked, 2]);
    expect(again.of['spf']).toEqual(found.of['spf']);
    expect(faultsOf(again)).toEqual(['complaints fault']);
  });

  it('names what is wrong, and what to do', async () => {
    await domains.create({ domain: 'bare.test' });
    domains.dns.set('A', 'bare.test.names.test', '127.0.1.2');
    const found = await doctor('bare.test');
    expect(faultsOf(found)).toEqual([
      'spf fault',
      'dkim fault',
      'dmarc fault',
      'alignment fault',
      'hosts warning',
      'domain_lists fault',
    ]);
    for (const { state, fix } of found.checks) if (state !== 'ok') expect(fix).not.toBeNull();
    expect(found.of['spf']?.fix).toContain('v=spf1 include:spf.svc.test');
    expect(found.of['domain_lists']?.text).toBe('bare.test is on names.test (127.0.1.2).');
  });

  it('does not know what nothing answers for, within its time', async () => {
    await domains.create({ domain: 'silent.test' });
    domains.dns.misbehave('silent.test', 'refused');
    domains.dns.misbehave('_mta-sts.silent.test', 'servfail');
    const { of } = await doctor('silent.test', {});
    expect([of['spf']?.state, of['mta_sts']?.state, of['tls']?.state]).toEqual([
      'unknown',
      'unknown',
      'unknown',
    ]);
  });

  it('fetches nothing from private addresses that the operator has not allowed, and no long logo', async () => {
    await domains.create({ domain: 'sly.test' });
    const { dns } = domains;
    dns.set('TXT', '_mta-sts.sly.test', 'v=STSv1; id=1');
    dns.set('A', 'mta-sts.sly.test', '10.1.2.3');
    dns.set('A', 'www.shop.test', '127.0.0.1');
    dns.set('TXT', 'default._bimi.sly.test', `v=BIMI1; l=https://www.shop.test:${web.port}/long.svg`);
    const text = `${LOGO}${' '.repeat(33_000)}`;
    web.files.set('www.shop.test/long.svg', { contentType: 'image/svg+xml', text });
    const { of } = await doctor('sly.test');
    expect(of['mta_sts']?.text).toMatch(/does not give one: .*(refused|not permitted|address)/i);
    expect(of['bimi']?.text).toBe('The logo cannot be fetched: it has more than 32 KB.');
  });

  it('looks at sources that operators made, too, and at no address behind relays', async () => {
    await domains.valid('rows.test');
    const made = '198.41.0.77';
    const asked = async (only_relays: boolean) => {
      const egress = { addresses: [made, '10.0.0.2'], only_relays };
      return (await doctor('rows.test', { figures: FIGURES, egress })).of['ptr'];
    };
    const { state, details = [] } = (await asked(false)) ?? {};
    expect([state, details]).toEqual([
      'fault',
      [`${ADDRESS}: mta.svc.test`, `${made}: it has no PTR record`],
    ]);
    expect((await asked(true))?.state).toBe('unknown');
  });

  it('is for the account that has the domain', async () => {
    await domains.create({ domain: 'mine.test' });
    const path = `/internal/accounts/${domains.account()}/domains/mine.test/doctor`;
    expect((await domains.service.internal('POST', path, {})).status).toBe(404);
  });
});
