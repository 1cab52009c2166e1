import { createPrivateKey, createPublicKey } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { describe, expect, it } from 'vitest';
import { domainsUnderTest } from '../testing/domains-under-test.js';
import { RotateKeys } from './rotate-keys.js';

const DAY = 86_400_000;

const domains = domainsUnderTest();

interface Signer {
  selector: string;
  key: string;
}

/** The current signing key of a delivery worker: its selector, and the public key of its private key. */
async function signer(id: string): Promise<Signer> {
  const { body } = await domains.service.internal('GET', `/internal/domains/${id}/signing-key`);
  const key = createPublicKey(createPrivateKey(body.private_key_pem));
  return { selector: body.selector, key: key.export({ type: 'spki', format: 'der' }).toString('base64') };
}

/** The key that a receiver finds for a selector. */
async function published(domain: string, selector: string): Promise<string | undefined> {
  const resolver = new Resolver();
  resolver.setServers([domains.dns.address]);
  const found = await resolver.resolveTxt(`${selector}._domainkey.${domain}`).catch(() => []);
  return /p=(.*)$/.exec(found[0]?.join('') ?? '')?.[1];
}

const sweep = (now: number) => domains.service.service.get(RotateKeys).sweep(undefined, () => new Date(now));
const row = async (domain: string) => {
  const [found] = await domains.sql(
    `select active_slot, rotation_started_at, rotation_verified_at, rotation_switched_at, rotation_next_at,
            rotation_reason, extract(epoch from created_at) * 1000 as created from domains where domain = $1`,
    [domain],
  );
  return found;
};
const records = async (domain: string, label: string) =>
  (await domains.get(domain)).body.dns_records.find((record: { label: string }) => record.label === label);

describe('§11.7 the keys of a domain with managed DNS', () => {
  it('wait while the standby record is missing, and change within a day of its return', async () => {
    await domains.valid('late.test');
    const start = Number((await row('late.test')).created);
    const standby = await records('late.test', 'DKIM standby');
    domains.dns.set('CNAME', standby.host);
    expect((await domains.check('late.test')).body).toMatchObject({ rotation_ready: false, dns_valid: true });
    for (const days of [90, 91, 92, 95]) {
      await sweep(start + days * DAY);
      expect(await row('late.test')).toMatchObject({
        active_slot: 1,
        rotation_started_at: null,
        rotation_reason: 'the DKIM standby record of the domain is not seen in DNS',
        rotation_next_at: new Date(start + (days + 1) * DAY),
      });
    }
    domains.dns.set('CNAME', standby.host, standby.content);
    expect((await domains.check('late.test')).body.rotation_ready).toBe(true);
    await sweep(start + 96 * DAY);
    expect(await row('late.test')).toMatchObject({ rotation_verified_at: new Date(start + 96 * DAY) });
    await sweep(start + 97 * DAY);
    expect(await row('late.test')).toMatchObject({ active_slot: 2, rotation_started_at: null });
  });

  it('publish a switch to the signers, and leave the domain valid under both records', async () => {
    const domain = await domains.valid('told.test');
    const start = Number((await row('told.test')).created);
    const told = (await domains.events('told.test', 2)).at(-1)!.data;
    await sweep(start + 90 * DAY);
    await sweep(start + 91 * DAY);
    const after = (await domains.events('told.test', 3)).at(-1)!.data;
    expect(after).toMatchObject({ domain_id: domain.id, dns_valid: true, revision: told.revision + 1 });
    expect(after.signing_key).not.toBe(told.signing_key);
    expect(await records('told.test', 'DKIM')).toMatchObject({
      host: 'managed2._domainkey.told.test',
      required: true,
      propagated: true,
    });
    expect(await records('told.test', 'DKIM standby')).toMatchObject({
      host: 'managed._domainkey.told.test',
      required: false,
      propagated: true,
    });
    expect((await domains.check('told.test')).body).toMatchObject({ dns_valid: true, rotation_ready: true });
  });

  it('keep the old public key for seven days, then replace it by one that is published', async () => {
    const domain = await domains.valid('old.test');
    const start = Number((await row('old.test')).created);
    const old = await signer(domain.id);
    for (const days of [90, 91, 97.9]) {
      await sweep(start + days * DAY);
      await domains.publishOwnZone();
      expect(await published('old.test', 'managed')).toBe(old.key);
    }
    await sweep(start + 98 * DAY);
    await domains.publishOwnZone();
    const fresh = await published('old.test', 'managed');
    expect(fresh).toHaveLength(216);
    expect(fresh).not.toBe(old.key);
    expect((await row('old.test')).rotation_switched_at).toBeNull();
  });

  it('follow the interval of the domain, else of the account', async () => {
    const account_id = domains.account();
    await domains.service.internal('PUT', `/operator/accounts/${account_id}/settings`, {
      dkim_rotation_days: 30,
    });
    await domains.valid('monthly.test', { account_id });
    const made = await domains.create(
      { domain: 'weekly.test', dkim_rotation_interval_days: 7 },
      { account_id },
    );
    await domains.publish(made.body);
    await domains.check('weekly.test', { account_id });
    const start = Number((await row('weekly.test')).created);
    await sweep(start + 6 * DAY);
    expect((await row('weekly.test')).rotation_started_at).toBeNull();
    await sweep(start + 7 * DAY);
    expect((await row('weekly.test')).rotation_started_at).not.toBeNull();
    expect((await row('monthly.test')).rotation_started_at).toBeNull();
    await sweep(start + 31 * DAY);
    expect((await row('monthly.test')).rotation_started_at).not.toBeNull();
  });
});

