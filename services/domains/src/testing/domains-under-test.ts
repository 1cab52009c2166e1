import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { BounceJudgements } from '@postmesh/messages-contract';
import { EventEnvelope, newId } from '@postmesh/contracts';
import {
  startTestService,
  type TestRequest,
  type TestService,
  type TestServiceOptions,
} from '@postmesh/service-testing';
import type { Settings } from '@postmesh/settings';
import { testDatabase } from '@postmesh/testing';
import { RecheckDomains } from '../dns/recheck-domains.js';
import { DOMAINS_SERVICE } from '../domains.definition.js';
import { startTestDnsServer, type TestDnsServer } from './test-dns-server.js';

type Record = { type: 'TXT' | 'CNAME' | 'MX'; host: string; content: string; label: string };

type SettingsOf = (dns: TestDnsServer) => Promise<Partial<Settings>>;

/** The service with a real database, bus and DNS server, for the tests of one file. */
export function domainsUnderTest(settings: SettingsOf = () => Promise.resolve({})) {
  const family = subAccounts();
  const bounces = bounceFigures();
  const received = receivedEvents();
  const neighbours = { accounts: family.response };
  const running = runningService(settings, { neighbours, take: received.take });

  const under = {
    get service() {
      return running.service;
    },
    get dns() {
      return running.dns;
    },
    path: (rest = '', account = running.service.accountId) => `/v2/accounts/${account}/domains${rest}`,
    sql: (text: string, parameters: unknown[] = []) =>
      running.service.service.get(DataSource).query(text, parameters),
    create: (body: object, more: TestRequest = {}) =>
      running.service.call('POST', under.path('', more.account_id), { ...more, body }),
    get: (domain: string, more: TestRequest = {}) =>
      running.service.call('GET', under.path(`/${domain}`, more.account_id), more),
    /** check-dns without a fresh stored result */
    check: async (domain: string, more: TestRequest = {}) => {
      await under.sql(
        `update domains set last_dns_check_at = last_dns_check_at - interval '2 minutes' where domain = $1`,
        [domain],
      );
      return running.service.call('POST', under.path(`/${domain}/check-dns`, more.account_id), more);
    },
    sweep: () => running.service.service.get(RecheckDomains).sweep(),
    /** a background check of this domain alone, now */
    recheck: async (domain: string) => {
      // the column is rounded to milliseconds: "now" could be in the future
      await under.sql(`update domains set next_check_at = now() - interval '1 second' where domain = $1`, [
        domain,
      ]);
      await under.sweep();
    },
    /** publishes the records that the API lists, and our own zone */
    publish: async (resource: { dns_records: Record[] }, except: readonly string[] = []) => {
      const given = resource.dns_records.filter(({ label }) => !except.includes(label));
      setAll(running.dns, given);
      await under.publishOwnZone();
    },
    publishOwnZone: async () => {
      const zone = await running.service.internal('GET', '/operator/zone');
      setAll(running.dns, textsOf(zone.body.serviceRecords));
    },
    /** a new domain with all its records published */
    valid: async (domain: string, more: TestRequest = {}) => {
      const made = await under.create({ domain }, more);
      await under.publish(made.body);
      return (await under.check(domain, more)).body;
    },
    /** numbers of delivered and bounced messages of a domain at a time; for `judge` */
    count: bounces.count,
    /** the figures as the messages service gives them every five minutes */
    judge: () => judgeAll(running.service, bounces),
    events: received.events,
    /** deletes a domain and returns every event about it: none can follow */
    lifeOf: async (domain: string) => {
      await running.service.call('DELETE', under.path(`/${domain}`));
      return received.life(domain);
    },
    account: newId,
    /** a new sub-account of `parent` */
    child: (parent = running.service.accountId) => family.add(parent),
    /** a pause in the form of a release without the history of pauses */
    pause: (domain: string, account = running.service.accountId) =>
      under.sql(
        `update domains set paused_at = now(), pause_reason = 'bounce_rate' where domain = $1 and account_id = $2`,
        [domain, account],
      ),
    /** below `/operator/accounts/{id}/domains/` */
    operate: (path: string, given: { body?: object; account?: string; operator?: string } = {}) => {
      const { body, account = running.service.accountId, operator } = given;
      return running.service.internal(
        'POST',
        `/operator/accounts/${account}/domains/${path}`,
        body,
        operator,
      );
    },
    report: (domain: string) => running.service.internal('GET', `/operator/domains/${domain}`),
  };
  return under;
}

interface Surroundings {
  neighbours: NonNullable<TestServiceOptions['neighbours']>;
  /** receives the events of the service */
  take: (events: readonly { text: string }[]) => Promise<void>;
}

