import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { OutgoingHttp, PublishedPolicies } from '@postmesh/http';
import { selfSignedCertificate, issueCertificate } from '@postmesh/secrets';
import { LOGGER } from '@postmesh/service-host';
import { rowsRead, testDatabase } from '@postmesh/testing';
import { txt, type NameServer } from '../testing/name-server.js';
import { makeCa, PolicyServer, policyText, Records, type ServedPolicy } from '../testing/tls-world.js';
import { startWorker, type WorkerUnderTest } from '../testing/worker-under-test.js';
import { KeepStsPolicies } from './keep-sts-policies.js';
import { StsPolicies } from './sts-policies.js';
import { TlsSessions } from './tls-sessions.js';

const database = testDatabase();
const root = makeCa('Test CA');
const closing: (() => Promise<unknown>)[] = [];
let web: PolicyServer;
let records: Records;
let dns: NameServer;
let worker: WorkerUnderTest;

beforeAll(async () => {
  web = await PolicyServer.start(root);
  records = new Records();
  dns = await records.serve();
  worker = await startWorker({ databaseUrl: database.url, port: 1, dns });
});
afterAll(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await worker?.stop();
  await dns?.stop();
  await web?.stop();
});
beforeEach(async () => {
  await worker.database.query('truncate sts_policies');
  dns.asked.length = 0;
  web.asked.length = 0;
});

/** A worker without memory, only with the table. */
function policies(): StsPolicies {
  const options = {
    allow: ['127.0.0.0/8'],
    dnsServers: [dns.address],
    connectionsPerOrigin: 1,
    ca: root.cert,
  };
  const http = new OutgoingHttp(options);
  closing.push(() => http.close());
  const published = new PublishedPolicies({ http, dnsServers: [dns.address], port: web.port });
  return new StsPolicies(
    worker.database,
    published,
    worker.service.get(TlsSessions),
    worker.service.get(LOGGER),
  );
}
let last = 0;
/** A domain with a policy. */
function publish(policy: Partial<ServedPolicy> = {}, id = '1'): string {
  const domain = `d${(last += 1)}.test`;
  records.set(`TXT _mta-sts.${domain}`, [txt(`_mta-sts.${domain}`, `v=STSv1; id=${id};`)]);
  records.set(`A mta-sts.${domain}`, [{ type: 'A', name: `mta-sts.${domain}`, ttl: 60, data: '127.0.0.1' }]);
  web.policies.set(domain, { text: policyText(`mx.${domain}`), ...policy });
  return domain;
}
const change = (domain: string, id: string, policy: Partial<ServedPolicy> = {}) => {
  records.set(`TXT _mta-sts.${domain}`, [txt(`_mta-sts.${domain}`, `v=STSv1; id=${id};`)]);
  web.policies.set(domain, { text: policyText(`new.${domain}`), ...policy });
};
const rows = () => worker.database.query('select * from sts_policies') as Promise<Record<string, unknown>[]>;

describe('the policy of a domain', () => {
  it('is fetched once, stored for all workers, and queried again in DNS only', async () => {
    const domain = publish();
    const found = { mode: 'enforce', mx: [`mx.${domain}`], id: '1' };
    const first = policies();
    const both = await Promise.all([first.of(domain), first.of(domain)]);
    expect(both).toMatchObject([found, found]);
    expect(await first.of(domain)).toMatchObject(found);
    expect(await policies().of(domain)).toMatchObject(found);
    expect(web.asked).toEqual([domain]);
    expect(dns.asked.filter((asked) => asked.startsWith('TXT'))).toHaveLength(2);
  });

  it.each<[string, Partial<ServedPolicy>]>([
    ['another status', { status: 201 }],
    ['a redirect', { status: 301, location: 'https://other.test/' }],
    ['another content type', { contentType: 'text/html' }],
    ['more than 64 KiB', { text: `${policyText('mx.test')}${'#'.repeat(65_536)}` }],
    ['nonsense', { text: 'version: STSv2' }],
    ['a certificate of nobody', { pair: selfSignedCertificate(['mta-sts.d.test']) }],
    ['a certificate for another name', { pair: issueCertificate({ names: ['d.test'], issuer: root }) }],
  ])('that comes with %s is none', async (_what, policy) => {
    const domain = publish(policy);
    expect(await policies().of(domain)).toBeUndefined();
    expect(await rows()).toEqual([]);
  });

  it.each([
    ['no record', 'NXDOMAIN'],
    ['two records', [txt('x', 'v=STSv1; id=1'), txt('x', 'v=STSv1; id=2')]],
    ['a name server that fails', 'SERVFAIL'],
  ] as const)('is not asked for with %s', async (_what, answer) => {
    const domain = publish();
    records.set(`TXT _mta-sts.${domain}`, typeof answer === 'string' ? answer : [...answer]);
    expect(await policies().of(domain)).toBeUndefined();
    expect(web.asked).toEqual([]);
  });

  it.each([
    ['the record is gone', (domain: string) => records.delete(`TXT _mta-sts.${domain}`)],
    ['DNS fails', (domain: string) => records.set(`TXT _mta-sts.${domain}`, 'SERVFAIL')],
    ['a new one cannot be fetched', (domain: string) => change(domain, '2', { status: 500 })],
    [
      'a new one comes with a wrong certificate',
      (domain: string) => change(domain, '2', { pair: selfSignedCertificate([`mta-sts.${domain}`]) }),
    ],
  ])('holds until it expires when %s', async (_what, befall) => {
    const domain = publish();
    await policies().of(domain);
    befall(domain);
    expect(await policies().of(domain)).toMatchObject({ mode: 'enforce', mx: [`mx.${domain}`] });
    await worker.database.query(`update sts_policies set expires_at = now() - interval '1 second'`);
    expect(await policies().of(domain)).toBeUndefined();
  });

  it('gives way to a new one', async () => {
    const domain = publish();
    await policies().of(domain);
    change(domain, '2');
    expect(await policies().of(domain)).toMatchObject({ id: '2', mx: [`new.${domain}`] });
    change(domain, '3', { text: policyText('', { mode: 'none' }).replace('mx: \n', '') });
    expect(await policies().of(domain)).toMatchObject({ mode: 'none' });
  });
});

