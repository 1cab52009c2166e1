import { afterEach, expect, it } from 'vitest';
import type { Answer } from 'dns-packet';
import { loadSettings, type Settings } from '@postmesh/settings';
import { createLogger } from '@postmesh/observability';
import { a, NameServer, txt } from '../testing/name-server.js';
import { polite, ScriptedServer } from '../testing/scripted-server.js';
import { waysOfSettings } from '../testing/ways-of-settings.js';
import { EgressChecks } from './egress-checks.js';
import { EgressSources } from './egress-sources.js';
import { Relays } from './relays.js';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

const ptr = (name: string, data: string): Answer => ({ type: 'PTR', name, ttl: 60, data });
const [HERE, NAME] = ['127.0.0.2', 'mta-a.service.test'];
const SPF = 'spf.postmesh.test';
const SOURCE = { id: 'a', address: HERE, ehlo: NAME };

/** Runs the checks with real DNS and SMTP, against these DNS records. */
async function check(change: Partial<Settings>, records: Record<string, Answer[]> = {}) {
  const dns = await NameServer.start((name, type) => records[`${type} ${name}`] ?? []);
  stops.push(() => dns.stop());
  const settings: Settings = {
    ...loadSettings({}),
    ...{ localInternet: false, dnsServers: [dns.address], egressCheckHost: 'off', logLevel: 'silent' },
    ...change,
  };
  const ways = await waysOfSettings({ ...settings, databaseUrl: 'postgres://127.0.0.1:1/none' });
  stops.push(() => ways.onModuleDestroy());
  const sources = await EgressSources.start(ways, settings, createLogger(settings, 'test'));
  stops.push(async () => sources.onApplicationShutdown());
  const checks = await new EgressChecks(
    settings,
    sources,
    new Relays(ways),
    ways,
    { sawPtr: async () => undefined },
    undefined,
  ).run();
  return checks.map(({ check: what, ok, detail }) => `${ok ? 'ok' : 'NO'} ${what}: ${detail}`);
}

async function scripted(script: Parameters<typeof ScriptedServer.start>[0]) {
  const server = await ScriptedServer.start(script);
  stops.push(() => server.stop());
  return server;
}

it('names and addresses of a source agree, and port 25 is open from it', async () => {
  const server = await scripted(polite());
  const records = {
    'PTR 2.0.0.127.in-addr.arpa': [ptr('2.0.0.127.in-addr.arpa', NAME)],
    [`A ${NAME}`]: [a(NAME, HERE)],
    'A mx.check.test': [a('mx.check.test', '127.0.0.1')],
    [`TXT ${SPF}`]: [txt(SPF, `v=spf1 ip4:127.0.0.0/30 ip6:2001:db8::1 -all`)],
  };
  const egressCheckHost = `mx.check.test:${server.port}`;
  expect(await check({ egressSources: [SOURCE], egressCheckHost }, records)).toEqual([
    `ok this machine has ${HERE}: yes`,
    `ok the PTR record of ${HERE} is ${NAME}: yes`,
    `ok ${NAME} leads to ${HERE}: yes`,
    `ok the SPF record of ${SPF} names ${HERE}: yes`,
    `ok port 25 is open from ${HERE}: ${egressCheckHost} answers 220 mx.test ESMTP`,
  ]);
  expect(server.peers[0]?.socket.remoteAddress).toBe(HERE);
});

it('findings name the fault and the remedy', async () => {
  const server = await scripted(polite());
  await server.stop();
  const records = {
    'PTR 2.0.0.127.in-addr.arpa': [ptr('2.0.0.127.in-addr.arpa', 'host-2.hosting.test')],
    [`TXT ${SPF}`]: [txt(SPF, 'v=spf1 ip4:192.0.2.8 -all')],
  };
  const egressCheckHost = `127.0.0.1:${server.port}`;
  const egressSources = [SOURCE, { id: 'far', address: '192.0.2.1', ehlo: 'mta-far.service.test' }];
  const said = await check({ egressSources, egressCheckHost }, records);
  expect(said.filter((line) => !line.includes('192.0.2.1'))).toEqual([
    `ok this machine has ${HERE}: yes`,
    `NO the PTR record of ${HERE} is ${NAME}: it is host-2.hosting.test; the owner of the address sets it (hosting provider: reverse DNS)`,
    `NO ${NAME} leads to ${HERE}: it has no such address; publish ${NAME} A ${HERE}`,
    `NO the SPF record of ${SPF} names ${HERE}: it is v=spf1 ip4:192.0.2.8 -all; publish the one of npx postmesh zone`,
    expect.stringMatching(/^NO port 25 is open from .*ECONNREFUSED.*; ask your hosting provider/),
  ]);
  expect(said).toContainEqual(
    expect.stringContaining('NO this machine has 192.0.2.1: nothing leaves from it'),
  );
});

it('without sources the addresses are those that SPF names', async () => {
  expect(await check({ sendingAddresses: ['8.8.4.4', '192.168.0.0/24'] })).toEqual([
    'ok the addresses that messages leave from are known: 8.8.4.4',
    expect.stringContaining('NO the PTR record of 8.8.4.4 is mta.postmesh.test: it has none'),
    expect.stringContaining('NO mta.postmesh.test leads to 8.8.4.4'),
    expect.stringContaining(`NO the SPF record of ${SPF} names 8.8.4.4: there is none`),
  ]);
  expect(await check({})).toEqual([
    expect.stringContaining('NO the addresses that messages leave from are known'),
  ]);
});

it('with relays it is whether those can be spoken to', async () => {
  const [open, closed] = [await scripted(polite()), await scripted(polite({ banner: '554 5.7.1 no' }))];
  const relay = (port: number) => ({ host: '127.0.0.1', port, implicitTls: false });
  const login = { user: 'me', password: 'secret' };
  const egressRelays = [relay(open.port), relay(closed.port), { ...relay(open.port), login }];
  expect(await check({ egressRelays })).toEqual([
    `ok the relay 127.0.0.1:${open.port} takes our mail: it answers`,
    `NO the relay 127.0.0.1:${closed.port} takes our mail: no`,
    expect.stringContaining(
      `NO the relay 127.0.0.1:${open.port} takes our mail: 127.0.0.1 does not offer STARTTLS`,
    ),
  ]);
});

it('with local-internet nothing is checked: no mail leaves the machine', async () => {
  expect(await check({ localInternet: true, egressSources: [SOURCE] })).toEqual([]);
});
