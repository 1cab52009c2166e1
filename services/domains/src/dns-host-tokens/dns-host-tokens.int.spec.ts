import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memberOf } from '@postmesh/service-testing';
import { DNS_HOST_NAMES } from '@postmesh/settings';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import {
  CLOUDFLARE,
  CREDENTIALS,
  DESEC,
  DnsHostApisDouble,
  ROUTE53,
  ZoneDouble,
} from '../testing/dns-host-apis-double.js';
import { domainsUnderTest } from '../testing/domains-under-test.js';
import { PublishDkimRecords } from './publish-dkim-records.js';

const folder = mkdtempSync(join(tmpdir(), 'postmesh-hosts-'));
const zone = new ZoneDouble('zone.test');
let hosts: DnsHostApisDouble;

const domains = domainsUnderTest(async () => {
  hosts = await DnsHostApisDouble.start([CLOUDFLARE, DESEC, ROUTE53], zone);
  const extraCaFile = join(folder, 'ca.pem');
  writeFileSync(extraCaFile, hosts.ca);
  return { extraCaFile, outgoingHttpAllow: ['127.0.0.1/32'], dnsHostApis: hosts.apis };
});
afterAll(async () => {
  expect(zone.faults).toEqual([]);
  await hosts?.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  for (const { host } of [CLOUDFLARE, DESEC, ROUTE53]) domains.dns.set('A', host, '127.0.0.1');
  zone.records = [];
  hosts.mishap = undefined;
  hosts.requests.length = 0;
});

const as = (account: string, role: 'Administrator' | 'Developer' | 'Analyst' = 'Administrator') => ({
  principal: memberOf(account, role),
});
type Host = (typeof DNS_HOST_NAMES)[number];

const give = (account: string, host: Host, more: object = {}) =>
  domains.service.call('POST', '/console/api/dns-hosts', {
    ...as(account),
    body: { zone: 'zone.test', host, ...CREDENTIALS[host], ...more },
  });
const path = (domain: string) => `/console/api/domains/${domain}/dns-changes`;
const look = async (account: string, domain: string) =>
  (await domains.service.call('GET', path(domain), as(account, 'Developer'))).body;
const write = (account: string, domain: string, digest: string) =>
  domains.service.call('POST', path(domain), { ...as(account, 'Developer'), body: { digest } });

/** An account with a domain, and a token for its zone. */
async function given(host: Host, domain = 'mail.zone.test', more: object = {}) {
  const account = domains.account();
  const made = await domains.create({ domain }, { account_id: account });
  expect(made.status).toBe(201);
  const { status } = await give(account, host, more);
  expect(status).toBe(201);
  return { account, records: made.body.dns_records as { type: string; host: string; content: string }[] };
}
const steps = (changes: { records: { label: string; step: string; reason: string | null }[] }) =>
  Object.fromEntries(changes.records.map(({ label, step, reason }) => [label, reason ?? step]));
const contents = (name: string, type = 'TXT') =>
  zone
    .at(name)
    .filter((record) => record.type === type)
    .map(({ content }) => content)
    .toSorted();

