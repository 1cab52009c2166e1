import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  expectError,
  sharedInstallation,
  TIMESTAMP,
  unique,
  uniqueDomain,
  UUID_V7,
  type Account,
} from './harness.js';
import { send } from './http-request.js';

const postmesh = sharedInstallation();
const SVC = 'postmesh.test';

let account: Account;
let valid: string;
beforeAll(async () => {
  account = await postmesh.newAccount();
  valid = await postmesh.verifiedDomain(account);
});

interface DnsRecord {
  label: string;
  type: string;
  host: string;
  content: string;
  required: boolean;
  propagated: boolean;
}

const call = (method: string, path: string, body?: unknown, { key } = account) =>
  postmesh.api(key, method, `{A}/domains${path}`, body === undefined ? {} : { body });
const create = async (body: object, by = account) => {
  const made = await call('POST', '', body, by);
  expect([made.status, made.body]).toEqual([201, expect.anything()]);
  return made.body as Record<string, unknown> & { id: string; dns_records: DnsRecord[] };
};
const recordOf = ({ dns_records: records }: { dns_records: DnsRecord[] }, label: string) =>
  records.find((record) => record.label === label);
const settings = (owner: Account, body: object) =>
  postmesh.operator('PUT', `/operator/domains/accounts/${owner.id}/settings`, body);
/** Records at a name in place of those that local-internet publishes automatically. */
const publish = async (name: string, records: { type: string; host: string; content: string }[]) => {
  const put = await send({
    method: 'PUT',
    url: `${postmesh.credentials.mailbox_url.replace(/\/$/, '').replace('//localhost:', '//127.0.0.1:')}/api/zones/${name}`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ records }),
  });
  expect(put.status).toBe(200);
};
const ordinary = async () => {
  const made = await postmesh.newAccount();
  const changed = await postmesh.operator('PUT', `/operator/accounts/accounts/${made.id}`, {
    platform_partner: false,
  });
  expect(changed.status).toBe(200);
  return made;
};
const key = () =>
  generateKeyPairSync('rsa', {
    modulusLength: 1024,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });

