import { Resolver } from 'node:dns/promises';
import net from 'node:net';
import { once } from 'node:events';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { freePort } from '@postmesh/database';
import { knotServer, startForeignNameServer, type ForeignNameServer } from '@postmesh/testing';
import { RotateKeys } from '../dkim-rotation/rotate-keys.js';
import { domainsUnderTest } from '../testing/domains-under-test.js';
import { AliasPublication } from './alias-publication.js';

const DAY = 86_400_000;
const TSIG = {
  name: 'postmesh.test',
  algorithm: 'hmac-sha256',
  secret: Buffer.from('a secret of the test'),
} as const;

/** A proxy for updates of the server, which can be cut while the server still answers resolvers. */
class UpdatePath {
  private server: net.Server | undefined;
  constructor(
    readonly port: number,
    private readonly target: ForeignNameServer,
  ) {}

  async open(): Promise<void> {
    this.server ??= net.createServer((socket) => {
      const there = net.connect(this.target.port, this.target.host);
      for (const [from, to] of [
        [socket, there],
        [there, socket],
      ] as const) {
        from.on('error', () => to.destroy());
        from.pipe(to);
      }
    });
    if (this.server.listening) return;
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  async cut(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
  }
}

// proven again: a name server of the zone that is away or has lost its records
interface Resource {
  dns_records: { type: string; host: string; content: string; label: string }[];
}

const knot = knotServer();

describe.runIf(knot !== undefined)('the managed zone on a real name server', () => {
  let server: ForeignNameServer;
  let path: UpdatePath;
  const resolver = new Resolver({ timeout: 5_000, tries: 3 });
  const domains = domainsUnderTest(async () => {
    server = await startForeignNameServer(knot as string, {
      zones: { 'svc.test': '', 'shop.test': '' },
      tsig: { ...TSIG, secret: TSIG.secret.toString('base64') },
    });
    path = new UpdatePath(await freePort(), server);
    await path.open();
    resolver.setServers([server.address]);
    return {
      dnsServers: [server.address, server.address],
      zoneUpdateServer: { host: '127.0.0.1', port: path.port },
      zoneUpdateKey: TSIG,
    };
  });
  afterEach(async () => {
    await path.open();
    await tryNow();
  });
  afterAll(async () => {
    await path?.cut();
    await server?.stop();
  });

  const publication = () => domains.service.service.get(AliasPublication);
  /** a sweep after the backoff of the last failure */
  const tryNow = async () => {
    await domains.sql(`update zone_publication set next_at = now() - interval '1 second'`);
    await publication().sweep();
  };
  const status = async () => (await domains.service.internal('GET', '/operator/zone/publication')).body;
  const text = async (name: string) =>
    (await resolver.resolveTxt(name).catch(({ code }) => [[code as string]]))[0]!.join('');
  const aliasOf = (resource: Resource, label = 'DKIM'): string =>
    resource.dns_records.find((record) => record.label === label)!.content;
  const isPublished = (resource: Resource, label?: string) =>
    expect.poll(() => text(aliasOf(resource, label))).toMatch(/^v=DKIM1; k=rsa; p=\w/);
  /** the records of these domains' owners, all below shop.test */
  const publishOwners = (...resources: Resource[]) => {
    const line = ({ type, host, content }: Resource['dns_records'][number]) =>
      `${host}. ${type} ${type === 'TXT' ? `"${content}"` : `${content}.`}`;
    const records = resources.flatMap(({ dns_records }) => dns_records.map(line));
    return server.setZone('shop.test', records.join('\n'));
  };

  it('has both keys of a domain right after it was created, and the domain is valid with them', async () => {
    const { body } = await domains.create({ domain: 'new.shop.test' });
    await isPublished(body);
    await isPublished(body, 'DKIM standby');
    await publishOwners(body);
    expect((await domains.check('new.shop.test')).body).toMatchObject({
      dns_valid: true,
      rotation_ready: true,
    });
    expect(await status()).toMatchObject({
      driver: 'dynamic-update',
      zone: 'svc.test',
      waiting: 0,
      problem: null,
    });
  });

  it('§11.3 check-dns is the 503 while the server is down, and works when it is back', async () => {
    await path.cut();
    const { body } = await domains.create({ domain: 'away.shop.test' });
    await publishOwners(body);
    const away = await domains.check('away.shop.test');
    expect([away.status, away.body]).toEqual([503, { message: 'managed DNS is currently unavailable' }]);
    const waits = await status();
    expect(waits).toMatchObject({ waiting: 2, problem: expect.stringContaining('ECONNREFUSED') });
    expect(Date.parse(waits.next_at)).toBeGreaterThan(Date.parse(waits.failing_since));
    await path.open();
    await tryNow();
    expect((await domains.check('away.shop.test')).body).toMatchObject({ dns_valid: true });
    expect(await status()).toMatchObject({ waiting: 0, problem: null, failing_since: null });
  });

  it('§11.3 check-dns is the 503 then, also where the owner’s name servers refuse', async () => {
    await path.cut();
    await domains.create({ domain: 'refused.example' });
    expect((await domains.check('refused.example')).status).toBe(503);
    await path.open();
    await tryNow();
    expect((await domains.check('refused.example')).status).toBe(200);
  });

  it('is not queried repeatedly while it is down', async () => {
    await path.cut();
    await domains.create({ domain: 'patient.shop.test' });
    await tryNow();
    await domains.sql(`update zone_publication set next_at = now() + interval '1 minute'`);
    const [{ failures }] = await domains.sql('select failures from zone_publication');
    await publication().sweep();
    expect((await domains.check('patient.shop.test')).status).toBe(503);
    expect(await domains.sql('select failures from zone_publication')).toEqual([{ failures }]);
  });

  it('drops the names of a deleted domain', async () => {
    const { body } = await domains.create({ domain: 'gone.shop.test' });
    await isPublished(body);
    await domains.service.call('DELETE', domains.path('/gone.shop.test'));
    await tryNow();
    // an update of its keys could still be running
    await isPublished(body);
    await domains.sql(`update alias_withdrawals set created_at = created_at - interval '2 minutes'`);
    await tryNow();
    expect(await text(aliasOf(body))).toBe('ENOTFOUND');
    expect(await text(aliasOf(body, 'DKIM standby'))).toBe('ENOTFOUND');
    expect(await status()).toMatchObject({ to_withdraw: 0 });
  });

  it('publishes many in batches', async () => {
    await domains.create({ domain: 'many.shop.test' });
    await domains.sql(
      `insert into domains select (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(),
         'domain', n || '.many.test', 'domain_token', 'many' || n))).*
       from domains d, generate_series(1, 130) n where d.domain = 'many.shop.test'`,
    );
    await domains.sql(
      `insert into dkim_keys select (jsonb_populate_record(k, jsonb_build_object('id', gen_random_uuid(),
         'domain_id', d.id, 'published_at', null))).*
       from dkim_keys k join domains b on b.id = k.domain_id and b.domain = 'many.shop.test',
            domains d where d.domain_token like 'many%'`,
    );
    expect((await status()).waiting).toBeGreaterThanOrEqual(260);
    await tryNow();
    expect((await status()).waiting).toBe(0);
    expect(await text('many130.d2.dkim.svc.test')).toMatch(/^v=DKIM1/);
  });

  it('is published again after it was lost, at once by the operator', async () => {
    const { body } = await domains.create({ domain: 'lost.shop.test' });
    await isPublished(body);
    await server.setZone('svc.test', '');
    expect(await text(aliasOf(body))).toBe('ENOTFOUND');
    const { body: asked } = await domains.service.internal('POST', '/operator/zone/republish', {});
    expect(asked.waiting).toBeGreaterThan(0);
    await tryNow();
    await isPublished(body);
  });

  it('is published again where a check misses a key, but not repeatedly', async () => {
    const { body } = await domains.create({ domain: 'missed.shop.test' });
    await isPublished(body);
    await publishOwners(body);
    await server.setZone('svc.test', '');
    await domains.check('missed.shop.test');
    expect((await status()).waiting).toBe(0);
    await domains.sql(`update dkim_keys set published_at = published_at - interval '2 hours'`);
    await domains.check('missed.shop.test');
    await domains.check('missed.shop.test');
    await isPublished(body);
  });

  it('§11.7 holds every key of a rotation before it signs', async () => {
    const { body } = await domains.create({ domain: 'rotates.shop.test' });
    await publishOwners(body);
    await isPublished(body);
    expect((await domains.check('rotates.shop.test')).body).toMatchObject({
      dns_valid: true,
      rotation_ready: true,
    });
    const [first, second] = [aliasOf(body), aliasOf(body, 'DKIM standby')];
    const sweep = (days: number) => {
      const now = new Date(Date.parse(body.created_at) + days * DAY + 60_000);
      return domains.service.service.get(RotateKeys).sweep(undefined, () => now);
    };
    const [old, next] = [await text(first), await text(second)];
    await sweep(90);
    await sweep(91);
    expect(aliasOf((await domains.get('rotates.shop.test')).body)).toBe(second);
    await tryNow();
    expect([await text(first), await text(second)]).toEqual([old, next]);
    await sweep(98.1);
    await tryNow();
    const fresh = await text(first);
    expect(fresh).toMatch(/^v=DKIM1/);
    expect(fresh).not.toBe(old);
    expect(await text(second)).toBe(next);
  });

  it('§11.7 delays a rotation while it does not accept the standby key', async () => {
    const { body } = await domains.create({ domain: 'held.shop.test' });
    await isPublished(body);
    await isPublished(body, 'DKIM standby');
    await publishOwners(body);
    await domains.check('held.shop.test');
    await domains.sql(
      `update dkim_keys set published_at = null where slot = 2
          and domain_id = (select id from domains where domain = 'held.shop.test')`,
    );
    await path.cut();
    const now = new Date(Date.parse(body.created_at) + 90 * DAY);
    await domains.service.service.get(RotateKeys).sweep(undefined, () => now);
    const [row] = await domains.sql(
      `select rotation_verified_at, rotation_reason, active_slot from domains where domain = 'held.shop.test'`,
    );
    expect(row).toMatchObject({
      rotation_verified_at: null,
      rotation_reason: expect.stringContaining('ECONNREFUSED'),
      active_slot: 1,
    });
  });
});