describe.each(DNS_HOST_NAMES)('with a token of %s', (host) => {
  it('all records are written on request, those of others stay, and the domain may send', async () => {
    zone.add('TXT', 'mail.zone.test', '"site-verification=a\\"b"');
    zone.add('A', 'www.zone.test', '192.0.2.1');
    const { account, records } = await given(host);
    const before = await look(account, 'mail.zone.test');
    expect(Object.values(steps(before)).every((step) => step === 'created')).toBe(true);
    expect(before).toMatchObject({ zone: 'zone.test', host, trouble: null, written: 0 });
    const done = await write(account, 'mail.zone.test', before.digest);
    expect(done.body).toMatchObject({ written: records.length, trouble: null, digest: null });
    expect(contents('mail.zone.test')).toContain('"site-verification=a\\"b"');
    expect(contents('www.zone.test', 'A')).toEqual(['192.0.2.1']);
    expect(zone.records).toHaveLength(records.length + 2);
    for (const { type, name, content } of zone.records)
      if (type !== 'A')
        domains.dns.set(
          type as 'TXT',
          name,
          ...zone
            .at(name)
            .filter((one) => one.type === type)
            .map((one) => one.content.replaceAll(/^"|"$|\.$/g, '') || content),
        );
    await domains.publishOwnZone();
    const checked = await domains.check('mail.zone.test', { account_id: account });
    expect(checked.body.dns_valid).toBe(true);
  });

  it('one SPF record of others gets the include, and nothing is written twice', async () => {
    zone.add('TXT', 'mail.zone.test', '"v=spf1 include:_spf.other.test -all"');
    const { account } = await given(host);
    const before = await look(account, 'mail.zone.test');
    expect(steps(before)).toMatchObject({ SPF: 'merged' });
    await write(account, 'mail.zone.test', before.digest);
    const [spf, ...others] = contents('mail.zone.test').filter((text) => text.includes('v=spf1'));
    expect([spf, others]).toEqual(['"v=spf1 include:_spf.other.test include:spf.svc.test -all"', []]);
    expect(await look(account, 'mail.zone.test')).toMatchObject({ digest: null });
  });

  it('records of others in our places stay, with the reason for each', async () => {
    zone.add('TXT', 'mail.zone.test', '"v=spf1 -all"');
    zone.add('TXT', 'mail.zone.test', '"v=spf1 include:b.test ~all"');
    zone.add('TXT', '_dmarc.mail.zone.test', '"v=DMARC1; p=reject"');
    zone.add('CNAME', 'managed._domainkey.mail.zone.test', 'key.other.test.');
    zone.add('A', 'track.mail.zone.test', '192.0.2.7');
    zone.add('MX', 'mail.zone.test', '10 mx.other.test.');
    zone.add('CNAME', 'rp.mail.zone.test', 'rp.svc.test.');
    const before = zone.records.map(({ content }) => content);
    const { account } = await given(host);
    const changes = await look(account, 'mail.zone.test');
    expect(steps(changes)).toEqual({
      SPF: 'spf_several',
      DKIM: 'alias_of_another',
      'DKIM standby': 'created',
      DMARC: 'present',
      'Return-Path': 'present',
      Tracking: 'name_in_use',
      Subscription: 'created',
      Media: 'created',
      MX: 'mx_elsewhere',
    });
    const { body } = await write(account, 'mail.zone.test', changes.digest);
    expect(body).toMatchObject({ written: 3, trouble: null });
    expect(zone.records.map(({ content }) => content)).toEqual(expect.arrayContaining(before));
    expect(zone.records).toHaveLength(before.length + 3);
  });

  it('an alias of ours from an earlier life of the domain is replaced', async () => {
    zone.add('CNAME', 'managed._domainkey.mail.zone.test', 'oldtoken.d1.dkim.svc.test.');
    const { account, records } = await given(host);
    const changes = await look(account, 'mail.zone.test');
    expect(steps(changes)).toMatchObject({ DKIM: 'replaced' });
    await write(account, 'mail.zone.test', changes.digest);
    const wanted = records.find((record) => record.host.startsWith('managed._'))?.content;
    expect(
      contents('managed._domainkey.mail.zone.test', 'CNAME').map((text) => text.replace(/\.$/, '')),
    ).toEqual([wanted]);
  });

  it.each([
    ['unauthorised', 'token_refused'],
    ['rate_limited', 'rate_limited'],
    ['down', 'unreachable'],
    ['nonsense', 'unreachable'],
  ] as const)('that is %s, the difference says %s', async (mishap, trouble) => {
    const { account } = await given(host);
    hosts.mishap = mishap;
    const changes = await look(account, 'mail.zone.test');
    expect(changes).toMatchObject({ trouble, records: [], digest: null });
    expect(JSON.stringify(changes)).not.toContain(CREDENTIALS[host].token);
  });

  it('after a half of the change is written, the answer has the rest, which a repetition writes', async () => {
    const { account, records } = await given(host);
    hosts.mishap = 'half';
    const half = await write(account, 'mail.zone.test', (await look(account, 'mail.zone.test')).digest);
    expect(half.body).toMatchObject({ written: 1, trouble: 'unreachable' });
    hosts.mishap = undefined;
    const rest = await write(account, 'mail.zone.test', half.body.digest);
    expect(rest.body).toMatchObject({ written: records.length - 1, trouble: null, digest: null });
  });

  it('a connection that is cut after the change counts as written', async () => {
    const { account, records } = await given(host);
    hosts.mishap = 'cut';
    const { body } = await write(account, 'mail.zone.test', (await look(account, 'mail.zone.test')).digest);
    expect(body).toMatchObject({ written: records.length, trouble: null, digest: null });
  });

  it('a token that the host refuses, or for a zone that it has not, is not kept', async () => {
    const account = domains.account();
    const wrong = await give(account, host, { token: 'wrong' });
    expect([wrong.status, wrong.body.message]).toEqual([400, expect.stringContaining('token_refused')]);
    expect(JSON.stringify(wrong.body)).not.toContain('wrong');
    const elsewhere = await give(account, host, { zone: 'elsewhere.test' });
    expect([elsewhere.status, elsewhere.body.message]).toEqual([
      400,
      expect.stringContaining('zone_missing'),
    ]);
    const { body } = await domains.service.call('GET', '/console/api/dns-hosts', as(account));
    expect(body.data).toEqual([]);
  });
});

