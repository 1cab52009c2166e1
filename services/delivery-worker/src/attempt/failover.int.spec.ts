import { describe, expect, it } from 'vitest';
import { ShapingClock } from '../shaping/shaping-clock.js';
import { ShapingChanges } from '../shaping/shaping-changes.js';
import { ShapingSync } from '../shaping/shaping-sync.js';
import { freshWorlds, type FreshWorld } from '../testing/fresh-world.js';
import { MailHost } from '../testing/mail-host.js';
import { a, mx, NameServer } from '../testing/name-server.js';
import { ACCOUNT, type WorkerUnderTest } from '../testing/worker-under-test.js';
import { CLOSED_MS } from '../ways/way-health.rules.js';
import { Ways } from '../ways/ways.js';

const source = (id: string, address: string) => ({ id, address, ehlo: `mta-${id}.service.test` });
const [A, B] = [source('a', '127.0.0.2'), source('b', '127.0.0.3')];

const world = freshWorlds();

const put = async (worker: WorkerUnderTest, path: string, given: object) =>
  expect(await worker.internal('PUT', `/operator/egress/${path}`, given)).toMatchObject({ status: 200 });

/** The worker with a clock that the test moves. */
function withClock(worker: WorkerUnderTest) {
  const clock = { skippedMs: 0 };
  worker.service.get(ShapingClock).use(() => Date.now() + clock.skippedMs);
  worker.service.get(Ways).health.use(() => performance.now() + clock.skippedMs);
  return clock;
}

const relayOf = (host: MailHost) => ({
  ...{ host: '127.0.0.1', port: host.port, tls: 'opportunistic', allow_plaintext: true },
});

/** A name server for which every domain is at Google. */
async function google({ closing }: FreshWorld): Promise<NameServer> {
  const dns = await NameServer.start((name, type) => {
    if (name === 'mx.google.com') return type === 'A' ? [a(name, '127.0.0.1')] : [];
    if (!name.endsWith('.test')) return 'NXDOMAIN';
    return type === 'MX' ? [mx(name, 'mx.google.com', 10)] : [];
  });
  closing.push(() => dns.stop());
  return dns;
}

const SLOW = '421 4.7.28 Our system has detected an unusual rate of mail from your IP address';

describe('a source that a provider blocks', () => {
  it('is left by its mail at once, and used again after a probe', async () => {
    const fresh = await world();
    const { host, start } = fresh;
    const dns = await google(fresh);
    const worker = await start({ dns, settings: { egressSources: [A, B], shapingFile: undefined } });
    const clock = withClock(worker);
    await put(worker, 'pools/default', { when_blocked: 'move' });
    host.manners = { accept: () => SLOW };
    const [first] = await worker.accept();
    const { source: blocked } = await worker.outcome(first!, 'deferred');
    await worker.service.get(ShapingChanges).settled();
    host.manners = {};
    const to = Array.from({ length: 5 }, (_, nth) => `n${nth}@mail.test`);
    const ids = await worker.accept({ to });
    // no time passes: the mail of the domain that preferred the blocked source leaves from the other one
    for (const id of ids) expect((await worker.outcome(id, 'delivered')).source).not.toBe(blocked);
    clock.skippedMs += 11 * 60_000;
    const [probe] = await worker.accept({ to: ['probe@mail.test'] });
    expect(await worker.outcome(probe!, 'delivered')).toMatchObject({ source: blocked });
    await worker.service.get(ShapingChanges).settled();
    await worker.service.get(ShapingSync).sync();
    const [next] = await worker.accept({ to: ['next@mail.test'] });
    expect(await worker.outcome(next!, 'delivered')).toMatchObject({ source: blocked });
  });
});

