import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { newId } from '@postmesh/contracts';
import { DeliveryQueue } from '../queue/delivery-queue.js';
import { freshWorlds, sharedWorld, type FreshWorld } from '../testing/fresh-world.js';
import { a, mx, NameServer, type Zone } from '../testing/name-server.js';
import type { WorkerUnderTest } from '../testing/worker-under-test.js';
import { MxGroups } from '../mx/mx-groups.js';
import { MxResolver } from '../mx/mx-resolver.js';

// proven again: two workers, and signals that are lost

const eventually = <T>(look: () => T) => expect.poll(look);

/** `<anything>.<number>.test` has the hosts of its number; the names before `.test` select the other records. */
const ZONE: Zone = (name, type) => {
  if (/(^|\.)silent\.test$/.test(name)) return 'silence';
  if (name.endsWith('.broken.test')) return 'SERVFAIL';
  if (name.endsWith('.gone.test') || !name.endsWith('.test')) return 'NXDOMAIN';
  if (name.endsWith('.null.test')) return type === 'MX' ? [mx(name, '.', 0)] : [];
  if (name.startsWith('mx.')) return type === 'A' ? [a(name, '127.0.0.1')] : [];
  const [number = '0'] = name.split('.').slice(-2);
  return type === 'MX' ? [mx(name, `mx.${number}.test`, 10)] : [];
};

const startDns = async ({ closing }: FreshWorld, zone = ZONE) => {
  const dns = await NameServer.start(zone);
  closing.push(() => dns.stop());
  return dns;
};

const world = freshWorlds();

/** Domains of the test: each has hosts of its own. */
let last = 100;
let number = '';
let isBroken = false;
let dns: NameServer;
const shared = sharedWorld(async (fresh) => {
  dns = await startDns(fresh, (name, type) => (isBroken ? 'SERVFAIL' : ZONE(name, type)));
  return fresh.start({ dns });
});
beforeEach(() => {
  number = `${++last}.test`;
});
afterEach(() => {
  isBroken = false;
  vi.restoreAllMocks();
  shared.worker.service.get(MxGroups).unknown.raise();
});
/** The resolver's cached failures are too old by then. */
function afterSeconds({ service }: WorkerUnderTest, seconds: number): void {
  const resolver = service.get(MxResolver);
  const { now } = resolver;
  vi.spyOn(resolver, 'now').mockImplementation(() => now() + seconds * 1_000);
}
/** of the domains below this one */
const groupsIn = async (domain: string): Promise<Map<string, string>> => {
  const rows: { domain: string; group_key: string }[] = await shared.worker.database.query(
    'select domain, group_key from mx_domains where domain like $1 order by domain',
    [`%.${domain}`],
  );
  return new Map(rows.map(({ domain, group_key }) => [domain, group_key]));
};
/** The sweep for unknown groups comes after `ms` from now on. */
function sweepAfter({ service }: WorkerUnderTest, ms: number): void {
  const { unknown } = service.get(MxGroups);
  const wait = unknown.wait.bind(unknown);
  vi.spyOn(unknown, 'wait').mockImplementation((_sweepMs, abort) => wait(ms, abort));
  unknown.raise();
}
const waitingIn = async (domain: string) =>
  (await shared.worker.deliveries()).filter(({ destination }) => destination.endsWith(`.${domain}`));

describe('a message to a domain without earlier mail', () => {
  it('goes out without waiting for a sweep, and its domain is known from then on', async () => {
    const { worker } = shared;
    sweepAfter(worker, 3_600_000);
    const asked = () => dns.asked.filter((question) => question.endsWith(number)).length;
    const [first] = await worker.accept({ to: [`ann@shop.${number}`] });
    await worker.outcome(first!, 'delivered');
    await eventually(() => groupsIn(number)).toHaveProperty('size', 1);
    const before = asked();
    expect(before).toBeGreaterThan(0);
    const [second] = await worker.accept({ to: [`bob@shop.${number}`] });
    await worker.outcome(second!, 'delivered');
    expect(asked()).toBe(before);
  });

  it('is grouped with every other domain that has the same hosts', async () => {
    const { worker } = shared;
    const other = `${++last}.test`;
    const to = [`ann@a.${number}`, `bob@B.${number}`, `eve@c.${other}`];
    const ids = await worker.accept({ to });
    await Promise.all(ids.map((id) => worker.outcome(id, 'delivered')));
    await eventually(() => groupsIn(number)).toHaveProperty('size', 2);
    await eventually(() => groupsIn(other)).toHaveProperty('size', 1);
    const groups = new Map([...(await groupsIn(number)), ...(await groupsIn(other))]);
    expect(groups.get(`b.${number}`)).toBe(groups.get(`a.${number}`));
    expect(groups.get(`c.${other}`)).not.toBe(groups.get(`a.${number}`));
  });

  it.each([
    ['goes out without waiting for a sweep when it was scheduled', { sweepMs: 3_600_000, isLost: false }],
    ['is found by the sweep when the signal was lost', { sweepMs: 100, isLost: true }],
  ])('%s', async (_, { sweepMs, isLost }) => {
    const { worker } = shared;
    sweepAfter(worker, sweepMs);
    if (isLost) vi.spyOn(worker.service.get(MxGroups).unknown, 'raise').mockReturnValue();
    const [id] = await worker.accept({
      to: [`ann@later.${number}`],
      firstAttempt: new Date(Date.now() + 3_600_000),
    });
    await eventually(() => waitingIn(number)).toHaveLength(1);
    await worker.makeDue();
    await worker.outcome(id!, 'delivered');
  });
});