describe('a write', () => {
  it('is refused when the zone is another than the one that was looked at', async () => {
    const { account } = await given('desec');
    const { digest } = await look(account, 'mail.zone.test');
    zone.add('TXT', 'mail.zone.test', '"v=spf1 -all"');
    const { status } = await write(account, 'mail.zone.test', digest);
    expect([status, zone.records.length]).toEqual([409, 1]);
  });

  it('is of one request at a time', async () => {
    const { account } = await given('desec');
    const { digest } = await look(account, 'mail.zone.test');
    await domains.sql(
      `update dns_host_tokens set writing_until = now() + interval '1 minute' where account_id = $1`,
      [account],
    );
    expect((await write(account, 'mail.zone.test', digest)).status).toBe(409);
    await domains.sql(
      `update dns_host_tokens set writing_until = now() - interval '1 second' where account_id = $1`,
      [account],
    );
    expect((await write(account, 'mail.zone.test', digest)).status).toBe(200);
  });

  it('leaves a set of Route 53 alone that is more than plain records', async () => {
    zone.add('CNAME', 'track.mail.zone.test', '', { alias: true });
    const { account } = await given('route53');
    expect(steps(await look(account, 'mail.zone.test'))).toMatchObject({ Tracking: 'alias_of_another' });
  });

  it('turns off the proxy of Cloudflare in front of an alias of ours', async () => {
    zone.add('CNAME', 'track.mail.zone.test', 'track.svc.test', { proxied: true });
    const { account } = await given('cloudflare');
    const changes = await look(account, 'mail.zone.test');
    expect(steps(changes)).toMatchObject({ Tracking: 'replaced' });
    await write(account, 'mail.zone.test', changes.digest);
    expect(zone.at('track.mail.zone.test').map(({ proxied }) => proxied)).toEqual([undefined]);
  });

  it('without a token is nothing', async () => {
    const account = domains.account();
    await domains.create({ domain: 'mail.zone.test' }, { account_id: account });
    expect(await look(account, 'mail.zone.test')).toMatchObject({ zone: null, digest: null, records: [] });
    const { status, body } = await write(account, 'mail.zone.test', 'x');
    expect([status, body.written, hosts.requests]).toEqual([200, 0, []]);
  });
});

