import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { EventEnvelope, newId } from '@postmesh/contracts';
import { startTestService, type TestRequest, type TestService } from '@postmesh/service-testing';
import type { Settings } from '@postmesh/settings';
import { testDatabase } from '@postmesh/testing';
import { startTestDnsServer, type TestDnsServer } from './dns-resolver/test-dns-server.js';
import { DOMAINS_SERVICE } from './domains.definition.js';
import { RecheckDue } from './recheck-domains/recheck-due.job.js';
import { RecheckDomains } from './recheck-domains/recheck-domains.js';

type Record = { type: 'TXT' | 'CNAME' | 'MX'; host: string; content: string; label: string };

/** The service with a real database, bus and DNS server, for the tests of one file. */
export function domainsUnderTest(settings: () => Promise<Partial<Settings>> = () => Promise.resolve({})) {
  const database = testDatabase();
  const heard: EventEnvelope<any>[] = []; // eslint-disable-line typescript/no-explicit-any
  let service: TestService;
  let dns: TestDnsServer;

  beforeAll(async () => {
    dns = await startTestDnsServer();
    const given = { dnsServers: [dns.address], serviceZone: 'svc.test', ...(await settings()) };
    service = await startTestService(DOMAINS_SERVICE, { databaseUrl: database.url, settings: given });
    await leaveLookingToTests(service);
    await service.bus.subscribe({
      group: 'test',
      streams: ['domains'],
      handle: async (events) => void heard.push(...events.map(({ event }) => toEnvelope(event))),
    });
  });
  beforeEach(() => dns.clear());
  afterAll(async () => {
    await service.stop();
    await dns.close();
  });

  const under = {
    get service() {
      return service;
    },
    get dns() {
      return dns;
    },
    path: (rest = '', account = service.accountId) => `/v2/accounts/${account}/domains${rest}`,
    sql: (text: string, parameters: unknown[] = []) =>
      service.service.get(DataSource).query(text, parameters),
    create: (body: object, more: TestRequest = {}) =>
      service.call('POST', under.path('', more.account_id), { ...more, body }),
    get: (domain: string, more: TestRequest = {}) =>
      service.call('GET', under.path(`/${domain}`, more.account_id), more),
    /** check-dns, as if the last one were long ago */
    check: async (domain: string, more: TestRequest = {}) => {
      await under.sql(
        `update domains set last_dns_check_at = last_dns_check_at - interval '2 minutes' where domain = $1`,
        [domain],
      );
      return service.call('POST', under.path(`/${domain}/check-dns`, more.account_id), more);
    },
    sweep: () => service.service.get(RecheckDomains).sweep(),
    /** a background check of this domain alone, now */
    recheck: async (domain: string) => {
      await under.sql('update domains set next_check_at = now() where domain = $1', [domain]);
      await under.sweep();
    },
    /** publishes what the API asked for, and our own zone */
    publish: async (resource: { dns_records: Record[] }, except: readonly string[] = []) => {
      for (const { type, host, content, label } of resource.dns_records) {
        if (!except.includes(label)) dns.set(type, host, content);
      }
      await under.publishOwnZone();
    },
    publishOwnZone: async () => {
      const zone = await service.internal('GET', '/operator/zone');
      for (const { type, host, content } of zone.body.serviceRecords as Record[]) {
        if (type === 'TXT') dns.set(type, host, content);
      }
    },
    /** a new domain whose records are all right */
    valid: async (domain: string, more: TestRequest = {}) => {
      const made = await under.create({ domain }, more);
      await under.publish(made.body);
      return (await under.check(domain, more)).body;
    },
    /** the events about a domain in their order, once there are so many */
    events: async (domain: string, count: number) => {
      const found = () => heard.filter((event) => event.data.domain === domain);
      await expect.poll(() => found().length, { timeout: 5_000, interval: 10 }).toBeGreaterThanOrEqual(count);
      return found();
    },
    /** every event about a domain from its creation to its deletion, which this does: none can follow */
    lifeOf: async (domain: string) => {
      await service.call('DELETE', under.path(`/${domain}`));
      const found = () => heard.filter((event) => event.data.domain === domain);
      await expect.poll(() => found().at(-1)?.data.deleted, { timeout: 5_000, interval: 10 }).toBe(true);
      return found().map((event) => event.type);
    },
    account: newId,
  };
  return under;
}

/** A sweep of the schedule would take what a test has just made due. */
const leaveLookingToTests = (service: TestService): Promise<void> =>
  service.context.jobs.cancelEvery(RecheckDue, 'sweep');

const toEnvelope = (event: unknown): EventEnvelope => EventEnvelope.parse(event) as EventEnvelope;
