import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { knotServer, startForeignNameServer, zoneLines, type ForeignNameServer } from '@postmesh/testing';
import { checkDns, problemCodes, propagated, type ListedRecord } from './dns-zones.js';
import { Postmesh, type Account } from './harness.js';
import { CONTRACT_SETTINGS } from './installation-facts.js';

const knot = knotServer();
const DOMAIN = 'mail.shop.test';

/** An installation without local-internet, whose resolvers are two independent servers. */
describe.runIf(knot !== undefined)('§11.4 against name servers of another maker', () => {
  const postmesh = new Postmesh();
  const servers: ForeignNameServer[] = [];
  let account: Account;
  let records: ListedRecord[];

  beforeAll(async () => {
    const zones = { 'shop.test': '', 'svc.test': '' };
    for (const _name of ['first', 'second'])
      servers.push(await startForeignNameServer(knot as string, { zones }));
    await postmesh.start({
      ...CONTRACT_SETTINGS,
      POSTMESH_LOCAL_INTERNET: 'off',
      POSTMESH_SERVICE_ZONE: 'svc.test',
      // the start refuses real delivery from such a zone
      POSTMESH_DELIVERY: 'off',
      POSTMESH_DNS_SERVERS: servers.map(({ address }) => address).join(','),
    });
    account = await postmesh.newAccount();
    const made = await postmesh.api(account.key, 'POST', '{A}/domains', { body: { domain: DOMAIN } });
    expect(made.status).toBe(201);
    records = made.body.dns_records;
  });
  afterAll(async () => {
    await postmesh.leave();
    await Promise.all(servers.map((server) => server.stop()));
  });

  const check = async () => (await checkDns(postmesh, account, DOMAIN)).body;
  const codes = () => problemCodes(postmesh, account, DOMAIN);
  const without = (label: string) => zoneLines(records.filter((record) => record.label !== label));
  const publish = (zone: string, on: readonly ForeignNameServer[] = servers) =>
    Promise.all(on.map((server) => server.setZone('shop.test', zone)));

  it('rule 6 the listed records make a domain valid', async () => {
    expect((await check()).dns_valid).toBe(false);
    await publish(zoneLines(records));
    const checked = await check();
    expect(checked.dns_valid).toBe(true);
    expect(propagated(checked)).toHaveLength(9);
    expect(await codes()).toEqual({});
  });

  it('rule 1 one server with other records does not take its validity; both do', async () => {
    const [first] = servers as [ForeignNameServer];
    await publish(without('SPF'), [first]);
    const checked = await check();
    expect(checked.dns_valid).toBe(true);
    expect(propagated(checked)).toContain('SPF');
    expect(await codes()).toEqual({ spf: 'resolvers_disagree' });
    await publish(without('SPF'));
    expect((await check()).dns_valid).toBe(false);
    expect(await codes()).toEqual({ spf: 'not_found' });
  });

  it.each([
    [
      'rule 3 two SPF records',
      'SPF',
      'mail TXT "v=spf1 include:spf.svc.test -all"\nmail TXT "v=spf1 -all"',
      'spf_several',
    ],
    [
      'rule 3 an include of nothing',
      'SPF',
      'mail TXT "v=spf1 include:x.shop.test include:spf.svc.test -all"',
      'spf_broken_include',
    ],
    [
      'rule 4 a key in place of its alias',
      'DKIM',
      'managed._domainkey.mail TXT "v=DKIM1; p=AAAA"',
      'alias_other_data',
    ],
    [
      'rule 2 an alias that leads in a circle',
      'DKIM',
      'managed._domainkey.mail CNAME managed._domainkey.mail',
      'alias_too_long',
    ],
    [
      'rule 5 two policies',
      'DMARC',
      '_dmarc.mail TXT "v=DMARC1; p=none"\n_dmarc.mail TXT "v=DMARC1; p=reject"',
      'dmarc_several',
    ],
    [
      'rule 5 a policy with the domain twice',
      'DMARC',
      '_dmarc.mail.shop.test TXT "v=DMARC1; p=none"',
      'host_doubled',
    ],
  ])('%s is not valid', async (_what, label, lines, code) => {
    await publish(`${without(label)}\n${lines}`);
    expect((await check()).dns_valid).toBe(false);
    expect(Object.values(await codes())).toEqual([code]);
  });

  it.each([
    [
      'rule 3 a text in strings, behind redirect=',
      'SPF',
      'mail TXT "v=spf1 redi" "rect=spf1.shop.test"\nspf1 TXT "v=spf1 include:spf.svc.test -all"',
    ],
    [
      'rule 2 a chain of aliases in capitals',
      'DKIM',
      'managed._domainkey.mail CNAME One.Shop.Test.\none CNAME @dkim@',
    ],
    ['rule 5 an inherited policy', 'DMARC', '_dmarc TXT "v=DMARC1; p=reject; sp=none"'],
  ])('%s is valid', async (_what, label, lines) => {
    const alias = records.find((record) => record.label === 'DKIM')?.content.toUpperCase();
    await publish(`${without(label)}\n${lines.replace('@dkim@', `${alias}.`)}`);
    expect((await check()).dns_valid).toBe(true);
    expect(await codes()).toEqual({});
  });

  it('rule 1 with unreachable servers the last state stays', async () => {
    const before = await check();
    await Promise.all(servers.map((server) => server.stop()));
    const after = await check();
    expect(after).toMatchObject({ dns_valid: true, dns_records: before.dns_records });
    expect(new Set(Object.values(await codes()))).toEqual(new Set(['inconclusive']));
  });
});
