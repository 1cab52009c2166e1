import { createPrivateKey, createPublicKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  DomainCounts,
  DomainFacts,
  DomainNamesPage,
  DomainOwners,
  OwnedDomain,
} from '@postmesh/domains-contract';
import { newId } from '@postmesh/contracts';
import { domainsUnderTest } from '../testing/domains-under-test.js';

// proven again: the facts that other services read, field by field
const domains = domainsUnderTest();
const internal = (path: string, body?: object) =>
  domains.service.internal(body ? 'POST' : 'GET', `/internal/${path}`, body);

describe('queries of other services', () => {
  it('the facts of one domain after the last request', async () => {
    const account = domains.service.accountId;
    await domains.valid('ask.test');
    const found = await internal(`accounts/${account}/domains/ask.test`);
    expect(found.status).toBe(200);
    expect(DomainFacts.parse(found.body)).toMatchObject({
      domain: 'ask.test',
      dns_valid: true,
      paused: false,
      deleted: false,
      return_path_host: 'rp.ask.test',
      revision: 2,
    });
    expect(OwnedDomain.safeParse(found.body).success).toBe(true);
    await domains.service.call('DELETE', domains.path('/ask.test'));
    expect((await internal(`accounts/${account}/domains/ask.test`)).status).toBe(404);
  });

  it('404 for another account and for an invalid domain, 400 for an invalid account', async () => {
    await domains.create({ domain: 'owned.test' });
    expect((await internal(`accounts/${newId()}/domains/owned.test`)).status).toBe(404);
    expect((await internal(`accounts/${newId()}/domains/${encodeURIComponent('a b')}`)).status).toBe(404);
    expect((await internal('accounts/nobody/domains/owned.test')).status).toBe(400);
  });

  it('the names that an account has among many', async () => {
    await domains.create({ domain: 'f1.test' });
    await domains.create({ domain: 'f2.test' });
    const path = `accounts/${domains.service.accountId}/domains/find`;
    const found = await internal(path, { domains: ['F2.test', 'f1.test', 'f3.test', 'nonsense'] });
    expect([found.status, found.body.map((facts: DomainFacts) => facts.domain)]).toEqual([
      200,
      ['f1.test', 'f2.test'],
    ]);
    expect((await internal(path, { domains: [] })).body).toEqual([]);
    expect((await internal(path, { domains: 'f1.test' })).status).toBe(400);
  });

  it('spec 2-messages §15.6: the recipient of bounce reports: the domain’s value, else the account’s default', async () => {
    const account_id = domains.account();
    await domains.create({ domain: 'own.test' }, { account_id });
    await domains.create({ domain: 'default.test' }, { account_id });
    const recipients = async () => {
      const path = `accounts/${account_id}/domains/find`;
      const { body } = await internal(path, { domains: ['own.test', 'default.test'] });
      return Object.fromEntries(body.map((facts: DomainFacts) => [facts.domain, facts.dsn_recipient]));
    };
    expect(await recipients()).toEqual({ 'own.test': undefined, 'default.test': undefined });
    const settings = `/operator/accounts/${account_id}/settings`;
    await domains.service.internal('PUT', settings, { dsn_recipient: 'All@Shop.test' });
    await domains.service.call('PUT', domains.path('/own.test', account_id), {
      account_id,
      body: { dsn_recipient: 'bounces@own.test' },
    });
    expect(await recipients()).toEqual({ 'own.test': 'bounces@own.test', 'default.test': 'all@shop.test' });
    expect((await domains.service.internal('PUT', settings, { dsn_recipient: 'nobody' })).status).toBe(400);
    await domains.service.internal('PUT', settings, { dsn_recipient: null });
    expect(await recipients()).toMatchObject({ 'default.test': undefined });
  });

  it('all names of an account, a thousand per page', async () => {
    const account_id = domains.account();
    await domains.create({ domain: 'n0000.test' }, { account_id });
    await domains.sql(
      `insert into domains select (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(),
         'domain', 'n' || lpad(n::text, 4, '0') || '.test', 'domain_token', 'names' || n))).*
       from domains d, generate_series(1, 1000) n where d.account_id = $1`,
      [account_id],
    );
    const first = await internal(`accounts/${account_id}/domains`);
    expect(DomainNamesPage.parse(first.body)).toMatchObject({ next: 'n0999.test' });
    expect([first.body.domains.length, first.body.domains[0]]).toEqual([1_000, 'n0000.test']);
    const rest = await internal(`accounts/${account_id}/domains?after=${first.body.next}`);
    expect(rest.body).toEqual({ domains: ['n1000.test'], next: null });
    expect((await internal(`accounts/${newId()}/domains`)).body).toEqual({ domains: [], next: null });
  });

  it('the number of domains of several accounts', async () => {
    const [one, two, none] = [domains.account(), domains.account(), domains.account()];
    await domains.create({ domain: 'c1.test' }, { account_id: one });
    await domains.create({ domain: 'c1.test' }, { account_id: two });
    await domains.create({ domain: 'c2.test' }, { account_id: two });
    const counts = async (account_ids: unknown) => {
      const given = await internal('domains/counts', { account_ids });
      return [given.status, given.body.counts];
    };
    expect(await counts([one, none])).toEqual([200, [{ account_id: one, domain_count: 1 }]]);
    const [, both] = await counts([two, one, two]);
    expect(DomainCounts.parse({ counts: both }).counts).toHaveLength(2);
    expect(both).toContainEqual({ account_id: two, domain_count: 2 });
    expect(await counts([])).toEqual([200, []]);
    expect((await counts(['x']))[0]).toBe(400);
    expect((await counts(Array.from({ length: 1_001 }, newId)))[0]).toBe(400);
  });

  it('nothing without a service token', async () => {
    const path = `/internal/accounts/${domains.service.accountId}/domains/f1.test`;
    expect((await domains.service.call('GET', path)).status).toBe(404);
  });
});

