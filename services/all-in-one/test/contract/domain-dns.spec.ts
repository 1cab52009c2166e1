import { beforeAll, describe, expect, it } from 'vitest';
import {
  checkDns,
  problemCodes,
  propagated,
  publishZone,
  removeZone,
  type ListedRecord,
  type ZoneRecord,
} from './dns-zones.js';
import { sharedInstallation, uniqueDomain, type Account } from './harness.js';

const postmesh = sharedInstallation();
const SPF = 'spf.postmesh.test';

let account: Account;
let organisation: string;
/** one domain for all tests: keys take their time */
let made: Resource;
beforeAll(async () => {
  account = await postmesh.newAccount();
  organisation = uniqueDomain('org');
  made = await create(`mail.${organisation}`);
});

interface Resource {
  domain: string;
  dns_valid: boolean;
  last_dns_check_at: string;
  dns_records: ListedRecord[];
}

async function create(domain = uniqueDomain('dns'), by = account): Promise<Resource> {
  const made = await postmesh.api(by.key, 'POST', '{A}/domains', { body: { domain } });
  expect(made.status).toBe(201);
  return made.body as Resource;
}

/** Publishes the required records, with other records in place of those with these labels. */
const publish = ({ domain, dns_records }: Resource, instead: Record<string, ZoneRecord[]> = {}) =>
  publishZone(postmesh, domain, {
    records: [...dns_records.filter(({ label }) => !(label in instead)), ...Object.values(instead).flat()],
  });

const record = ({ dns_records }: Resource, label: string): ListedRecord => {
  const found = dns_records.find((item) => item.label === label);
  if (!found) throw new Error(`no record ${label}`);
  return found;
};
const texts = (host: string, ...contents: string[]): ZoneRecord[] =>
  contents.map((content) => ({ type: 'TXT', host, content }));

async function check(domain: string, by = account): Promise<Resource> {
  const checked = await checkDns(postmesh, by, domain);
  expect(checked.status).toBe(200);
  return checked.body as Resource;
}

const codes = (domain: string, by = account) => problemCodes(postmesh, by, domain);

describe('§11.4 rule 1 a record is judged only on a conclusive answer', () => {
  it.each(['servfail', 'refused', 'silent'] as const)(
    '%s keeps record, dns_valid and state; last_dns_check_at moves',
    async (failure) => {
      await publish(made);
      const before = await check(made.domain);
      expect(before.dns_valid).toBe(true);
      await publishZone(postmesh, `_dmarc.${made.domain}`, { records: [], failure });
      const after = await check(made.domain);
      expect(after).toMatchObject({ dns_valid: true, dns_records: before.dns_records });
      expect(Date.parse(after.last_dns_check_at)).toBeGreaterThan(
        Date.parse(before.last_dns_check_at) - 120_000,
      );
      await removeZone(postmesh, `_dmarc.${made.domain}`);
      expect(await codes(made.domain)).toEqual({ dmarc: 'inconclusive' });
      const [row] = await postmesh.sql<{ state: string }>(
        `select state from domains.domains where domain = $1`,
        [made.domain],
      );
      expect(row?.state).toBe('valid');
    },
  );

  it('an answer that does not fit a datagram is queried over TCP', async () => {
    const many = Array.from({ length: 30 }, (_, at) => `verification-${at}=${'x'.repeat(200)}`);
    await publish(made, { SPF: texts(made.domain, ...many, record(made, 'SPF').content) });
    expect((await check(made.domain)).dns_valid).toBe(true);
  });
});

describe('§11.4 rule 2 CNAMEs are followed along chains', () => {
  it('one that ends at the target passes, one that ends elsewhere or nowhere fails', async () => {
    const dkim = record(made, 'DKIM');
    const chain = (end: string) => [
      { type: 'CNAME', host: dkim.host, content: `One.${made.domain}` },
      { type: 'CNAME', host: `one.${made.domain}`, content: `two.${made.domain}` },
      { type: 'CNAME', host: `two.${made.domain}`, content: end },
    ];
    await publish(made, { DKIM: chain(dkim.content) });
    expect((await check(made.domain)).dns_valid).toBe(true);
    await publish(made, { DKIM: chain('other.postmesh.test') });
    expect((await check(made.domain)).dns_valid).toBe(false);
    expect(await codes(made.domain)).toEqual({ dkim: 'alias_wrong_target' });
    await publish(made, { DKIM: chain(`one.${made.domain}`) });
    expect((await check(made.domain)).dns_valid).toBe(false);
    expect(await codes(made.domain)).toEqual({ dkim: 'alias_too_long' });
  });
});