describe('the only source of a pool, when a provider blocks it', () => {
  it.each([
    ['and the pool waits, although it has a relay', 'wait', true],
    ['and the pool moves, but has no other way', 'move', false],
  ])('%s: its mail waits with the reason', async (_, when_blocked, hasRelay) => {
    const fresh = await world();
    const { host, start, closing } = fresh;
    const relay = await MailHost.start();
    closing.push(() => relay.stop());
    const dns = await google(fresh);
    const worker = await start({ dns, settings: { egressSources: [A], shapingFile: undefined } });
    if (when_blocked !== 'wait') await put(worker, 'pools/default', { when_blocked });
    if (hasRelay) await put(worker, 'relays/ses', relayOf(relay));
    host.manners = { accept: () => SLOW };
    const [first] = await worker.accept();
    await worker.outcome(first!, 'deferred');
    await worker.service.get(ShapingChanges).settled();
    host.manners = {};
    const [next] = await worker.accept({ to: ['next@mail.test'] });
    const waits = async () => (await worker.internal('GET', `/operator/deliveries/${next}`)).body;
    const waiting_for = expect.stringMatching(/^Google slowed down 127\.0\.0\.2 .*: nothing before/);
    await expect.poll(waits).toMatchObject({ waiting_for, cause: 'provider' });
    const { body } = await worker.internal('GET', `/internal/accounts/${ACCOUNT}/waits`);
    expect(body.waits).toMatchObject([{ kind: 'suspended', by: 'Google', reason: waiting_for }]);
    expect([...host.recipients, ...relay.recipients]).not.toContain('next@mail.test');
  });
});

describe('a source from which no host answers', () => {
  it('is left for the relay of its pool, and used again after a probe', async () => {
    const { host, start, closing } = await world();
    const relay = await MailHost.start();
    closing.push(() => relay.stop());
    const worker = await start({ settings: { egressSources: [A] } });
    const clock = withClock(worker);
    await put(worker, 'relays/ses', relayOf(relay));
    // 127.0.0.<n> has no server at this port
    const closed = Array.from({ length: 3 }, (_, nth) => `ann@on-${nth + 20}.test`);
    const ids = await worker.accept({ to: closed });
    // the third one finds its source closed, and leaves by the relay at once
    await relay.waitFor(1);
    const deferred = ids.filter((id) =>
      worker.published.some((one) => one.message_id === id && one.outcome === 'deferred'),
    );
    expect(deferred).toHaveLength(2);
    const [moved] = await worker.accept({ to: ['ann@mail.test'] });
    expect(await worker.outcome(moved!, 'delivered')).toMatchObject({ source: 'relay:ses' });
    expect([relay.recipients.slice(1), host.recipients]).toEqual([['ann@mail.test'], []]);
    clock.skippedMs += CLOSED_MS;
    const [probe] = await worker.accept({ to: ['probe@mail.test'] });
    expect(await worker.outcome(probe!, 'delivered')).toMatchObject({ source: 'a' });
    const [next] = await worker.accept({ to: ['next@mail.test'] });
    expect(await worker.outcome(next!, 'delivered')).toMatchObject({ source: 'a' });
  });
});

describe('a relay that takes no mail', () => {
  it.each([
    ['is away', undefined],
    ['greets with 554', '554 5.7.1 your account is paused'],
  ])('is left for the sources of its pool when it %s, and used again after a probe', async (_, greeting) => {
    const { host, start, closing } = await world();
    const relay = await MailHost.start(
      greeting === undefined
        ? {}
        : { reply: (command) => (/^(?:EHLO|HELO)/.test(command) ? greeting : undefined) },
    );
    closing.push(() => relay.stop());
    const worker = await start({ settings: { egressSources: [A] } });
    const clock = withClock(worker);
    await put(worker, 'relays/ses', relayOf(relay));
    await put(worker, 'pools/default', { order: 'relays-sources' });
    const { port } = relay;
    if (greeting === undefined) await relay.stop();
    const [first] = await worker.accept();
    await worker.outcome(first!, 'deferred');
    const [moved] = await worker.accept({ to: ['bob@mail.test'] });
    expect(await worker.outcome(moved!, 'delivered')).toMatchObject({ source: 'a' });
    expect(host.recipients).toEqual(['bob@mail.test']);
    relay.manners = {};
    const again = greeting === undefined ? await MailHost.start({}, { port }) : relay;
    closing.push(() => again.stop());
    // a host that failed is left alone for less time
    clock.skippedMs += CLOSED_MS;
    const [next] = await worker.accept({ to: ['next@mail.test'] });
    expect(await worker.outcome(next!, 'delivered')).toMatchObject({ source: 'relay:ses' });
  });
});
