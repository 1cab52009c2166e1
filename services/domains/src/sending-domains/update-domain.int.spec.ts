import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { TestRequest } from '@postmesh/service-testing';
import { domainsUnderTest } from '../testing/domains-under-test.js';

// proven again: requests that meet, revisions, events, and the key that signs
const domains = domainsUnderTest();
const update = (domain: string, body: object, more: TestRequest = {}) =>
  domains.service.call('PUT', domains.path(`/${domain}`, more.account_id), { ...more, body });
const answered = async (...given: Parameters<typeof update>) => {
  const { status, body } = await update(...given);
  return [status, body];
};
const newKey = () =>
  generateKeyPairSync('rsa', {
    modulusLength: 1024,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
interface ListedRecord {
  label: string;
  content: string;
  propagated: boolean;
}
const recordOf = (resource: { dns_records: { label: string }[] }, label: string): ListedRecord | undefined =>
  (resource.dns_records as ListedRecord[]).find((record) => record.label === label);
const signing = async (id: string) =>
  (await domains.service.internal('GET', `/internal/domains/${id}/signing-key`)).body;

describe('§11.3 PUT', () => {
  it('stores every field, shows them, and publishes one event', async () => {
    const made = (await domains.create({ domain: 'all.test' })).body;
    const fields = {
      tracking_subdomain: 'click',
      return_path_subdomain: 'bounce',
      subscription_subdomain: 'prefs',
      media_subdomain: 'pics',
      dkim_rotation_interval_days: 30,
      dkim_selector: 'mine',
      sending_type: 'marketing',
      dsn_recipient: 'ops@all.test',
    };
    const given = await update(' ALL.test. ', fields);
    expect([given.status, given.body]).toEqual([
      200,
      {
        ...made,
        ...fields,
        updated_at: expect.any(String),
        dns_records: expect.any(Array),
      },
    ]);
    const hosts = given.body.dns_records.map(({ host }: { host: string }) => host);
    expect(hosts).toEqual([
      'all.test',
      'mine._domainkey.all.test',
      'mine2._domainkey.all.test',
      '_dmarc.all.test',
      'bounce.all.test',
      'click.all.test',
      'prefs.all.test',
      'pics.all.test',
    ]);
    expect((await domains.get('all.test')).body).toEqual(given.body);
    expect(await domains.lifeOf('all.test')).toHaveLength(3);
    const told = await domains.events('all.test', 3);
    expect(told.map(({ data }) => [data.sending_type, data.revision])).toEqual([
      ['transactional', 1],
      ['marketing', 2],
      ['marketing', 3],
    ]);
  });

  it('changes nothing without new values, not even the time of the last change', async () => {
    const made = (await domains.create({ domain: 'same.test', dkim_selector: 'mine' })).body;
    for (const body of [{}, { dkim_selector: ' MINE ' }, { sending_type: 'transactional' }]) {
      expect(await answered('same.test', body)).toEqual([200, made]);
    }
    expect(await domains.sql(`select revision from domains where domain = 'same.test'`)).toEqual([
      { revision: '1' },
    ]);
  });

  it('judges each of concurrent changes by the result of the one before', async () => {
    await domains.create({ domain: 'race.test' });
    const labels = ['tracking', 'return_path', 'subscription', 'media'];
    const given = await Promise.all(
      labels.map((kind) => update('race.test', { [`${kind}_subdomain`]: 'same' })),
    );
    expect(given.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
    const [{ revision }] = await domains.sql(`select revision from domains where domain = 'race.test'`);
    expect(revision).toBe('2');
  });
});

describe('§11.3 PUT a key of the owner’s own', () => {
  it('is listed at once and signs once its record was seen; until then the old one does', async () => {
    const [first, second] = [newKey(), newKey()];
    const made = (await domains.create({ domain: 'key.test', dkim_private_key: first.privateKey })).body;
    await domains.publish(made);
    expect((await domains.check('key.test')).body.dns_valid).toBe(true);
    const before = await signing(made.id);
    const given = await update('key.test', { dkim_private_key: second.privateKey });
    expect(given.status).toBe(200);
    expect(recordOf(given.body, 'DKIM')).toMatchObject({
      content: `v=DKIM1; k=rsa; p=${second.publicKey.toString('base64')}`,
      propagated: false,
      required: true,
    });
    expect(given.body).toMatchObject({ dns_valid: true, rotation_ready: false });
    expect(await signing(made.id)).toEqual(before);
    // the check that is due at once finds the old record: it is wrong now, but still verifies our signatures
    await domains.sweep();
    expect(recordOf((await domains.get('key.test')).body, 'DKIM')?.propagated).toBe(false);
    expect(await signing(made.id)).toEqual(before);
    await domains.publish(given.body);
    const seen = (await domains.check('key.test')).body;
    expect([seen.dns_valid, recordOf(seen, 'DKIM')?.propagated]).toEqual([true, true]);
    const after = await signing(made.id);
    expect(after.key_id).not.toBe(before.key_id);
    expect(after.private_key_pem).toBe(second.privateKey);
    expect(await domains.sql('select slot from dkim_keys where domain_id = $1', [made.id])).toHaveLength(1);
    const told = await domains.events('key.test', 3);
    const [unseen, old, next] = told.map(({ data }) => data.signing_key);
    expect([told.length, unseen === old, old === next]).toEqual([3, true, false]);
  });

  it('can be sent again while it waits, replaced again, and withdrawn', async () => {
    const [first, second, third] = [newKey(), newKey(), newKey()];
    const made = (await domains.create({ domain: 'back.test', dkim_private_key: first.privateKey })).body;
    await domains.publish(made);
    await domains.check('back.test');
    const put = async ({ privateKey }: { privateKey: string }) =>
      recordOf((await update('back.test', { dkim_private_key: privateKey })).body, 'DKIM')?.content;
    const content = ({ publicKey }: { publicKey: Buffer }) =>
      `v=DKIM1; k=rsa; p=${publicKey.toString('base64')}`;
    for (const key of [second, second, third, first]) expect(await put(key)).toBe(content(key));
    expect((await signing(made.id)).private_key_pem).toBe(first.privateKey);
    expect(await domains.sql('select slot from dkim_keys where domain_id = $1', [made.id])).toHaveLength(1);
  });
});

describe('§11.6 locks', () => {
  const LOCKED = ['tracking_subdomain', 'return_path_subdomain', 'subscription_subdomain', 'media_subdomain'];

  it('hold from the first check that sees the record, through broken DNS, and end with the domain', async () => {
    await domains.valid('lock.test');
    for (const [at, field] of [...LOCKED, 'dkim_selector'].entries()) {
      const message = `${field} is locked after DNS verification, contact support`;
      expect(await answered('lock.test', { [field]: `x${at}` })).toEqual([400, { message }]);
    }
    domains.dns.clear();
    await domains.publishOwnZone();
    expect((await domains.check('lock.test')).body.dns_valid).toBe(false);
    expect((await update('lock.test', { tracking_subdomain: 'click' })).status).toBe(400);
    await domains.service.call('DELETE', domains.path('/lock.test'));
    await domains.create({ domain: 'lock.test' });
    expect((await update('lock.test', { tracking_subdomain: 'click', dkim_selector: 'mine' })).status).toBe(
      200,
    );
  });

  it('removed by an operator, a subdomain changes once; an event reports that it is not seen', async () => {
    await domains.valid('unlock.test');
    const unlocked = await domains.operate('unlock.test/unlock', {
      body: { fields: ['return_path_subdomain', 'dkim_selector'] },
    });
    expect(unlocked.body.data[0].locks).toContainEqual({
      field: 'return_path_subdomain',
      value: 'rp',
      unlocked: true,
    });
    expect((await update('unlock.test', { media_subdomain: 'x' })).status).toBe(400);
    const given = (await update('unlock.test', { return_path_subdomain: 'bounce' })).body;
    expect(recordOf(given, 'Return-Path')).toMatchObject({ host: 'bounce.unlock.test', propagated: false });
    const hosts = async (count: number) =>
      (await domains.events('unlock.test', count)).map(({ data }) => data.return_path_host);
    expect(await hosts(3)).toEqual([null, 'rp.unlock.test', null]);
    await domains.publish(given);
    await domains.check('unlock.test');
    expect(await hosts(4)).toEqual([null, 'rp.unlock.test', null, 'bounce.unlock.test']);
    expect((await update('unlock.test', { return_path_subdomain: 'rp' })).status).toBe(400);
  });

  it('removed by an operator, a selector signs once its record was seen, never before', async () => {
    const made = await domains.valid('move.test');
    const old = { selector: 'managed' };
    await domains.operate('move.test/unlock', { body: { fields: ['dkim_selector'] } });
    const given = (await update('move.test', { dkim_selector: 'mine' })).body;
    expect(recordOf(given, 'DKIM')).toMatchObject({ host: 'mine._domainkey.move.test', propagated: false });
    expect(given.rotation_ready).toBe(false);
    expect(await signing(made.id)).toMatchObject(old);
    await domains.sweep();
    expect(await signing(made.id)).toMatchObject(old);
    await domains.publish(given);
    expect((await domains.check('move.test')).body).toMatchObject({ dns_valid: true, rotation_ready: true });
    expect(await signing(made.id)).toMatchObject({ selector: 'mine' });
    expect((await update('move.test', { dkim_selector: 'managed' })).status).toBe(400);
  });
});