describe('§11.4 rule 3 SPF is evaluated as a receiver does', () => {
  const spend = (count: number) => Array.from({ length: count }, () => 'a:mx.postmesh.test').join(' ');
  it.each<[string, spf: string[], others: Record<string, string>, code: string | undefined]>([
    ['directly', [`v=spf1 include:${SPF} -all`], {}, undefined],
    ['in capitals with a dot', [`V=SPF1 +INCLUDE:SPF.postmesh.test. -ALL`], {}, undefined],
    ['next to other texts', ['hello', `v=spf1 include:${SPF} -all`], {}, undefined],
    [
      'through a nested include',
      ['v=spf1 include:b.%d -all'],
      { b: `v=spf1 include:${SPF} -all` },
      undefined,
    ],
    ['through redirect=', ['v=spf1 redirect=b.%d'], { b: `v=spf1 include:${SPF} -all` }, undefined],
    ['as the tenth look-up', [`v=spf1 ${spend(9)} include:${SPF} -all`], {}, undefined],
    ['two SPF records', [`v=spf1 include:${SPF} -all`, 'v=spf1 mx -all'], {}, 'spf_several'],
    ['without our include', ['v=spf1 mx -all'], {}, 'spf_include_missing'],
    ['another qualifier', [`v=spf1 ~include:${SPF} -all`], {}, 'spf_wrong_qualifier'],
    ['after all', [`v=spf1 ~all include:${SPF}`], {}, 'spf_after_all'],
    ['after a broken include', [`v=spf1 include:gone.%d include:${SPF} -all`], {}, 'spf_broken_include'],
    ['as the eleventh look-up', [`v=spf1 ${spend(10)} include:${SPF} -all`], {}, 'spf_too_many_lookups'],
    [
      'after three look-ups that find nothing',
      [`v=spf1 a:x.%d a:y.%d a:z.%d include:${SPF} -all`],
      {},
      'spf_too_many_void_lookups',
    ],
    ['with a mistake behind it', [`v=spf1 include:${SPF} ip4:1.2.3 -all`], {}, 'spf_syntax'],
  ])('%s', async (_what, spf, others, code) => {
    const { domain } = made;
    await publish(made, {
      SPF: texts(domain, ...spf.map((text) => text.replaceAll('%d', domain))),
      more: Object.entries(others).flatMap(([label, text]) => texts(`${label}.${domain}`, text)),
    });
    let checked = await check(domain);
    // a late answer on a busy machine is inconclusive: check again
    const said = async () => (await codes(domain))['spf'];
    for (let nth = 0; nth < 20 && (await said()) === 'inconclusive'; nth++) checked = await check(domain);
    expect(await said()).toBe(code);
    expect(checked.dns_valid).toBe(code === undefined);
    expect(propagated(checked).includes('SPF')).toBe(code === undefined);
  });

  it('a valid return-path satisfies it only for accounts with that operator flag', async () => {
    const flagged = await postmesh.newAccount();
    const made = await create(uniqueDomain('dns'), flagged);
    await publish(made, { SPF: [] });
    expect((await check(made.domain, flagged)).dns_valid).toBe(false);
    const settings = `/operator/domains/accounts/${flagged.id}/settings`;
    const set = await postmesh.operator('PUT', settings, { return_path_satisfies_spf: true });
    expect(set.status).toBe(200);
    expect((await check(made.domain, flagged)).dns_valid).toBe(true);
    expect(await codes(made.domain, flagged)).toEqual({});
  });
});

describe('§11.4 rule 4 DKIM', () => {
  it('managed: the CNAME of the active slot has to resolve to our alias', async () => {
    const { host } = record(made, 'DKIM');
    const key = texts(host, 'v=DKIM1; k=rsa; p=AAAA');
    await publish(made, { DKIM: key });
    expect((await check(made.domain)).dns_valid).toBe(false);
    expect(await codes(made.domain)).toEqual({ dkim: 'alias_other_data' });
    await publish(made);
    expect((await check(made.domain)).dns_valid).toBe(true);
  });

  it('manual: equal keys pass, whatever else the record has; others do not', async () => {
    const manual = await postmesh.newAccount();
    const settings = `/operator/domains/accounts/${manual.id}/settings`;
    expect((await postmesh.operator('PUT', settings, { dns_mode: 'manual' })).status).toBe(200);
    const made = await create(uniqueDomain('dns'), manual);
    const other = await create(uniqueDomain('dns'), manual);
    const { host, content } = record(made, 'DKIM');
    const key = content.slice(content.indexOf('p=') + 2);
    const rows: [string, string | undefined][] = [
      [content, undefined],
      [`t=s; h=sha256; s=email; x=1; k=rsa; p=${key.replaceAll(/.{64}/g, '$& ')};`, undefined],
      [record(other, 'DKIM').content, 'dkim_other_key'],
      [content.slice(0, 128), 'dkim_key_cut'],
      ['v=DKIM1; k=rsa; p=', 'dkim_revoked'],
      [`v=DKIM1; nonsense; p=${key}`, 'dkim_malformed'],
    ];
    for (const [text, code] of rows) {
      await publish(made, { DKIM: texts(host, text) });
      expect((await check(made.domain, manual)).dns_valid).toBe(code === undefined);
      expect((await codes(made.domain, manual))['dkim']).toBe(code);
    }
  });
});

