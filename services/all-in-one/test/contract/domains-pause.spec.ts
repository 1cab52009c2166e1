import { beforeAll, describe, expect, it } from 'vitest';
import {
  eventually,
  expectError,
  sharedInstallation,
  TIMESTAMP,
  unique,
  uniqueDomain,
  type Account,
} from './harness.js';

const postmesh = sharedInstallation();

let account: Account;
let other: Account;
let domain: string;
beforeAll(async () => {
  [account, other] = [await postmesh.newAccount(), await postmesh.newAccount()];
  domain = await postmesh.verifiedDomain(account);
});

const read = async () => (await postmesh.api(account.key, 'GET', `{A}/domains/${domain}`)).body;
const operate = (action: string, body?: object, name = domain) =>
  postmesh.operator('POST', `/operator/domains/accounts/${account.id}/domains/${name}/${action}`, body);
const send = (from: string, { key } = account, more: object = {}) =>
  postmesh.api(key, 'POST', '{A}/messages/conversation', {
    body: {
      from: { email: `news@${from}` },
      to: [{ email: `${unique('r')}@mail.test` }],
      subject: 'Hello',
      text_content: 'Hello',
      ...more,
    },
  });
const sends =
  (...given: Parameters<typeof send>) =>
  async () =>
    (await send(...given)).status;

describe('§11.8 pause', () => {
  it('§11.8 rule 2 a paused domain does not send; other domains, other accounts and the sandbox do', async () => {
    const second = await postmesh.verifiedDomain(account);
    const foreign = await postmesh.verifiedDomain(other);
    expect(await sends(domain)()).toBe(202);
    expect((await operate('pause', { reason: 'complaints of a provider' })).status).toBe(200);
    const paused = await read();
    expect(paused).toMatchObject({
      paused: true,
      paused_at: expect.stringMatching(TIMESTAMP),
      pause_reason: 'operator',
    });
    expectError(
      await send(domain),
      403,
      `Sending from domain '${domain}' is paused. Check your dashboard for the reason.`,
    );
    expect(await sends(second)()).toBe(202);
    expect(await sends(foreign, other)()).toBe(202);
    expect(await sends(domain, account, { sandbox: true })()).toBe(202);
    expectError(
      await postmesh.api(account.key, 'DELETE', `{A}/domains/${domain}`),
      403,
      `Sending is paused on the domain '${domain}'. You cannot remove or rename it while sending is paused. Contact support.`,
    );
    const body = { dsn_recipient: 'a@b.test' };
    const updated = await postmesh.api(account.key, 'PUT', `{A}/domains/${domain}`, { body });
    expect([updated.status, updated.body.paused]).toEqual([200, true]);
    expect((await postmesh.api(account.key, 'POST', `{A}/domains/${domain}/check-dns`)).status).toBe(200);
  });

  it('§11.8 rule 3 lifted by the operator it sends with the next request', async () => {
    await operate('pause', { reason: 'a test' });
    const lifted = await operate('unpause');
    expect(lifted.body.data[0]).toMatchObject({ paused: false, paused_at: null, pause_reason: null });
    expect(await read()).toMatchObject({ paused: false, paused_at: null, pause_reason: null });
    expect(await sends(domain)()).toBe(202);
  });

  it('§11.8 cause, time and the operator who lifted it are stored, and in the audit', async () => {
    await operate('pause', { reason: 'once more' });
    await operate('unpause');
    const { body } = await postmesh.operator('GET', `/operator/domains/domains/${domain}`);
    expect(body.data).toHaveLength(1);
    expect(body.data[0].pauses[0]).toEqual({
      paused_at: expect.stringMatching(TIMESTAMP),
      reason: 'operator',
      paused_by: 'operator',
      note: 'once more',
      delivered: null,
      bounced: null,
      lifted_at: expect.stringMatching(TIMESTAMP),
      lifted_by: 'operator',
    });
    const audit = await postmesh.operator('GET', `/operator/accounts/audit?account_id=${account.id}&limit=2`);
    const actions = (audit.body.data as { action: string }[]).map(({ action }) => action);
    expect(actions).toEqual(
      ['unpause', 'pause'].map((action) => `POST domains/accounts/{account_id}/domains/{domain}/${action}`),
    );
  });

  it('§11.8 the operator’s interface refuses invalid requests', async () => {
    const blank = await operate('pause', {});
    expect([blank.status, blank.body]).toEqual([400, { message: 'reason is required' }]);
    expect((await operate('unlock', { fields: ['colour'] })).status).toBe(400);
    const unknown = [
      await operate('pause', { reason: 'x' }, uniqueDomain()),
      await postmesh.operator('GET', `/operator/domains/domains/${uniqueDomain()}`),
    ];
    for (const { status, body } of unknown)
      expect([status, body]).toEqual([404, { message: 'domain not found' }]);
  });
});

describe('§11.9 deleting a domain', () => {
  it('§11.9 takes its scopes from keys, its name from webhooks and disables its routes; added again it is new', async () => {
    const name = await postmesh.verifiedDomain(account);
    const path = `{A}/domains/${name}`;
    const before = (await postmesh.api(account.key, 'GET', path)).body;
    const key = await postmesh.newKey(account, { scopes: [`messages:send:{${name}}`] });
    const hook = { name: 'Hook', url: 'https://hooks.example.com/', scope: 'scoped', on_reception: true };
    const made = async (domains: string[]) =>
      (await postmesh.api(account.key, 'POST', '{A}/webhooks', { body: { ...hook, domains } })).body.id;
    const [only, both] = [await made([name]), await made([name, domain])];
    const incoming = { name: 'Route', url: 'https://hooks.example.com/', recipient: `*@${name}` };
    const { id: routeId } = (await postmesh.api(account.key, 'POST', '{A}/routes', { body: incoming })).body;
    const route = (method = 'GET', body?: object) =>
      postmesh.api(account.key, method, `{A}/routes/${routeId}`, { body });
    const sent = await send(name);
    expect(sent.status).toBe(202);

    expect((await postmesh.api(account.key, 'DELETE', path)).status).toBe(200);
    expectError(await send(name), 400, `domain '${name}' not found in this account`);
    expectError(await postmesh.api(account.key, 'GET', path), 404, 'domain not found');
    const scopes = async () => (await postmesh.api(account.key, 'GET', `{A}/api-keys/${key.id}`)).body.scopes;
    await eventually(scopes).toEqual([]);
    expect((await postmesh.api(key, 'GET', '/v2/ping')).status).toBe(200);
    const webhook = async (id: string) => {
      const { scope, domains } = (await postmesh.api(account.key, 'GET', `{A}/webhooks/${id}`)).body;
      return { scope, domains };
    };
    await eventually(() => webhook(only)).toEqual({ scope: 'scoped', domains: [] });
    expect(await webhook(both)).toEqual({ scope: 'scoped', domains: [domain] });
    await eventually(async () => (await route()).body.enabled).toBe(false);
    expectError(await route('PUT', { enabled: true }), 400, `recipient domain not found: ${name}`);

    const again = (await postmesh.api(account.key, 'POST', '{A}/domains', { body: { domain: name } })).body;
    expect(again.id).not.toBe(before.id);
    const keyOf = (resource: { dns_records: { label: string; content: string }[] }) =>
      resource.dns_records.find(({ label }) => label === 'DKIM')?.content;
    expect(keyOf(again)).not.toBe(keyOf(before));
    const changed = await postmesh.api(account.key, 'PUT', path, {
      body: { tracking_subdomain: 'click', dkim_selector: 'mine' },
    });
    expect(changed.status).toBe(200);
  });
});
