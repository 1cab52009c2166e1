import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectError, sharedInstallation, uniqueDomain, type Account } from './harness.js';

const postmesh = sharedInstallation();

let account: Account;
/** verified: its subdomains and its selector are locked */
let locked: string;
beforeAll(async () => {
  account = await postmesh.newAccount();
  locked = await postmesh.verifiedDomain(account);
});

interface DnsRecord {
  label: string;
  host: string;
  content: string;
  propagated: boolean;
}

const update = (domain: string, body: object, { key } = account) =>
  postmesh.api(key, 'PUT', `{A}/domains/${domain}`, { body });
const read = async (domain: string, { key } = account) =>
  (await postmesh.api(key, 'GET', `{A}/domains/${domain}`)).body;
const added = async (body: object = {}, { key } = account): Promise<string> => {
  const domain = uniqueDomain();
  const made = await postmesh.api(key, 'POST', '{A}/domains', { body: { domain, ...body } });
  expect(made.status).toBe(201);
  return domain;
};
const recordOf = ({ dns_records: records }: { dns_records: DnsRecord[] }, label: string) =>
  records.find((record) => record.label === label);
const newKey = () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 1024,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { privateKey, content: `v=DKIM1; k=rsa; p=${publicKey.toString('base64')}` };
};
const unlock = (domain: string, fields: string[]) =>
  postmesh.operator('POST', `/operator/domains/accounts/${account.id}/domains/${domain}/unlock`, { fields });
/** The next check is allowed at once. */
const check = async (domain: string) => {
  await postmesh.sql(
    `update domains.domains set last_dns_check_at = last_dns_check_at - interval '2 minutes' where domain = $1`,
    [domain],
  );
  return (await postmesh.api(account.key, 'POST', `{A}/domains/${domain}/check-dns`)).body;
};

describe('§11.3 PUT', () => {
  it('§11.3 PUT changes the given fields and no other', async () => {
    const domain = await added({ media_subdomain: 'pics' });
    const before = await read(domain);
    const given = await update(domain.toUpperCase(), {
      tracking_subdomain: ' Click ',
      dkim_rotation_interval_days: 30,
      dkim_selector: 'Mine',
      sending_type: 'marketing',
      dsn_recipient: ' Reports@Ops.test ',
    });
    expect([given.status, given.body]).toEqual([
      200,
      {
        ...before,
        updated_at: expect.any(String),
        tracking_subdomain: 'click',
        dkim_rotation_interval_days: 30,
        dkim_selector: 'mine',
        sending_type: 'marketing',
        dsn_recipient: 'reports@ops.test',
        dns_records: expect.any(Array),
      },
    ]);
    expect(recordOf(given.body, 'Tracking')?.host).toBe(`click.${domain}`);
    expect(await read(domain)).toEqual(given.body);
  });

  it('§11.3 PUT null leaves, "" clears', async () => {
    const domain = await added({ tracking_subdomain: 'click', dkim_selector: 'mine' });
    await update(domain, { dsn_recipient: 'a@b.test', dkim_rotation_interval_days: 9 });
    const before = await read(domain);
    const nothing = {
      dkim_private_key: null,
      tracking_subdomain: null,
      return_path_subdomain: null,
      subscription_subdomain: null,
      media_subdomain: null,
      dkim_rotation_interval_days: null,
      dkim_selector: null,
      dsn_recipient: null,
    };
    for (const body of [{}, nothing]) {
      const given = await update(domain, body);
      expect([given.status, given.body]).toEqual([200, before]);
    }
    const cleared = await update(domain, { tracking_subdomain: '', dkim_selector: ' ', dsn_recipient: '' });
    expect(cleared.body).toMatchObject({
      tracking_subdomain: null,
      dkim_selector: null,
      dsn_recipient: null,
      dkim_rotation_interval_days: 9,
    });
  });

  it.each([
    ['domain', 'other.test', 'domain is not writable'],
    ['paused', false, 'paused is not writable'],
    ['colour', 1, 'unknown field: colour'],
    ['tracking_subdomain', 7, 'tracking_subdomain must be a string'],
    ['dkim_rotation_interval_days', 0, 'dkim_rotation_interval_days must be at least 1'],
    ['dkim_rotation_interval_days', 366, 'dkim_rotation_interval_days must be at most 365'],
    ['sending_type', null, 'sending_type must be one of: transactional, marketing'],
    ['sending_type', '', 'sending_type must be one of: transactional, marketing'],
    ['dsn_recipient', 'nobody', 'dsn_recipient is not a valid email address'],
    ['media_subdomain', '-x', 'media_subdomain must be one DNS label of 1-63 letters, digits and hyphens'],
    ['dkim_private_key', 'x', 'invalid dkim_private_key (an RSA key of at least 1024 bits, in PEM)'],
  ])('§11.3 PUT %s %j: 400', async (field, value, message) => {
    expectError(await update(locked, { [field]: value }), 400, message);
  });

  it('§11.3 PUT 403 without domains:write, then 400 for the body, then 404; 400 for an invalid name', async () => {
    expectError(await update(uniqueDomain(), {}), 404, 'domain not found');
    expectError(await update('nonsense', {}), 400, 'invalid domain name');
    const weak = await postmesh.newKey(account, { scopes: ['domains:read', 'domains:delete:all'] });
    for (const body of [{}, { colour: 1 }]) {
      const refused = await postmesh.api(weak, 'PUT', `{A}/domains/${locked}`, { body });
      expectError(refused, 403, 'insufficient permissions for the required scope');
    }
    expectError(await update(uniqueDomain(), { media_subdomain: 'a.b' }), 400);
    expectError(await update(locked, []), 400, 'invalid request body');
    expectError(await update(locked, {}, await postmesh.newAccount()), 404, 'domain not found');
  });

  it('§2.5 table suspended: PUT is 403, after 404 and before the checks of the domain', async () => {
    const own = await postmesh.newAccount();
    const domain = await postmesh.verifiedDomain(own);
    const path = `/operator/accounts/accounts/${own.id}/suspend`;
    expect((await postmesh.operator('POST', path, { reason: 'a test' })).status).toBe(200);
    expectError(
      await update(domain, { tracking_subdomain: 'click' }, own),
      403,
      'account is suspended, contact support',
    );
    expectError(await update(uniqueDomain(), {}, own), 404, 'domain not found');
    expectError(await update(uniqueDomain(), { media_subdomain: 'a.b' }, own), 400);
  });
});