describe('§11.4 rule 5 DMARC', () => {
  it.each<[string, string[], parent: string | undefined, code: string | undefined]>([
    ['another policy passes', ['v=DMARC1; p=reject; rua=mailto:d@mail.test'], undefined, undefined],
    ['two records fail', ['v=DMARC1; p=none', 'v=DMARC1; p=reject'], undefined, 'dmarc_several'],
    ['no p= fails', ['v=DMARC1; rua=mailto:d@mail.test'], undefined, 'dmarc_malformed'],
    ['none fails', [], undefined, 'not_found'],
    ['an inherited one passes', [], 'v=DMARC1; p=none; sp=quarantine', undefined],
    ['an inherited one with a wrong sp= fails', [], 'v=DMARC1; p=none; sp=maybe', 'dmarc_malformed'],
    [
      'strict SPF alignment passes with advice',
      ['v=DMARC1; p=reject; aspf=s'],
      undefined,
      'dmarc_strict_spf',
    ],
  ])('%s', async (_what, own, parent, code) => {
    await publish(made, { DMARC: texts(`_dmarc.${made.domain}`, ...own) });
    await publishZone(postmesh, `_dmarc.${organisation}`, {
      records: parent === undefined ? [] : texts(`_dmarc.${organisation}`, parent),
    });
    const isRight = code === undefined || code === 'dmarc_strict_spf';
    expect((await check(made.domain)).dns_valid).toBe(isRight);
    expect((await codes(made.domain))['dmarc']).toBe(code);
  });
});

it('§11.4 rule 6 dns_valid needs the required records; optional ones only move their own propagated', async () => {
  const optional = made.dns_records.filter(({ required }) => !required);
  await publish(made, Object.fromEntries(optional.map(({ label }) => [label, []])));
  const bare = await check(made.domain);
  expect(bare.dns_valid).toBe(true);
  expect(propagated(bare)).toEqual(['SPF', 'DKIM', 'DMARC']);
  const track = record(made, 'Tracking').host;
  await publish(made, { Tracking: [{ type: 'A', host: track, content: '192.0.2.7' }] });
  const proxied = await check(made.domain);
  expect(proxied.dns_valid).toBe(true);
  expect(propagated(proxied)).not.toContain('Tracking');
  expect(await codes(made.domain)).toEqual({ tracking: 'alias_proxied' });
});

it('§11.4 rule 7 valid domains are due after 15-30 minutes, never-valid ones after a minute', async () => {
  const waits = async (domain: string) => {
    const [row] = await postmesh.sql<{ minutes: number }>(
      `select extract(epoch from next_check_at - last_dns_check_at)::float / 60 as minutes
        from domains.domains where domain = $1`,
      [domain],
    );
    return row?.minutes ?? -1;
  };
  const fresh = await create();
  await publish(fresh, { DMARC: [] });
  await postmesh.api(account.key, 'POST', `{A}/domains/${fresh.domain}/check-dns`);
  expect(await waits(fresh.domain)).toBeGreaterThan(0);
  expect(await waits(fresh.domain)).toBeLessThanOrEqual(1);
  await publish(made);
  await check(made.domain);
  expect(await waits(made.domain)).toBeGreaterThanOrEqual(15);
  expect(await waits(made.domain)).toBeLessThanOrEqual(30);
});

