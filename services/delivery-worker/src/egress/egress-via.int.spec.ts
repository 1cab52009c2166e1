import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import {
  freeAddresses,
  freePort,
  haproxyProgram,
  microsocksProgram,
  namespaceProgram,
  startHaproxy,
  startMicrosocks,
  startNamespace,
} from '@postmesh/testing';
import { describe, expect, it, vi } from 'vitest';
import type { EgressVia } from '@postmesh/settings';
import { freshWorlds, type FreshWorld } from '../testing/fresh-world.js';
import { MailHost } from '../testing/mail-host.js';
import { a, mx, NameServer } from '../testing/name-server.js';
import type { WorkerUnderTest } from '../testing/worker-under-test.js';
import { EgressChecks } from './egress-checks.js';

const world = freshWorlds();
const LOGIN = { user: 'worker', password: 'a:secret@of ours' };

const sourceOf = (address: string, via: EgressVia) => ({
  ...{ id: 'a', address, ehlo: 'mta-a.service.test', via },
});

/** The peer and the greeting of each message. */
function watch(host: MailHost): string[] {
  const seen: string[] = [];
  host.manners = {
    accept: (_message, peer) => {
      const greeting = peer.transcript.find((line) => line.startsWith('EHLO'));
      seen.push(`${peer.socket.remoteAddress} ${greeting?.slice(5)}`);
      return undefined;
    },
  };
  return seen;
}

/** A worker delivers one message. @returns its published attempt */
async function deliver({ start }: FreshWorld, parts: Parameters<FreshWorld['start']>[0]) {
  const worker = await start(parts);
  const [id] = await worker.accept();
  return { attempt: await worker.outcome(id!, 'delivered'), worker };
}

/** The only delivery, once it was tried and waits. */
const waiting = (worker: WorkerUnderTest) =>
  vi.waitFor(async () => {
    const delivery = (await worker.deliveries()).find(({ state, reason }) => state === 'waiting' && reason);
    if (!delivery) throw new Error('it was not tried yet');
    return delivery;
  }, 10_000);

/** As docs/kubernetes.md has it. */
const haproxyLines = (address: string, allowed: { peer: string; port: number }) =>
  [
    'listen egress',
    '  mode tcp',
    `  bind ${address}:2500 accept-proxy`,
    `  tcp-request connection reject unless { src ${allowed.peer} }`,
    `  tcp-request content reject unless { dst_port ${allowed.port} }`,
    '  server out 0.0.0.0 source 0.0.0.0 usesrc clientip',
  ].join('\n');

const microsocks = microsocksProgram();
describe.skipIf(!microsocks)('a source address of a SOCKS5 proxy', () => {
  it.each([
    ['without', undefined],
    ['with', LOGIN],
  ])('%s a login: hosts see its address and our greeting', async (_, login) => {
    const fresh = await world();
    const port = await freePort();
    const proxy = await startMicrosocks(microsocks!, { port, bind: '127.0.0.5', ...(login && { login }) });
    fresh.closing.push(() => proxy.stop());
    const seen = watch(fresh.host);
    const via = { kind: 'socks5', host: '127.0.0.1', port } as const;
    const settings = {
      egressSources: [sourceOf('127.0.0.5', via)],
      egressSocksLogins: login ? [{ host: '127.0.0.1', port, ...login }] : [],
    };
    const { attempt } = await deliver(fresh, { settings });
    expect(seen).toEqual(['127.0.0.5 mta-a.service.test']);
    expect(attempt).toMatchObject({ source: 'a', remote_host: expect.stringContaining('mx.') });
  });

  it('that refuses the login, or is away, keeps messages uncounted; a host that refuses counts', async () => {
    const fresh = await world();
    const [port, nothing] = [await freePort(), await freePort()];
    const proxy = await startMicrosocks(microsocks!, { port, bind: '127.0.0.5', login: LOGIN });
    fresh.closing.push(() => proxy.stop());
    const from = (proxyPort: number, password = LOGIN.password) => ({
      egressSources: [sourceOf('127.0.0.5', { kind: 'socks5' as const, host: '127.0.0.1', port: proxyPort })],
      egressSocksLogins: [{ host: '127.0.0.1', port: proxyPort, user: LOGIN.user, password }],
    });
    const why = async (settings: ReturnType<typeof from>, other: { port?: number } = {}) => {
      const worker = await fresh.start({ settings, ...other });
      await worker.accept();
      const { attempts, reason } = await waiting(worker);
      await worker.database.query('delete from deliveries');
      await worker.stop();
      return { attempts, reason };
    };
    expect(await why(from(port, 'wrong'))).toEqual({
      attempts: 0,
      reason: `the SOCKS5 proxy 127.0.0.1:${port}: it refuses the login`,
    });
    expect(await why(from(nothing))).toMatchObject({
      attempts: 0,
      reason: expect.stringContaining('ECONNREFUSED'),
    });
    expect(await why(from(port), { port: nothing })).toEqual({
      attempts: 1,
      reason: expect.stringContaining(`through 127.0.0.1:${port}: connection refused`),
    });
  });

  it('is checked by doctor: its port 25 through the proxy, not its presence on this machine', async () => {
    const fresh = await world();
    const port = await freePort();
    const proxy = await startMicrosocks(microsocks!, { port, bind: '127.0.0.5' });
    fresh.closing.push(() => proxy.stop());
    const via = { kind: 'socks5', host: '127.0.0.1', port } as const;
    const egressCheckHost = `127.0.0.1:${fresh.host.port}`;
    const worker = await fresh.start({
      settings: { egressSources: [sourceOf('127.0.0.5', via)], egressCheckHost, localInternet: false },
    });
    const found = await worker.service.get(EgressChecks).run();
    expect(found.find(({ check }) => check.includes('port 25'))).toMatchObject({ ok: true });
    expect(found.some(({ check }) => check.startsWith('this machine has'))).toBe(false);
  });
});