describe('the owner of inbound mail for a domain', () => {
  const ownersOf = async (...names: string[]) => {
    const { status, body } = await internal('domains/owners', { domains: names });
    expect(status).toBe(200);
    return DomainOwners.parse(body).owners;
  };
  const accountsOf = async (name: string) => (await ownersOf(name)).map(({ account_id }) => account_id);
  const copyIn = async (domain: string, account_id: string) =>
    (await domains.create({ domain }, { account_id })).body.id as string;
  const set = (id: string, columns: string) =>
    domains.sql(`update domains set ${columns} where id = $1`, [id]);

  it('one account, verified or not', async () => {
    const account_id = domains.account();
    const domain_id = await copyIn('sole.test', account_id);
    expect(await ownersOf('SOLE.test', 'nobody.test', 'nonsense', '')).toEqual([
      { account_id, domain_id, domain: 'sole.test' },
    ]);
    expect(await ownersOf()).toEqual([]);
    expect((await internal('domains/owners', { domains: 'sole.test' })).status).toBe(400);
  });

  it('every account whose copy is valid, else one alone: valid once before never, then the oldest', async () => {
    const [first, second, third] = [domains.account(), domains.account(), domains.account()];
    const one = await copyIn('same.test', first);
    const two = await copyIn('same.test', second);
    const three = await copyIn('same.test', third);
    expect(await accountsOf('same.test')).toEqual([first]);
    await set(two, `state = 'valid', locked_selector = 's'`);
    expect(await accountsOf('same.test')).toEqual([second]);
    await set(three, `state = 'suspect', locked_selector = 's'`);
    expect(await accountsOf('same.test')).toEqual([second, third]);
    // an account without control of the DNS does not get the mail while the owner repairs a record
    await set(two, `state = 'invalid'`);
    await set(three, `state = 'invalid'`);
    expect(await accountsOf('same.test')).toEqual([second]);
    await domains.service.call('DELETE', domains.path('/same.test', second), { account_id: second });
    expect(await accountsOf('same.test')).toEqual([third]);
    await set(one, `state = 'valid', locked_selector = 's'`);
    expect(await accountsOf('same.test')).toEqual([first]);
  });
});

describe('the signing key', () => {
  it('is the active one, under the selector of its record', async () => {
    const made = await domains.create({ domain: 'sign.test' });
    await domains.publish(made.body);
    const given = await internal(`domains/${made.body.id}/signing-key`);
    expect(given.body).toEqual({
      key_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      domain: 'sign.test',
      dns_valid: false,
      paused: false,
      selector: 'managed',
      algorithm: 'rsa-sha256',
      private_key_pem: expect.stringMatching(/^-----BEGIN PRIVATE KEY-----/),
      tracking_host: null,
    });
    const publicKey = createPublicKey(createPrivateKey(given.body.private_key_pem));
    const text = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    const zone = await domains.service.internal('GET', '/operator/zone');
    const alias = made.body.dns_records[1].content;
    expect(zone.body.serviceRecords).toContainEqual({
      type: 'TXT',
      host: alias,
      content: `v=DKIM1; k=rsa; p=${text}`,
    });
  });

  it('is the one of the second slot after a swap, with a locked selector', async () => {
    const made = await domains.create({ domain: 'swap.test' });
    const first = await internal(`domains/${made.body.id}/signing-key`);
    await domains.sql(
      `update domains set active_slot = 2, locked_selector = 's9' where domain = 'swap.test'`,
    );
    const second = await internal(`domains/${made.body.id}/signing-key`);
    expect(second.body.selector).toBe('s92');
    expect(second.body.key_id).not.toBe(first.body.key_id);
  });

  it('404 for a deleted domain, 400 for an invalid id', async () => {
    expect((await internal(`domains/${newId()}/signing-key`)).status).toBe(404);
    expect((await internal('domains/x/signing-key')).status).toBe(400);
  });
});

describe('hosts of links', () => {
  const isServed = async (host: string) => (await internal(`link-hosts/${host}`)).status === 200;

  it('are those whose record a check has seen, of any account, until the domain is deleted', async () => {
    const account = domains.account();
    const made = await domains.create(
      { domain: 'links.test', tracking_subdomain: 'go' },
      { account_id: account },
    );
    expect(await isServed('go.links.test')).toBe(false);
    await domains.publish(made.body, ['Media']);
    await domains.check('links.test', { account_id: account });
    const hosts = ['go', 'subs', 'media', 'track', 'rp', 'www'].map((label) => `${label}.links.test`);
    expect(await Promise.all([...hosts, 'links.test', 'test', 'no%20name'].map(isServed))).toEqual([
      true,
      true,
      ...Array.from({ length: 7 }, () => false),
    ]);
    expect(await isServed('GO.links.test.')).toBe(true);
    await domains.service.call('DELETE', domains.path('/links.test', account), { account_id: account });
    expect(await isServed('go.links.test')).toBe(false);
  });
});