describe('a check keeps a text for each problem', () => {
  it.each<
    [string, label: string, records: (d: string, asked: ZoneRecord) => ZoneRecord[], Record<string, string>]
  >([
    [
      'a CNAME next to other data',
      'none',
      (host) => [{ type: 'CNAME', host, content: 'elsewhere.test' }],
      { spf: 'alias_beside_data' },
    ],
    [
      'a CNAME in place of the SPF record',
      'SPF',
      (host) => [{ type: 'CNAME', host, content: 'elsewhere.test' }],
      { spf: 'name_is_alias' },
    ],
    [
      'a proxy in front of the tracking host',
      'Tracking',
      (_domain, { host }) => [{ type: 'A', host, content: '192.0.2.7' }],
      { tracking: 'alias_proxied' },
    ],
    [
      'a flattened alias',
      'Tracking',
      (_domain, { host }) => [{ type: 'A', host, content: '127.0.0.1' }],
      { tracking: 'alias_flattened' },
    ],
    [
      'a host name with the domain twice',
      'Media',
      (domain, asked) => [{ ...asked, host: `${asked.host}.${domain}` }],
      { media: 'host_doubled' },
    ],
    [
      'mail that goes elsewhere',
      'MX',
      (domain) => [{ type: 'MX', host: domain, content: '10 mx.elsewhere.test' }],
      { mx: 'mx_elsewhere' },
    ],
  ])('%s', async (_what, label, records, expected) => {
    const asked = made.dns_records.find((item) => item.label === label) ?? record(made, 'SPF');
    await publish(made, { [label]: records(made.domain, asked) });
    await check(made.domain);
    expect(await codes(made.domain)).toEqual(expected);
  });

  it('with the found value, the wanted value and the remedy', async () => {
    await publish(made, { SPF: texts(made.domain, 'v=spf1 mx -all') });
    await check(made.domain);
    const [row] = await postmesh.sql<{ problem: unknown }>(
      `select problem from domains.dns_records r join domains.domains d on d.id = r.domain_id
        where d.domain = $1 and kind = 'spf'`,
      [made.domain],
    );
    const content = `v=spf1 mx include:${SPF} -all`;
    expect(row?.problem).toEqual({
      code: 'spf_include_missing',
      found: '"v=spf1 mx -all"',
      wanted: `TXT record at ${made.domain}: ${content}`,
      advice: `The record does not allow us to send. Change it to: ${content}`,
    });
  });
});

describe('§11.6 locks', () => {
  it('§11.6 rule 1 each subdomain locks when its record is first seen, and the selector with DKIM; for ever', async () => {
    await publish(made);
    expect((await check(made.domain)).dns_valid).toBe(true);
    await publish(made, Object.fromEntries(made.dns_records.map(({ label }) => [label, []])));
    expect((await check(made.domain)).dns_valid).toBe(false);
    for (const kind of ['tracking', 'return_path', 'subscription', 'media']) {
      const field = `${kind}_subdomain`;
      const [row] = await postmesh.sql<{ locked_label: string }>(
        `select locked_label from domains.dns_records r join domains.domains d on d.id = r.domain_id
          where d.domain = $1 and kind = $2`,
        [made.domain, kind],
      );
      expect([field, row?.locked_label]).toEqual([field, expect.stringMatching(/^(rp|track|subs|media)$/)]);
    }
    const [row] = await postmesh.sql<{ locked_selector: string }>(
      'select locked_selector from domains.domains where domain = $1',
      [made.domain],
    );
    expect(row?.locked_selector).toBe('managed');
  });

  it('§11.6 rule 2, §11.6 rule 3 locked selector, then the override, then the account’s, then managed; standby is + 2', async () => {
    const other = await postmesh.newAccount();
    const settings = (body: object) =>
      postmesh.operator('PUT', `/operator/domains/accounts/${other.id}/settings`, body);
    const hosts = async (domain: string) => {
      const { body } = await postmesh.api(other.key, 'GET', `{A}/domains/${domain}`);
      const { dns_records } = body as Resource;
      return ['DKIM', 'DKIM standby'].map(
        (label) => record({ ...made, dns_records }, label).host.split('.')[0],
      );
    };
    const { domain } = await create(uniqueDomain('dns'), other);
    expect(await hosts(domain)).toEqual(['managed', 'managed2']);
    expect((await settings({ dkim_selector: 'acct' })).status).toBe(200);
    expect(await hosts(domain)).toEqual(['acct', 'acct2']);
    const body = { domain: uniqueDomain('dns'), dkim_selector: 'own' };
    expect((await postmesh.api(other.key, 'POST', '{A}/domains', { body })).status).toBe(201);
    expect(await hosts(body.domain)).toEqual(['own', 'own2']);
    expect((await check(body.domain, other)).dns_valid).toBe(true);
    expect((await settings({ dkim_selector: 'later' })).status).toBe(200);
    await postmesh.sql('update domains.domains set dkim_selector = null where domain = $1', [body.domain]);
    expect(await hosts(body.domain)).toEqual(['own', 'own2']);
  });
});