describe('a proxy that is none', () => {
  it('is named in the reason; no byte of it is taken for a host', async () => {
    const fresh = await world();
    const server = createServer((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    fresh.closing.push(async () => void server.close());
    const { port } = server.address() as AddressInfo;
    const via = { kind: 'socks5', host: '127.0.0.1', port } as const;
    const worker = await fresh.start({ settings: { egressSources: [sourceOf('127.0.0.5', via)] } });
    await worker.accept();
    expect((await waiting(worker)).reason).toBe(`the SOCKS5 proxy 127.0.0.1:${port}: it needs another login`);
  });
});

const ip = namespaceProgram();
const haproxy = haproxyProgram();
describe.skipIf(!ip || !haproxy || !microsocks)('a node of its own with several addresses', () => {
  const [OURS, ...THEIRS] = freeAddresses() as [string, string, string, string];

  it('sends from each of them through SOCKS5 or HAProxy: receivers see the address of SPF and PTR', async () => {
    const fresh = await world();
    const namespace = startNamespace(ip!, { ours: OURS, theirs: THEIRS });
    fresh.closing.push(async () => namespace.stop());
    const host = await MailHost.start({}, { address: OURS });
    fresh.closing.push(() => host.stop());
    const dns = await NameServer.start((name, type) =>
      type === 'MX' ? [mx(name, `mx.${name}`, 10)] : type === 'A' ? [a(name, OURS)] : [],
    );
    fresh.closing.push(() => dns.stop());
    const proxies = [
      await startMicrosocks(microsocks!, { port: 1080, bind: THEIRS[1], namespace }),
      await startHaproxy(haproxy!, haproxyLines(THEIRS[0], { peer: OURS, port: host.port }), {
        port: 2500,
        namespace,
      }),
    ];
    for (const proxy of proxies) fresh.closing.push(() => proxy.stop());
    const seen = watch(host);
    const ways = [
      { address: THEIRS[1], via: { kind: 'socks5', host: THEIRS[0], port: 1080 } },
      { address: THEIRS[1], via: { kind: 'proxy', host: THEIRS[0], port: 2500 } },
      { address: THEIRS[2], via: { kind: 'proxy', host: THEIRS[0], port: 2500 } },
    ] as const;
    for (const { address, via } of ways) {
      const settings = { egressSources: [sourceOf(address, via)] };
      const { worker } = await deliver(fresh, { dns, port: host.port, settings });
      await worker.stop();
    }
    expect(seen).toEqual(ways.map(({ address }) => `${address} mta-a.service.test`));
    const other = await MailHost.start({}, { address: OURS });
    fresh.closing.push(() => other.stop());
    const settings = { egressSources: [sourceOf(THEIRS[2], ways[2].via)] };
    const worker = await fresh.start({ dns, port: other.port, settings });
    const [id] = await worker.accept();
    await worker.outcome(id!, 'deferred');
    expect(other.messages).toEqual([]);
  });
});