describe('policies that are kept', () => {
  const keep = (parts: StsPolicies) =>
    new KeepStsPolicies(worker.database, parts).keep(new AbortController().signal);

  it('are fetched again when their time has come, with any id', async () => {
    const [due, fresh, broken] = [publish(), publish(), publish()];
    const parts = policies();
    for (const domain of [due, fresh, broken]) await parts.of(domain);
    web.asked.length = 0;
    change(broken, '1', { status: 500 });
    web.policies.set(due, { text: policyText(`longer.${due}`, { maxAge: 900_000 }) });
    await worker.database.query(
      `update sts_policies set refresh_at = now(), expires_at = now() + interval '1 hour' where domain <> $1`,
      [fresh],
    );
    await keep(parts);
    expect(web.asked.toSorted()).toEqual([due, broken].toSorted());
    const kept = new Map((await rows()).map((row) => [row['domain'], row]));
    const inHours = (domain: string, column: string) =>
      Math.round((Number(kept.get(domain)?.[column]) - Date.now()) / 3_600_000);
    expect(kept.get(due)?.['mx']).toEqual([`longer.${due}`]);
    expect([inHours(due, 'expires_at'), inHours(broken, 'expires_at')]).toEqual([250, 1]);
    expect(inHours(due, 'refresh_at')).toBeGreaterThanOrEqual(21);
    expect(inHours(broken, 'refresh_at')).toBe(1);
    web.asked.length = 0;
    await keep(parts);
    expect(web.asked).toEqual([]);
  });

  it('are forgotten after 180 days without use', async () => {
    const [used, unused] = [publish(), publish()];
    for (const domain of [used, unused]) await policies().of(domain);
    await worker.database.query(`update sts_policies set used_at = now() - interval '179 days'`);
    await worker.database.query(
      `update sts_policies set used_at = now() - interval '181 days' where domain = $1`,
      [unused],
    );
    await keep(policies());
    expect((await rows()).map(({ domain }) => domain)).toEqual([used]);
    await policies().of(used);
    await expect
      .poll(async () => Number((await rows())[0]?.['used_at']))
      .toBeGreaterThan(Date.now() - 60_000);
  });

  it('are removed, all of them in one run, without reading those that are kept', async () => {
    await worker.database.query(
      `insert into sts_policies select 'd' || nth || '.test', 'id', 'enforce', '{}', now(),
         now() + interval '1 day' - case when nth <= 3000 then interval '40 days' else interval '0' end,
         now() + interval '1 day', now() - case when nth between 3001 and 6000 then interval '200 days' else interval '0' end
       from generate_series(1, 20000) as nth`,
    );
    await worker.database.query('analyze sts_policies');
    const statements = vi.spyOn(worker.database, 'query');
    await keep(policies());
    const forgets = statements.mock.calls.filter(([sql]) => String(sql).includes('delete from sts_policies'));
    statements.mockRestore();
    expect(await rows()).toHaveLength(14_000);
    for (const [sql, parameters] of [forgets[0]!, forgets.at(-1)!]) {
      expect(await rowsRead(worker.database, sql, parameters)).toBeLessThan(1_000);
    }
  });
});