describe('§11.3 PUT table: API errors', () => {
  it.each(['tracking_subdomain', 'return_path_subdomain', 'subscription_subdomain', 'media_subdomain'])(
    '§11.3 PUT table %s whose record was verified',
    async (field) => {
      const refused = await update(locked, { [field]: 'other' });
      expectError(refused, 400, `${field} is locked after DNS verification, contact support`);
    },
  );

  it('§11.3 PUT table the selector after it locked', async () => {
    expectError(
      await update(locked, { dkim_selector: 'other' }),
      400,
      'dkim_selector is locked after DNS verification, contact support',
    );
  });

  it('§11.3 PUT table the selector during a rotation', async () => {
    const domain = await added();
    await postmesh.sql('update domains.domains set rotation_started_at = now() where domain = $1', [domain]);
    expectError(
      await update(domain, { dkim_selector: 'other' }),
      400,
      'dkim_selector cannot change while a DKIM rotation is in progress',
    );
    expect((await update(domain, { sending_type: 'marketing', dkim_selector: '' })).status).toBe(200);
  });

  it('§11.3 PUT table an interval with manual DNS', async () => {
    const domain = await added({ dkim_private_key: newKey().privateKey });
    expectError(await update(domain, { dkim_rotation_interval_days: 30 }), 400);
  });

  it('§11.3 PUT table selector or key without the partner flag; the stored value may be sent again', async () => {
    const own = await postmesh.newAccount();
    const { privateKey } = newKey();
    const domain = await added({ dkim_private_key: privateKey, dkim_selector: 'mine' }, own);
    const path = `/operator/accounts/accounts/${own.id}`;
    expect((await postmesh.operator('PUT', path, { platform_partner: false })).status).toBe(200);
    for (const body of [{ dkim_selector: 'other' }, { dkim_private_key: newKey().privateKey }]) {
      const message = `${Object.keys(body)[0]} is only available to partner accounts`;
      expectError(await update(domain, body, own), 403, message);
    }
    const same = { dkim_private_key: privateKey, dkim_selector: 'MINE' };
    expect((await update(domain, same, own)).status).toBe(200);
    expect((await update(domain, { dkim_selector: '' }, own)).body.dkim_selector).toBeNull();
  });

  it('§11.3 PUT the current values of locked fields are never refused', async () => {
    const domain = uniqueDomain();
    const body = { domain, tracking_subdomain: 'click', dkim_selector: 'mine' };
    await postmesh.api(account.key, 'POST', '{A}/domains', { body });
    expect((await check(domain)).dns_valid).toBe(true);
    const given = await update(domain, { tracking_subdomain: 'click', dkim_selector: 'mine' });
    expect([given.status, given.body]).toEqual([200, await read(domain)]);
  });

  it('§11.3 PUT all fields are checked before any is stored', async () => {
    const before = await read(locked);
    const body = { sending_type: 'marketing', dsn_recipient: 'a@b.test', dkim_selector: 'other' };
    expectError(await update(locked, body), 400);
    expect(await read(locked)).toEqual(before);
  });
});