describe('§11.1 the resource', () => {
  it('§11.1 has every field, null where nothing is set', async () => {
    const domain = uniqueDomain();
    const made = await create({ domain });
    expect(made).toEqual({
      object: 'domain',
      id: expect.stringMatching(UUID_V7),
      account_id: account.id,
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: made.created_at,
      domain,
      dns_records: expect.any(Array),
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
    expect((await call('GET', `/${domain}`)).body).toEqual(made);
    const checked = (await call('POST', `/${domain}/check-dns`)).body;
    expect(checked).toMatchObject({ dns_valid: true, rotation_ready: true });
    expect(checked.last_dns_check_at).toMatch(TIMESTAMP);
  });
});

describe('§11.2 dns_records', () => {
  const TABLE: [string, string, string, string, boolean][] = [
    ['SPF', 'TXT', '', `v=spf1 include:spf.${SVC} ~all`, true],
    ['DKIM', 'CNAME', 'managed._domainkey.', `<token>.d1.dkim.${SVC}`, true],
    ['DKIM standby', 'CNAME', 'managed2._domainkey.', `<token>.d2.dkim.${SVC}`, false],
    ['DMARC', 'TXT', '_dmarc.', 'v=DMARC1; p=quarantine; sp=none; adkim=r; aspf=r;', true],
    ['Return-Path', 'CNAME', 'rp.', `rp.${SVC}`, false],
    ['Tracking', 'CNAME', 'track.', `track.${SVC}`, false],
    ['Subscription', 'CNAME', 'subs.', `subs.${SVC}`, false],
    ['Media', 'CNAME', 'media.', `media.${SVC}`, false],
    ['MX', 'MX', '', `10 mx.${SVC}`, false],
  ];

  it('§11.2 managed DNS: each row of the table, in its order', async () => {
    const domain = `mail.${uniqueDomain()}`;
    const made = await create({ domain });
    const token = recordOf(made, 'DKIM')?.content.split('.')[0] ?? '';
    expect(token).toMatch(/^[a-z2-7]{16}$/);
    expect(made.dns_records).toEqual(
      TABLE.map(([label, type, host, content, required]) => ({
        label,
        type,
        host: `${host}${domain}`,
        content: content.replace('<token>', token),
        required,
        propagated: false,
      })),
    );
  });

  it('§11.2 manual DNS: one DKIM record with the key itself, for a domain with a key of its own too', async () => {
    const { privateKey, publicKey } = key();
    const domain = uniqueDomain();
    const made = await create({ domain, dkim_private_key: privateKey });
    const dkim = made.dns_records.filter(({ label }) => label.startsWith('DKIM'));
    expect(dkim).toEqual([
      {
        label: 'DKIM',
        type: 'TXT',
        host: `managed._domainkey.${domain}`,
        content: `v=DKIM1; k=rsa; p=${publicKey.toString('base64')}`,
        required: true,
        propagated: false,
      },
    ]);
    expect(JSON.stringify(made)).not.toContain('PRIVATE');
    const checked = (await call('POST', `/${domain}/check-dns`)).body;
    expect(checked).toMatchObject({ dns_valid: true, rotation_ready: false });
  });

  it('§11.2 rule 1 the mode is the account’s and no field; a domain keeps it', async () => {
    const own = await postmesh.newAccount();
    const before = await create({ domain: uniqueDomain() }, own);
    await settings(own, { dns_mode: 'manual' });
    const after = await create({ domain: uniqueDomain() }, own);
    expect([before, after].map((made) => recordOf(made, 'DKIM')?.type)).toEqual(['CNAME', 'TXT']);
    expect(recordOf(after, 'DKIM')).toMatchObject({
      host: `managed._domainkey.${String(after.domain)}`,
      content: expect.stringMatching(/^v=DKIM1; k=rsa; p=MIGf/),
    });
    const kept = (await call('GET', `/${String(before.domain)}`, undefined, own)).body;
    expect(recordOf(kept, 'DKIM')?.type).toBe('CNAME');
    expectError(
      await call('POST', '', { domain: uniqueDomain(), dns_mode: 'managed' }, own),
      400,
      'unknown field: dns_mode',
    );
  });

  it('§11.2 rule 2 MX is left out at an apex and listed for subdomains', async () => {
    const apex = uniqueDomain();
    expect(recordOf(await create({ domain: apex }), 'MX')).toBeUndefined();
    expect(recordOf(await create({ domain: `mail.${apex}` }), 'MX')?.host).toBe(`mail.${apex}`);
  });

  it('§11.2 rule 3 keeps the one SPF record that is published, with our include before its all', async () => {
    const [one, two] = [uniqueDomain(), uniqueDomain()];
    const txt = (content: string) => ({ type: 'TXT', host: '@', content });
    await publish(one, [txt('v=spf1 mx ip4:192.0.2.1 -all'), txt('verification=1')]);
    await publish(two, [txt('v=spf1 mx -all'), txt('v=spf1 a -all')]);
    const spfOf = async (domain: string) => recordOf(await create({ domain }), 'SPF')?.content;
    expect(await spfOf(one)).toBe(`v=spf1 mx ip4:192.0.2.1 include:spf.${SVC} -all`);
    expect(await spfOf(two)).toBe(`v=spf1 include:spf.${SVC} ~all`);
  });

  it('§11.2 rule 4 hosts of a partner’s own replace those of the service', async () => {
    const own = await postmesh.newAccount();
    const hosts = {
      spf_host: 'spf.partner.test',
      return_path_host: 'rp.partner.test',
      tracking_host: 'track.partner.test',
      mx_host: 'mx.partner.test',
    };
    expect((await settings(own, hosts)).status).toBe(200);
    const made = await create({ domain: `mail.${uniqueDomain()}` }, own);
    const contents = ['SPF', 'Return-Path', 'Tracking', 'MX', 'Media'].map(
      (label) => recordOf(made, label)?.content,
    );
    expect(contents).toEqual([
      'v=spf1 include:spf.partner.test ~all',
      'rp.partner.test',
      'track.partner.test',
      '10 mx.partner.test',
      `media.${SVC}`,
    ]);
  });

  it('§11.2 rule 5 overrides change the host of their record', async () => {
    const domain = uniqueDomain();
    const subdomains = { tracking_subdomain: 'click', return_path_subdomain: 'bounce' };
    const made = await create({ domain, ...subdomains, dkim_selector: 'mine' });
    const labels = ['Tracking', 'Return-Path', 'DKIM', 'DKIM standby', 'Media'];
    expect(labels.map((label) => recordOf(made, label)?.host)).toEqual([
      `click.${domain}`,
      `bounce.${domain}`,
      `mine._domainkey.${domain}`,
      `mine2._domainkey.${domain}`,
      `media.${domain}`,
    ]);
    expect(made.dns_records).toHaveLength(8);
  });
});

describe('§11.3 list and get', () => {
  it('§11.3 GET list: newest first, in pages, filtered; an empty filter is none', async () => {
    const own = await postmesh.newAccount();
    const names: string[] = [await postmesh.verifiedDomain(own)];
    names.unshift(String((await create({ domain: uniqueDomain(), sending_type: 'marketing' }, own)).domain));
    names.unshift(String((await create({ domain: uniqueDomain() }, own)).domain));
    const list = async (query: string) => {
      const { status, body } = await call('GET', query, undefined, own);
      expect(status).toBe(200);
      return (body.data as { domain: string }[]).map(({ domain }) => domain);
    };
    expect(await list('')).toEqual(names);
    expect(await list('?limit=2')).toEqual(names.slice(0, 2));
    expect(await list('?dns_valid=true')).toEqual(names.slice(2));
    expect(await list('?dns_valid=false')).toEqual(names.slice(0, 2));
    expect(await list('?sending_type=marketing')).toEqual([names[1]]);
    expect(await list('?sending_type=transactional&dns_valid=false')).toEqual([names[0]]);
    expect(await list('?dns_valid=&sending_type=&limit=&after=')).toEqual(names);
    expect(await list('?unknown=1')).toEqual(names);
    const { pagination } = (await call('GET', '?limit=2', undefined, own)).body;
    expect(pagination).toEqual({ has_more: true, next_cursor: expect.any(String) });
    const rest = (await call('GET', `?limit=2&after=${pagination.next_cursor}`, undefined, own)).body;
    expect(rest).toEqual({
      object: 'list',
      data: [(await call('GET', `/${names[2]}`, undefined, own)).body],
      pagination: { has_more: false, previous_cursor: expect.any(String) },
    });
    const none = await call('GET', '', undefined, await postmesh.newAccount());
    expect(none.body).toEqual({ object: 'list', data: [], pagination: { has_more: false } });
  });

  it.each([
    ['?dns_valid=yes', 'invalid dns_valid'],
    ['?dns_valid=TRUE', 'invalid dns_valid'],
    ['?sending_type=bulk', 'invalid sending_type (one of transactional, marketing)'],
  ])('§11.3 GET list %s: 400', async (query, message) => {
    expectError(await call('GET', query), 400, message);
  });

  it('§11.3 GET: any spelling; 404 for an unknown domain or another account’s, 400 for an invalid name', async () => {
    expect((await call('GET', `/${valid.toUpperCase()}.`)).body).toMatchObject({ domain: valid });
    const domain = `xn--bcher-kva.${uniqueDomain()}`;
    await create({ domain });
    for (const spelling of [domain.toUpperCase(), encodeURIComponent(domain.replace(/^[^.]+/, 'bücher'))]) {
      expect((await call('GET', `/${spelling}`)).body).toMatchObject({ domain });
    }
    expectError(await call('GET', `/${uniqueDomain()}`), 404, 'domain not found');
    const stranger = await postmesh.newAccount();
    expectError(await call('GET', `/${valid}`, undefined, stranger), 404, 'domain not found');
    for (const bad of ['nonsense', 'a_b.test', '-a.test']) {
      expectError(await call('GET', `/${bad}`), 400, 'invalid domain name');
    }
  });

  it('§11.3 GET: needs domains:read', async () => {
    const weak = await postmesh.newKey(account, { scopes: ['domains:write', 'domains:delete:all'] });
    for (const path of ['', `/${valid}`]) {
      const refused = await postmesh.api(weak, 'GET', `{A}/domains${path}`);
      expectError(refused, 403, 'insufficient permissions for the required scope');
    }
  });
});

describe('§11.3 POST', () => {
  it('§11.3 POST takes every field, trimmed and in lower case', async () => {
    const domain = uniqueDomain();
    const made = await create({
      domain: ` ${domain.toUpperCase()}. `,
      dkim_private_key: null,
      tracking_subdomain: ' Click ',
      return_path_subdomain: '',
      subscription_subdomain: null,
      media_subdomain: 'pics',
      dkim_rotation_interval_days: 365,
      dkim_selector: ' S1 ',
      sending_type: 'marketing',
    });
    expect(made).toMatchObject({
      domain,
      dns_valid: false,
      tracking_subdomain: 'click',
      return_path_subdomain: null,
      subscription_subdomain: null,
      media_subdomain: 'pics',
      dkim_rotation_interval_days: 365,
      dkim_selector: 's1',
      sending_type: 'marketing',
    });
  });

  const NAME = 'invalid domain name, please provide a valid fully qualified domain name.';
  const LABEL = (field: string, longest: number) =>
    `${field} must be one DNS label of 1-${longest} letters, digits and hyphens`;
  it.each<[object, string]>([
    [{}, 'domain is required'],
    [{ domain: 7 }, 'domain must be a string'],
    ...['', 'nonsense', 'localhost', 'com', 'co.uk', '-a.test', 'a_b.test', 'a..test', '192.0.2.1'].map(
      (domain): [object, string] => [{ domain }, NAME],
    ),
    [{ domain: 'a.test\r\nX: y' }, NAME],
    [{ domain: `${'x'.repeat(64)}.test` }, NAME],
    [{ domain: 'localhost', tracking_subdomain: 'a.b' }, NAME],
    [
      { domain: 'a.test', dkim_private_key: 'x' },
      'invalid dkim_private_key (an RSA key of at least 1024 bits, in PEM)',
    ],
    [
      { domain: 'a.test', dkim_private_key: '' },
      'invalid dkim_private_key (an RSA key of at least 1024 bits, in PEM)',
    ],
    [{ domain: 'a.test', tracking_subdomain: 'a.b' }, LABEL('tracking_subdomain', 63)],
    [{ domain: 'a.test', media_subdomain: '-a' }, LABEL('media_subdomain', 63)],
    [{ domain: 'a.test', return_path_subdomain: 'x'.repeat(64) }, LABEL('return_path_subdomain', 63)],
    [{ domain: 'a.test', media_subdomain: 'RP' }, 'the subdomains of a domain must differ from each other'],
    [
      { domain: 'a.test', tracking_subdomain: 'rp' },
      'the subdomains of a domain must differ from each other',
    ],
    [{ domain: 'a.test', dkim_rotation_interval_days: 0 }, 'dkim_rotation_interval_days must be at least 1'],
    [
      { domain: 'a.test', dkim_rotation_interval_days: 366 },
      'dkim_rotation_interval_days must be at most 365',
    ],
    [
      { domain: 'a.test', dkim_rotation_interval_days: 1.5 },
      'dkim_rotation_interval_days must be an integer',
    ],
    ...['x'.repeat(63), '-x', 'a.b'].map((dkim_selector): [object, string] => [
      { domain: 'a.test', dkim_selector },
      LABEL('dkim_selector', 62),
    ]),
    ...[null, '', 'bulk'].map((sending_type): [object, string] => [
      { domain: 'a.test', sending_type },
      'sending_type must be one of: transactional, marketing',
    ]),
    [{ domain: 'a.test', colour: 'red' }, 'unknown field: colour'],
    [{ domain: 'a.test', dsn_recipient: 'a@b.test' }, 'dsn_recipient is not writable'],
    [{ domain: 'a.test', dns_valid: true }, 'dns_valid is not writable'],
  ])('§11.3 POST %j: 400', async (body, message) => {
    expectError(await call('POST', '', body), 400, message);
  });

  it('§11.3 POST an interval with manual DNS: 400', async () => {
    const own = await postmesh.newAccount();
    await settings(own, { dns_mode: 'manual' });
    const body = { domain: uniqueDomain(), dkim_rotation_interval_days: 30 };
    const message = 'dkim_rotation_interval_days is only for domains with managed DNS';
    expectError(await call('POST', '', body, own), 400, message);
    expectError(await call('POST', '', { ...body, dkim_private_key: key().privateKey }), 400, message);
  });

  it('§11.3 POST needs domains:write', async () => {
    const weak = await postmesh.newKey(account, { scopes: ['domains:read'] });
    const body = { domain: uniqueDomain() };
    const refused = await postmesh.api(weak, 'POST', '{A}/domains', { body });
    expectError(refused, 403, 'insufficient permissions for the required scope');
  });

  it('§11.3 POST key and selector are for partners: 403; a blank selector is for all', async () => {
    const own = await ordinary();
    const refused = (body: object) => call('POST', '', { domain: uniqueDomain(), ...body }, own);
    const { privateKey } = key();
    expectError(
      await refused({ dkim_private_key: privateKey }),
      403,
      'dkim_private_key is only available to partner accounts',
    );
    expectError(
      await refused({ dkim_selector: 'mine' }),
      403,
      'dkim_selector is only available to partner accounts',
    );
    for (const blank of [null, '', '  ']) {
      expect(await create({ domain: uniqueDomain(), dkim_selector: blank }, own)).toMatchObject({
        dkim_selector: null,
      });
    }
  });

  it('§11.3 POST 409 for a domain of the account; another account may have it; 403 above the limit', async () => {
    const twice = await call('POST', '', { domain: `${valid.toUpperCase()}.` });
    expectError(twice, 409, 'domain already exists');
    expect(twice.headers['idempotent-replayed']).toBeUndefined();
    const other = await postmesh.newAccount();
    const theirs = recordOf(await create({ domain: valid }, other), 'DKIM');
    const mine = recordOf((await call('GET', `/${valid}`)).body, 'DKIM');
    expect([theirs?.host, theirs?.content === mine?.content]).toEqual([mine?.host, false]);
    await settings(other, { domain_limit: 1 });
    expectError(await call('POST', '', { domain: uniqueDomain() }, other), 403, 'domain limit reached');
  });

  it('§11.3 POST is replayed under its key for a day, a 409 too', async () => {
    const headers = { 'idempotency-key': unique('key') };
    const body = { domain: uniqueDomain() };
    const first = await postmesh.api(account.key, 'POST', '{A}/domains', { body, headers });
    const again = await postmesh.api(account.key, 'POST', '{A}/domains', { body, headers });
    expect([first.status, again.status, again.headers['idempotent-replayed']]).toEqual([201, 201, 'true']);
    expect(again.bytes.equals(first.bytes)).toBe(true);
    const another = { body: { domain: uniqueDomain() }, headers };
    expect((await postmesh.api(account.key, 'POST', '{A}/domains', another)).status).toBe(422);
  });
});

describe('§11.3 POST check-dns', () => {
  it('§11.3 POST check-dns within a minute: the stored result, without a look-up', async () => {
    const domain = uniqueDomain();
    await create({ domain });
    const first = (await call('POST', `/${domain}/check-dns`)).body;
    expect(first.dns_valid).toBe(true);
    await publish(domain, []);
    const again = await call('POST', `/${domain}/check-dns`);
    expect([again.status, again.body]).toEqual([200, first]);
  });

  it('§11.3 POST check-dns: 404, 400, and 403 without domains:write', async () => {
    expectError(await call('POST', `/${uniqueDomain()}/check-dns`), 404, 'domain not found');
    expectError(await call('POST', '/nonsense/check-dns'), 400, 'invalid domain name');
    const stranger = await postmesh.newAccount();
    const foreign = await call('POST', `/${valid}/check-dns`, undefined, stranger);
    expectError(foreign, 404, 'domain not found');
    const weak = await postmesh.newKey(account, { scopes: ['domains:read'] });
    const refused = await postmesh.api(weak, 'POST', `{A}/domains/${valid}/check-dns`);
    expectError(refused, 403, 'insufficient permissions for the required scope');
  });
});

describe('§11.3 DELETE', () => {
  const NO_SCOPE = 'api key does not have sufficient permissions to delete domains';

  it('§11.3 DELETE with :all or the domain’s own scope', async () => {
    const [one, two] = [uniqueDomain(), uniqueDomain()];
    for (const domain of [one, two, `mail.${one}`]) await create({ domain });
    const scoped = await postmesh.newKey(account, { scopes: [`domains:delete:{${one}}`] });
    const all = await postmesh.newKey(account, { scopes: ['domains:delete:all'] });
    const remove = (by: typeof scoped, domain: string) => postmesh.api(by, 'DELETE', `{A}/domains/${domain}`);
    expectError(await remove(scoped, two), 403, NO_SCOPE);
    for (const scope of [`domains:delete:{mail.${one}}`, 'domains:write']) {
      expectError(await remove(await postmesh.newKey(account, { scopes: [scope] }), one), 403, NO_SCOPE);
    }
    for (const [by, domain] of [
      [scoped, one],
      [all, two],
    ] as const) {
      const removed = await remove(by, domain);
      expect([removed.status, removed.body]).toEqual([200, { message: 'domain deleted successfully' }]);
      expectError(await call('GET', `/${domain}`), 404, 'domain not found');
    }
  });

  it('§11.3 DELETE scope, existence, paused: in this order', async () => {
    const domain = uniqueDomain();
    await create({ domain });
    const pause = `/operator/domains/accounts/${account.id}/domains/${domain}/pause`;
    expect((await postmesh.operator('POST', pause, { reason: 'a test' })).status).toBe(200);
    const other = await postmesh.newKey(account, { scopes: [`domains:delete:{${valid}}`] });
    for (const name of [domain, uniqueDomain()]) {
      expectError(await postmesh.api(other, 'DELETE', `{A}/domains/${name}`), 403, NO_SCOPE);
    }
    expectError(await call('DELETE', `/${uniqueDomain()}`), 404, 'domain not found');
    expectError(await call('DELETE', '/nonsense'), 400, 'invalid domain name');
    const stranger = await postmesh.newAccount();
    expectError(await call('DELETE', `/${domain}`, undefined, stranger), 404, 'domain not found');
    expectError(
      await call('DELETE', `/${domain}`),
      403,
      `Sending is paused on the domain '${domain}'. You cannot remove or rename it while sending is paused. Contact support.`,
    );
    const kept = (await call('GET', `/${domain}`)).body;
    expect(kept).toMatchObject({ paused: true, pause_reason: 'operator' });
  });
});