describe('a token', () => {
  it('is sealed, never shown, and gone with its account', async () => {
    const { account } = await given('route53');
    const { body } = await domains.service.call('GET', '/console/api/dns-hosts', as(account));
    expect(body.data).toMatchObject([
      { zone: 'zone.test', host: 'route53', access_key_id: CREDENTIALS.route53.access_key_id },
    ]);
    const rows = await domains.sql(
      'select row_to_json(t)::text as text from dns_host_tokens t where account_id = $1',
      [account],
    );
    expect(JSON.stringify([body, rows])).not.toContain('secret/key');
    const again = await give(account, 'desec');
    expect(again.status).toBe(201);
    expect(await domains.sql('select host from dns_host_tokens where account_id = $1', [account])).toEqual([
      { host: 'desec' },
    ]);
    const removed = await domains.service.call(
      'DELETE',
      `/console/api/dns-hosts/${again.body.id}`,
      as(account),
    );
    expect(removed.status).toBe(200);
    expect(await look(account, 'mail.zone.test')).toMatchObject({ zone: null });
  });

  it.each(['Developer', 'Analyst'] as const)(
    'is not managed by a %s, nor by another account',
    async (role) => {
      const { account } = await given('desec');
      const { body } = await domains.service.call('GET', '/console/api/dns-hosts', as(account));
      const at = `/console/api/dns-hosts/${body.data[0].id}`;
      const isRotated = { body: { allow_rotation: true } };
      const refused = [
        domains.service.call('GET', '/console/api/dns-hosts', as(account, role)),
        domains.service.call('POST', '/console/api/dns-hosts', {
          ...as(account, role),
          body: { zone: 'zone.test', host: 'desec', token: 'x' },
        }),
        domains.service.call('PUT', at, { ...as(account, role), ...isRotated }),
        domains.service.call('DELETE', at, as(account, role)),
      ];
      expect((await Promise.all(refused)).map(({ status }) => status)).toEqual([403, 403, 403, 403]);
      const other = as(domains.account());
      expect((await domains.service.call('PUT', at, { ...other, ...isRotated })).status).toBe(404);
      expect((await domains.service.call('DELETE', at, other)).status).toBe(404);
    },
  );

  it('is given by an operator for an account, too', async () => {
    const account = domains.account();
    await domains.create({ domain: 'mail.zone.test' }, { account_id: account });
    const at = `/operator/accounts/${account}/dns-hosts`;
    const made = await domains.service.internal('POST', at, {
      zone: 'zone.test',
      host: 'desec',
      ...CREDENTIALS.desec,
    });
    expect(made.status).toBe(201);
    expect(JSON.stringify(made.body)).not.toContain('desec-token');
    expect(await look(account, 'mail.zone.test')).toMatchObject({ zone: 'zone.test' });
    expect((await domains.service.internal('GET', at)).body.data).toMatchObject([{ id: made.body.id }]);
    expect((await domains.service.internal('DELETE', `${at}/${made.body.id}`)).status).toBe(200);
  });

  it('is sent to no private address', async () => {
    hosts.dropConnections();
    domains.dns.set('A', DESEC.host, '10.0.0.1');
    const { status, body } = await give(domains.account(), 'desec');
    expect([status, body.message, hosts.requests]).toEqual([400, expect.stringContaining('unreachable'), []]);
  });
});

describe('rotation of DKIM keys', () => {
  const sweep = () => domains.service.service.get(PublishDkimRecords).sweep();

  it('has its records written without a request only where the owner allows it, and no others', async () => {
    const { account, records } = await given('desec');
    await sweep();
    expect(zone.records).toEqual([]);
    const { body } = await domains.service.call('GET', '/console/api/dns-hosts', as(account));
    const at = `/console/api/dns-hosts/${body.data[0].id}`;
    await domains.service.call('PUT', at, { ...as(account), body: { allow_rotation: true } });
    await sweep();
    const keys = records.filter(({ host }) => host.includes('._domainkey.')).map(({ host }) => host);
    expect(zone.records.map(({ name }) => name).toSorted()).toEqual(keys.toSorted());
  });

  it('says the trouble, and tries again later', async () => {
    const { account } = await given('desec', 'mail.zone.test', { allow_rotation: true });
    hosts.mishap = 'rate_limited';
    await sweep();
    const problems = await domains.service.call('GET', '/console/api/dns-hosts', as(account));
    expect(problems.body.data[0].rotation_problem).toContain('rate_limited');
    hosts.mishap = undefined;
    await domains.sql(
      `update dns_host_tokens set rotation_next_at = now() - interval '1 second' where account_id = $1`,
      [account],
    );
    await sweep();
    const { body } = await domains.service.call('GET', '/console/api/dns-hosts', as(account));
    expect([body.data[0].rotation_problem, zone.records.length]).toEqual([null, 2]);
  });
});