/** Hooks that start and stop the service with its DNS server. */
function runningService(settings: SettingsOf, { neighbours, take }: Surroundings) {
  const database = testDatabase();
  const running = {} as { service: TestService; dns: TestDnsServer };
  beforeAll(async () => {
    running.dns = await startTestDnsServer();
    const dnsServers = [running.dns.address];
    running.service = await startTestService(DOMAINS_SERVICE, {
      databaseUrl: database.url,
      // a scheduled sweep would take rows that a test has just made due
      // small keys: those of 2048 bits take a second of CPU for a handful of domains
      settings: { dnsServers, serviceZone: 'svc.test', dkimKeyBits: 1024, ...(await settings(running.dns)) },
      neighbours,
    });
    await running.service.bus.subscribe({ group: 'test', streams: ['domains'], handle: take });
  });
  beforeEach(() => running.dns.clear());
  afterAll(async () => {
    await running.service.stop();
    await running.dns.close();
  });
  return running;
}

const textsOf = (records: readonly Record[]) => records.filter(({ type }) => type === 'TXT');

function setAll(dns: TestDnsServer, records: readonly Record[]): void {
  for (const { type, host, content } of records) dns.set(type, host, content);
}

/** Test double of the accounts service with parents and children. */
function subAccounts() {
  const parents = new Map<string, string>();
  return {
    add: (parent: string) => {
      const child = newId();
      parents.set(child, parent);
      return child;
    },
    response: ({ path }: { path: string }) => {
      const [, parent, child] = /^\/internal\/accounts\/([^/]+)\/sub-accounts\/([^/]+)$/.exec(path) ?? [];
      return child !== undefined && parents.get(child) === parent
        ? { status: 200, body: { account_id: child, parent_account_id: parent } }
        : { status: 404, body: { message: 'sub account not found' } };
    },
  };
}

/** Test double of the messages service with bounce counters. */
function bounceFigures() {
  const counted: { account_id: string; domain: string; delivered: number; bounced: number; at: Date }[] = [];
  const figure = ({ account_id, domain }: { account_id: string; domain: string }, since: Date) => {
    const own = counted.filter(
      (row) => row.account_id === account_id && row.domain === domain && row.at >= since,
    );
    const sum = (field: 'delivered' | 'bounced') => own.reduce((total, row) => total + row[field], 0);
    const from = since.toISOString();
    return { account_id, domain, delivered: sum('delivered'), bounced: sum('bounced'), from };
  };
  return {
    count: (account_id: string, domain: string, [delivered, bounced]: [number, number], at = new Date()) =>
      void counted.push({ account_id, domain, delivered, bounced, at }),
    most: (offset: number) => {
      const monthAgo = new Date(Date.now() - 30 * 86_400_000);
      const all = new Map(counted.map((row) => [`${row.account_id}/${row.domain}`, row]));
      return [...all.values()]
        .map((one) => figure(one, monthAgo))
        .filter((one) => one.bounced >= 100)
        .slice(offset, offset + 1_000);
    },
    since: (domains: BounceJudgements['count_since']) =>
      domains.map((one) => figure(one, new Date(one.since))),
  };
}

/** As the messages service gives them: page by page, and again those that are to be counted since a lift. */
async function judgeAll(service: TestService, bounces: ReturnType<typeof bounceFigures>): Promise<void> {
  for (let offset = 0; ; offset += 1_000) {
    const figures = bounces.most(offset);
    if (figures.length === 0) return;
    const since = await judged(service, figures);
    if (since.length > 0) await judged(service, bounces.since(since));
  }
}

async function judged(service: TestService, figures: object[]): Promise<BounceJudgements['count_since']> {
  const { status, body } = await service.internal('POST', '/internal/bounce-judgements', { figures });
  expect(status).toBe(200);
  return BounceJudgements.parse(body).count_since;
}

function receivedEvents() {
  const received: EventEnvelope<any>[] = []; // eslint-disable-line typescript/no-explicit-any
  const about = (domain: string) => received.filter((event) => event.data.domain === domain);
  const soon = { interval: 10 };
  return {
    take: async (events: readonly { text: string }[]) =>
      void received.push(...events.map(({ text }) => toEnvelope(JSON.parse(text)))),
    /** the events about a domain in their order, once there are this many */
    events: async (domain: string, count: number) => {
      await expect.poll(() => about(domain).length, soon).toBeGreaterThanOrEqual(count);
      return about(domain);
    },
    /** the types of all events about a domain, once it is deleted */
    life: async (domain: string) => {
      await expect.poll(() => about(domain).at(-1)?.data.deleted, soon).toBe(true);
      return about(domain).map((event) => event.type);
    },
  };
}

const toEnvelope = (event: unknown): EventEnvelope => EventEnvelope.parse(event) as EventEnvelope;