describe('spec 2-messages §14 rule 1: a domain without a route', () => {
  it.each([
    [
      'x.null.test',
      'bounced',
      { smtp_code: 556, enhanced_status_code: '5.1.10', classification: 'BadDomain' },
    ],
    [
      'x.gone.test',
      'bounced',
      { smtp_code: 550, enhanced_status_code: '5.1.2', classification: 'BadDomain' },
    ],
    ['x.broken.test', 'deferred', { smtp_code: 0, classification: 'DNSFailure' }],
  ] as const)('%s is %s by an attempt that asks no server', async (domain, outcome, reply) => {
    const { worker, host } = shared;
    const [id] = await worker.accept({ to: [`ann@${domain}`] });
    expect(await worker.outcome(id!, outcome)).toMatchObject({ attempt: 1, reply, remote_host: null });
    expect(host.messages).toEqual([]);
    expect(await groupsIn(domain.slice(2))).toEqual(new Map());
  });

  it('that has one when it is tried again is delivered', async () => {
    const { worker } = shared;
    isBroken = true;
    const [id] = await worker.accept({ to: [`ann@shop.${number}`] });
    await worker.outcome(id!, 'deferred');
    expect(await waitingIn(number)).toMatchObject([{ group_key: `d:shop.${number}` }]);
    isBroken = false;
    afterSeconds(worker, 6);
    await worker.makeDue();
    expect(await worker.outcome(id!, 'delivered')).toMatchObject({ attempt: 2 });
  });

  it('whose hosts are in a private network bounces, in words for its sender', async () => {
    const fresh = await world();
    const { host } = fresh;
    const worker = await fresh.start({ dns: await startDns(fresh), settings: { allowPrivateMx: false } });
    const [id] = await worker.accept({ to: ['ann@shop.7.test'] });
    expect(await worker.outcome(id!, 'bounced')).toMatchObject({
      reply: {
        smtp_code: 550,
        enhanced_status_code: '5.1.2',
        classification: 'BadDomain',
        response:
          'the mail host mx.7.test of shop.7.test has no address on the public internet, only 127.0.0.1',
      },
    });
    expect(host.messages).toEqual([]);
  });
});

describe('domains without an answer', () => {
  it('delay neither other accounts nor known domains, and hold no attempt', async () => {
    const fresh = await world();
    const names = await startDns(fresh);
    const worker = await fresh.start({ dns: names, settings: { deliveryConcurrency: 50 } });
    const [hostile, victim] = [Array.from({ length: 10 }, newId), newId()];
    for (const [nth, accountId] of hostile.entries()) {
      const to = Array.from({ length: 50 }, (_, at) => `r@n${at}.a${nth}.silent.test`);
      await worker.accept({ to, accountId });
    }
    const askedOf = (nth: number) =>
      new Set(names.asked.filter((question) => question.endsWith(`.a${nth}.silent.test`))).size;
    await eventually(() => hostile.map((_, nth) => askedOf(nth))).toEqual(hostile.map(() => 20));
    const ids = [];
    for (let nth = 0; nth < 10; nth++)
      ids.push(...(await worker.accept({ to: [`ann@new${nth}.7.test`], accountId: victim })));
    await Promise.all(ids.map((id) => worker.outcome(id, 'delivered')));
    const [known] = await worker.accept({ to: ['bob@new1.7.test'], accountId: hostile[0]! });
    await worker.outcome(known!, 'delivered');
    const waiting = await worker.deliveries();
    expect(waiting.filter(({ attempts }) => attempts > 0)).toEqual([]);
    expect(hostile.map((_, nth) => askedOf(nth))).toEqual(hostile.map(() => 20));
    expect(worker.service.get(DeliveryQueue).queue.size).toBe(0);
  });
});

it('re-keying while two workers claim loses and doubles none', async () => {
  const fresh = await world();
  const { host, start } = fresh;
  const names = await startDns(fresh);
  const [one] = await Promise.all([start({ dns: names }), start({ dns: names })]);
  const recipients = Array.from({ length: 500 }, (_, nth) => `r${nth}@d${nth % 49}.${nth % 7}.test`);
  const messages = await Promise.all(
    recipients.map((email) => one.message({ to: [email], accountId: newId() })),
  );
  for (let at = 0; at < messages.length; at += 125) await one.bus.publish(messages.slice(at, at + 125));
  await one.until(() => one.published.length >= recipients.length);
  expect(one.published.flatMap(({ outcome, reply }) => (outcome === 'delivered' ? [] : [reply]))).toEqual([]);
  expect(host.recipients.sort()).toEqual([...recipients].sort());
  expect(new Set(one.published.map(({ message_id }) => message_id)).size).toBe(recipients.length);
  expect(one.published.every(({ outcome, attempt }) => outcome === 'delivered' && attempt === 1)).toBe(true);
  expect(await one.deliveries()).toEqual([]);
});