describe('§11.3 PUT a key of the owner’s own', () => {
  it('§11.3 PUT replaces it: the record changes, is not propagated, and is seen by the next check', async () => {
    const [first, second] = [newKey(), newKey()];
    const domain = await added({ dkim_private_key: first.privateKey });
    expect((await check(domain)).dns_valid).toBe(true);
    const given = await update(domain, { dkim_private_key: second.privateKey });
    expect(recordOf(given.body, 'DKIM')).toMatchObject({ content: second.content, propagated: false });
    expect(given.body.dns_valid).toBe(true);
    const seen = await check(domain);
    expect([seen.dns_valid, recordOf(seen, 'DKIM')?.propagated]).toEqual([true, true]);
  });

  it('§11.2 rule 1 a domain with managed DNS keeps its mode: 400', async () => {
    const refused = await update(locked, { dkim_private_key: newKey().privateKey });
    expectError(refused, 400, 'dkim_private_key is only for domains with manual DNS');
  });
});

describe('§11.6 locks', () => {
  it('§11.6 rule 1 end with the operator, for one change', async () => {
    const domain = await postmesh.verifiedDomain(account);
    const unlocked = await unlock(domain, ['tracking_subdomain']);
    expect(unlocked.status).toBe(200);
    const given = await update(domain, { tracking_subdomain: 'click' });
    expect(recordOf(given.body, 'Tracking')).toMatchObject({ host: `click.${domain}`, propagated: false });
    expect(recordOf(await check(domain), 'Tracking')?.propagated).toBe(true);
    expectError(await update(domain, { tracking_subdomain: 'other' }), 400);
    expectError(await update(domain, { media_subdomain: 'other' }), 400);
  });

  it('§11.6 rule 1 survive broken DNS, and end with the domain', async () => {
    const domain = await postmesh.verifiedDomain(account);
    await postmesh.sql(
      `update domains.dns_records set propagated = false where domain_id =
      (select id from domains.domains where domain = $1)`,
      [domain],
    );
    expectError(await update(domain, { tracking_subdomain: 'other' }), 400);
    expect((await postmesh.api(account.key, 'DELETE', `{A}/domains/${domain}`)).status).toBe(200);
    await postmesh.api(account.key, 'POST', '{A}/domains', { body: { domain } });
    expect((await update(domain, { tracking_subdomain: 'other', dkim_selector: 'x' })).status).toBe(200);
  });

  it('§11.6 rule 2 the effective selector: locked, own, the account’s, managed', async () => {
    const own = await postmesh.newAccount();
    const selectorOf = async (domain: string) =>
      recordOf(await read(domain, own), 'DKIM')?.host.split('.')[0];
    const domain = await added({}, own);
    expect(await selectorOf(domain)).toBe('managed');
    const settings = `/operator/domains/accounts/${own.id}/settings`;
    await postmesh.operator('PUT', settings, { dkim_selector: 'acct' });
    expect(await selectorOf(domain)).toBe('acct');
    await update(domain, { dkim_selector: 'mine' }, own);
    expect(await selectorOf(domain)).toBe('mine');
    await update(domain, { dkim_selector: '' }, own);
    await postmesh.api(own.key, 'POST', `{A}/domains/${domain}/check-dns`);
    await postmesh.operator('PUT', settings, { dkim_selector: 'later' });
    expect(await selectorOf(domain)).toBe('acct');
    expect((await read(domain, own)).dkim_selector).toBeNull();
  });

  it('§11.6 rule 3 the standby host is the selector with a 2, so one of 62 characters is the longest', async () => {
    const selector = 'x'.repeat(62);
    const domain = await added({ dkim_selector: selector });
    expect(recordOf(await read(domain), 'DKIM standby')?.host).toBe(`${selector}2._domainkey.${domain}`);
    expectError(await update(domain, { dkim_selector: `${selector}x` }), 400);
  });
});