describe('a step of a rotation', () => {
  it('is taken once, by any process', async () => {
    const domain = await domains.valid('twice.test');
    const start = Number((await row('twice.test')).created);
    await Promise.all([sweep(start + 90 * DAY), sweep(start + 90 * DAY)]);
    await Promise.all([sweep(start + 91 * DAY), sweep(start + 91 * DAY)]);
    expect(await row('twice.test')).toMatchObject({ active_slot: 2 });
    await Promise.all([sweep(start + 98 * DAY), sweep(start + 98 * DAY)]);
    expect(
      await domains.sql('select slot from dkim_keys where domain_id = $1 order by slot', [domain.id]),
    ).toEqual([{ slot: 1 }, { slot: 2 }]);
  });

  it('is taken again when its process died', async () => {
    await domains.valid('died.test');
    const start = Number((await row('died.test')).created);
    const claimed = new Date(start + 90 * DAY + 15 * 60_000);
    await domains.sql(`update domains set rotation_next_at = $1 where domain = 'died.test'`, [claimed]);
    await sweep(start + 90 * DAY);
    expect((await row('died.test')).rotation_started_at).toBeNull();
    await sweep(claimed.getTime());
    expect((await row('died.test')).rotation_started_at).not.toBeNull();
  });

  it('is not taken for a domain with manual DNS', async () => {
    const account_id = domains.account();
    await domains.service.internal('PUT', `/operator/accounts/${account_id}/settings`, {
      dns_mode: 'manual',
    });
    await domains.valid('manual.test', { account_id });
    const before = await row('manual.test');
    await sweep(Date.now() + 400 * DAY);
    expect(await row('manual.test')).toEqual(before);
  });

  it('postpones many that are not due in few statements', async () => {
    await domains.create({ domain: 'bulk.test' });
    await domains.sql(
      `insert into domains select (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(),
         'domain', 'bulk' || n || '.test', 'domain_token', 'bulk' || n, 'rotation_next_at', now() - interval '1 hour'))).*
       from domains d, generate_series(1, 450) n where d.domain = 'bulk.test'`,
    );
    await domains.sql(
      `insert into dkim_keys select (jsonb_populate_record(k, jsonb_build_object('id', gen_random_uuid(),
         'domain_id', d.id))).* from dkim_keys k join domains b on b.id = k.domain_id and b.domain = 'bulk.test',
         domains d where d.domain_token like 'bulk%'`,
    );
    await sweep(Date.now());
    const due = await domains.sql(
      `select from domains where domain_token like 'bulk%' and rotation_next_at < now() + interval '23 hours'`,
    );
    expect(due).toEqual([]);
  });
});
