import { afterEach, describe, expect, it } from 'vitest';
import { freePort } from '@postmesh/testing';
import type { GroupWait } from '../shaping/group-limits.port.js';
import { constantLimits } from '../shaping/constant-limits.js';
import { polite, ScriptedServer } from '../testing/scripted-server.js';
import type { Script } from '../testing/scripted-server.js';
import { ConnectionPool } from './connection-pool.js';
import type { PoolOptions } from './connection-pool.js';
import type { Route, RouteHost } from './route.js';
import type { OutgoingMessage } from './smtp-transaction.js';

const servers: ScriptedServer[] = [];
const pools: ConnectionPool[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close(0)));
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});
const start = async (script: Script, at?: { address?: string; port?: number }) => {
  const server = await ScriptedServer.start(script, at);
  servers.push(server);
  return server;
};
const poolOf = (options: Partial<PoolOptions> = {}) => {
  const pool = new ConnectionPool({ ehloName: 'mta.service.test', random: () => 0.5, ...options });
  pools.push(pool);
  return pool;
};
const message = (recipient = 'ann@mail.test'): OutgoingMessage => {
  const text = `To: ${recipient}\r\n\r\nhello\r\n`;
  return {
    envelopeFrom: 'b+x@rp.shop.test',
    recipient,
    chunks: [Buffer.from(text)],
    size: text.length,
    eightBit: false,
    smtpUtf8: false,
  };
};
const host = (name: string, address: string, preference = 10): RouteHost => ({
  name,
  preference,
  addresses: [address],
});
const only = (port: number, name = 'mx.test'): Route => ({ hosts: [host(name, '127.0.0.1')], port });
/** Two hosts on one port: the first is the better one. */
const pair = async (first: Script | undefined, second: Script) => {
  // a port that no other connection gets meanwhile
  const port = await freePort();
  const good = await start(second, { address: '127.0.0.2', port });
  const bad = first === undefined ? undefined : await start(first, { port });
  return {
    route: { hosts: [host('a.test', '127.0.0.1', 10), host('b.test', '127.0.0.2', 20)], port },
    bad,
    good,
  };
};
const many = (count: number) => Array.from({ length: count }, (_, i) => message(`r${i}@mail.test`));
const slowly = (ms: number): Script =>
  polite({ accept: () => new Promise((resolve) => setTimeout(() => resolve('250 ok'), ms)) });

describe('connections', () => {
  it('are kept for the next message', async () => {
    const server = await start(polite());
    const pool = poolOf();
    for (const one of many(5))
      expect(await pool.send(only(server.port), one)).toMatchObject({
        kind: 'accepted',
        remoteHost: 'mx.test',
        tls: false,
      });
    expect(server.peers).toHaveLength(1);
    expect(pool.stats()).toEqual({ groups: 1, connections: 1, waiting: 0, inPool: 0 });
  });

  it('are opened on demand up to the bound of a destination, and carry everything', async () => {
    const server = await start(slowly(5));
    const pool = poolOf({ limits: constantLimits({ connections: 4 }) });
    const results = await Promise.all(many(100).map((one) => pool.send(only(server.port), one)));
    expect(results.every(({ kind }) => kind === 'accepted')).toBe(true);
    expect(server.peers).toHaveLength(4);
  });

  it('take single messages before bulk that waits longer', async () => {
    const server = await start(slowly(5));
    const pool = poolOf({ limits: constantLimits({ connections: 1 }) });
    const done: string[] = [];
    const send = async (one: OutgoingMessage, name: string) => {
      await pool.send(only(server.port), one);
      done.push(name);
    };
    const bulk = many(20).map((one) => send({ ...one, isBulk: true }, 'bulk'));
    await Promise.all([...bulk, send(message(), 'first'), send(message(), 'second')]);
    expect(done.slice(0, 3).filter((name) => name !== 'bulk')).toEqual(['first', 'second']);
  });

  it('are bounded in all, and destinations take turns', async () => {
    const server = await start(slowly(1));
    const pool = poolOf({ maxConnections: 2, limits: constantLimits({ connections: 2, perConnection: 10 }) });
    const done: string[] = [];
    const sends = ['a', 'b', 'c', 'd', 'e'].flatMap((name) =>
      many(30).map(async (one) => {
        expect((await pool.send(only(server.port, `${name}.test`), one)).kind).toBe('accepted');
        expect(pool.stats().connections).toBeLessThanOrEqual(2);
        done.push(name);
      }),
    );
    await Promise.all(sends);
    // No destination waits until another one is finished.
    for (const name of ['b', 'c', 'd', 'e']) expect(done.indexOf(name)).toBeLessThan(done.lastIndexOf('a'));
  });

  it('that are busy make room between two messages', async () => {
    const server = await start(slowly(1));
    const pool = poolOf({ maxConnections: 2, limits: constantLimits({ connections: 2 }) });
    let done = 0;
    const busy = many(300).map((one) => pool.send(only(server.port, 'a.test'), one).then(() => done++));
    expect((await pool.send(only(server.port, 'b.test'), message())).kind).toBe('accepted');
    expect(done).toBeLessThan(150);
    await Promise.all(busy);
  });

  it('that are idle make room for others', async () => {
    const server = await start(polite());
    const pool = poolOf({ maxConnections: 1 });
    for (const name of ['a', 'b', 'a', 'c']) {
      expect((await pool.send(only(server.port, `${name}.test`), message())).kind).toBe('accepted');
    }
    expect(server.peers).toHaveLength(4);
    expect(server.peers.slice(0, 3).map(({ transcript }) => transcript.at(-1))).toEqual([
      'QUIT',
      'QUIT',
      'QUIT',
    ]);
  });

  it('are closed with QUIT after some time without messages', async () => {
    const server = await start(polite());
    const pool = poolOf({ idleMs: 20 });
    await pool.send(only(server.port), message());
    await server.peers[0]?.gone();
    expect(server.peers[0]?.transcript.at(-1)).toBe('QUIT');
    expect((await pool.send(only(server.port), message())).kind).toBe('accepted');
    expect(server.peers).toHaveLength(2);
  });

  it('carry a limited number of messages', async () => {
    const server = await start(polite());
    const pool = poolOf({ limits: constantLimits({ connections: 1, perConnection: 3 }) });
    const results = await Promise.all(many(10).map((one) => pool.send(only(server.port), one)));
    expect(results.every(({ kind }) => kind === 'accepted')).toBe(true);
    const perPeer = server.peers.map(
      ({ transcript }) => transcript.filter((line) => line.startsWith('MAIL')).length,
    );
    expect(perPeer).toEqual([3, 3, 3, 1]);
  });

  it('are left after five minutes, however busy they are', async () => {
    let now = 1_000_000;
    const server = await start(polite());
    const pool = poolOf({ now: () => now });
    for (const passed of [0, 299_999, 1]) {
      now += passed;
      expect((await pool.send(only(server.port), message())).kind).toBe('accepted');
    }
    expect(server.peers).toHaveLength(2);
  });

  it('of one group are shared by its hosts, in turns', async () => {
    const server = await start(slowly(1));
    const pool = poolOf({ limits: constantLimits({ connections: 2 }) });
    const to = (name: string): Route => ({ ...only(server.port, name), groupKey: 'p:one' });
    const done: string[] = [];
    await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].flatMap((name) =>
        many(20).map(async (one) => {
          expect((await pool.send(to(`${name}.test`), one)).kind).toBe('accepted');
          expect(pool.stats().connections).toBeLessThanOrEqual(2);
          done.push(name);
        }),
      ),
    );
    // no host waits until another one has finished its messages
    expect(done.indexOf('e')).toBeLessThan(60);
  });

  it('carry messages at the pace of their group', async () => {
    const server = await start(polite());
    let mostInFlight = 0;
    let tokens = 0;
    const limits = {
      ...constantLimits(),
      takeTurn: (_group: string, _source: string, inFlight: number) => {
        mostInFlight = Math.max(mostInFlight, inFlight);
        return tokens++ % 3 === 0 && inFlight === 0 ? 0 : 5;
      },
    };
    const pool = poolOf({ limits });
    const results = await Promise.all(many(10).map((one) => pool.send(only(server.port), one)));
    expect(results.every(({ kind }) => kind === 'accepted')).toBe(true);
    expect(mostInFlight).toBeLessThanOrEqual(1);
  });

  it('are not opened while the group is suspended: waiting messages come back with the reason', async () => {
    const server = await start(polite());
    let changed: (groupKey: string, source: string) => void = () => undefined;
    const now: { wait?: GroupWait } = {};
    const limits = {
      ...constantLimits({ connections: 1 }),
      waitOf: () => now.wait,
      connectionsOf: () => (now.wait === undefined ? 1 : 0),
      takeTurn: () => 1_000,
      watch: (listener: typeof changed) => (changed = listener),
    };
    const pool = poolOf({ limits, now: () => 1_000_000 });
    const waiting = many(3).map((one) => pool.send({ ...only(server.port), groupKey: 'p:one' }, one));
    await expect.poll(() => server.peers.length).toBe(1);
    now.wait = {
      until: new Date(1_010_000),
      reason: 'Google slowed down us',
      isNarrow: false,
      by: 'Google',
      since: null,
    };
    changed('p:one', '');
    const postponed = { kind: 'postponed', notBefore: 1_010_000, response: 'Google slowed down us' };
    for (const sent of waiting) expect(await sent).toMatchObject(postponed);
    expect(await pool.send({ ...only(server.port), groupKey: 'p:one' }, message())).toMatchObject(postponed);
    await server.peers[0]?.gone();
    expect(server.peers).toHaveLength(1);
    expect(server.peers[0]?.transcript.filter((line) => line.startsWith('MAIL'))).toEqual([]);
  });

  it('that a server refuses beyond its own bound are not needed', async () => {
    let live = 0;
    const script: Script = (peer, connection) => {
      if (live >= 2) {
        peer.say('421 4.7.0 too many connections');
        peer.socket.end();
        return undefined;
      }
      live++;
      peer.socket.on('close', () => live--);
      return slowly(3)(peer, connection);
    };
    const server = await start(script);
    const pool = poolOf({ limits: constantLimits({ connections: 10 }) });
    const results = await Promise.all(many(60).map((one) => pool.send(only(server.port), one)));
    expect(results.filter(({ kind }) => kind !== 'accepted')).toEqual([]);
    expect(server.peers.length).toBeLessThan(20);
  });

  it('above the limit are closed: one stays, however low the limit fell', async () => {
    let live = 0;
    const server = await start((peer, connection) => {
      if (live >= 2) {
        peer.say('421 4.7.0 too many connections');
        peer.socket.end();
        return undefined;
      }
      live++;
      // servers need a moment to see that a client is gone
      peer.socket.on('close', () => void setTimeout(() => live--, 100));
      return slowly(3)(peer, connection);
    });
    let allowed = 3;
    const constant = constantLimits({ connections: 3 });
    const limits = {
      ...constant,
      connectionsOf: () => allowed,
      met: (result: Parameters<typeof constant.met>[0]) => {
        if (result.opened === false) allowed = 1;
        return constant.met(result);
      },
    };
    const pool = poolOf({ limits });
    const results = await Promise.all(many(20).map((one) => pool.send(only(server.port), one)));
    expect(results.map(({ kind }) => kind)).toEqual(many(20).map(() => 'accepted'));
  });
});

describe('a connection that the server closed meanwhile', () => {
  it.each([
    ['by hanging up', (peer: Parameters<Script>[0]) => peer.drop()],
    ['by 421 to the next message', undefined],
  ])('%s costs nothing: the message goes over a fresh one', async (_how, hangUp) => {
    let messages = 0;
    const script: Script = (peer, connection) =>
      polite({
        reply: (line) =>
          hangUp === undefined && line.startsWith('MAIL') && messages++ === 1
            ? '421 4.4.2 idle too long'
            : undefined,
        accept: () => {
          if (hangUp !== undefined && connection === 1) setImmediate(() => hangUp(peer));
          return undefined;
        },
      })(peer, connection);
    const server = await start(script);
    const pool = poolOf();
    for (const one of many(3)) expect((await pool.send(only(server.port), one)).kind).toBe('accepted');
    expect(server.peers).toHaveLength(2);
  });

  it('and one that was fresh decides at once', async () => {
    const server = await start(polite({ reply: (line) => (line.startsWith('MAIL') ? 'drop' : undefined) }));
    expect(await poolOf().send(only(server.port), message())).toMatchObject({
      kind: 'connection-lost',
      command: 'MAIL FROM',
      dataSent: 'no',
    });
    expect(server.peers).toHaveLength(1);
  });

  it('but a fresh one that is closed as well decides', async () => {
    let greeted = 0;
    const script: Script = (peer, connection) =>
      polite({
        reply: (line) => (line.startsWith('MAIL') && greeted++ > 0 ? '421 4.3.2 closing' : undefined),
      })(peer, connection);
    const server = await start(script);
    const pool = poolOf();
    expect((await pool.send(only(server.port), message())).kind).toBe('accepted');
    expect(await pool.send(only(server.port), message())).toMatchObject({ kind: 'deferred', smtpCode: 421 });
  });
});

describe('the hosts of a destination', () => {
  it.each([
    ['does not answer', undefined],
    ['refuses to serve', polite({ banner: '554 5.7.1 no' })],
    ['is busy', polite({ banner: '421 4.3.2 busy' })],
    [
      'defers the sender',
      polite({ reply: (line) => (line.startsWith('MAIL') ? '451 4.3.0 later' : undefined) }),
    ],
    [
      'defers the recipient',
      polite({ reply: (line) => (line.startsWith('RCPT') ? '450 4.2.0 greylisted' : undefined) }),
    ],
    ['defers the message', polite({ accept: () => '451 4.3.0 later' })],
    [
      'hangs up before the message',
      polite({ reply: (line) => (line.startsWith('DATA') ? 'drop' : undefined) }),
    ],
  ])('are tried in turn: the first one %s', async (_what, first) => {
    const { route, good } = await pair(first, polite());
    expect(await poolOf().send(route, message())).toMatchObject({ kind: 'accepted', remoteHost: 'b.test' });
    expect(good.peers).toHaveLength(1);
  });

  it.each([
    [
      'refuses the recipient',
      polite({ reply: (line) => (line.startsWith('RCPT') ? '550 5.1.1 no' : undefined) }),
      'rejected',
    ],
    ['refuses the message', polite({ accept: () => '550 5.7.1 spam' }), 'rejected'],
    ['hangs up after the final dot', polite({ accept: () => 'drop' }), 'connection-lost'],
  ])('are not tried when the first one %s', async (_what, first, kind) => {
    const { route, good } = await pair(first, polite());
    expect(await poolOf().send(route, message())).toMatchObject({ kind, remoteHost: 'a.test' });
    expect(good.peers).toHaveLength(0);
  });

  it.each([
    ['by its greeting', polite({ banner: '421 4.7.0 too many connections' })],
    [
      'by its reply to RCPT',
      polite({ reply: (line) => (line.startsWith('RCPT') ? '451 4.7.650 due to IP reputation' : undefined) }),
    ],
    ['at the end', polite({ accept: () => '421 4.7.28 unusual rate' })],
  ])('are not asked when the first one says to slow down, %s', async (_how, first) => {
    const { route, good } = await pair(first, polite());
    expect(await poolOf().send(route, message())).toMatchObject({ kind: 'deferred', remoteHost: 'a.test' });
    expect(good.peers).toHaveLength(0);
  });

  it('bounce the message only when all of them refuse to serve', async () => {
    const no = polite({ banner: '554 5.7.1 no' });
    const all = await pair(no, no);
    expect(await poolOf().send(all.route, message())).toMatchObject({
      kind: 'rejected',
      smtpCode: 554,
      command: 'CONNECT',
    });
    const some = await pair(undefined, no);
    expect(await poolOf().send(some.route, message())).toMatchObject({
      kind: 'deferred',
      smtpCode: 0,
      enhancedStatusCode: '4.4.1',
    });
  });

  it('of equal preference: one with an open connection goes first', async () => {
    const { route, bad, good } = await pair(polite(), polite());
    const [a, b] = route.hosts as [RouteHost, RouteHost];
    const pool = poolOf();
    await pool.send({ ...route, hosts: [{ ...b, preference: 10 }, a] }, message());
    await pool.send({ ...route, hosts: [a, { ...b, preference: 10 }] }, message());
    expect([bad?.peers.length, good.peers.length]).toEqual([0, 1]);
  });

  it('may have several addresses', async () => {
    const server = await start(polite(), { address: '127.0.0.2' });
    const route = {
      hosts: [{ name: 'mx.test', preference: 0, addresses: ['127.0.0.1', '127.0.0.2'] }],
      port: server.port,
    };
    expect((await poolOf().send(route, message())).kind).toBe('accepted');
  });

  it('that all failed are in backoff, then tried by one connection', async () => {
    let now = 1_000_000;
    const port = await freePort();
    const pool = poolOf({ now: () => now });
    const first = await Promise.all(many(3).map((one) => pool.send(only(port), one)));
    expect(first.map(({ kind }) => kind)).toEqual(['deferred', 'deferred', 'deferred']);
    expect(await pool.send(only(port), message())).toEqual({
      kind: 'postponed',
      smtpCode: 0,
      notBefore: now + 10_000,
      response: 'every host of the destination failed shortly before; they are left alone for a while',
    });
    let together = 0;
    const back = await start(
      async (peer, connection) => {
        // When the first connection is greeted, all of them would be open.
        if (connection === 1) await new Promise((resolve) => setTimeout(resolve, 50));
        if (connection === 1) together = back.peers.length;
        return slowly(2)(peer, connection);
      },
      { port },
    );
    now += 10_000;
    const second = await Promise.all(many(20).map((one) => pool.send(only(port), one)));
    expect(second.every(({ kind }) => kind === 'accepted')).toBe(true);
    expect(together).toBe(1);
    expect(back.peers.length).toBeGreaterThan(1);
  });

  it('may be none', async () => {
    expect((await poolOf().send({ hosts: [], port: 25 }, message())).kind).toBe('postponed');
  });
});

describe('the pool', () => {
  it('takes a limited number of messages', async () => {
    const server = await start(slowly(30));
    const pool = poolOf({ maxInPool: 2, limits: constantLimits({ connections: 1 }) });
    const results = await Promise.all(many(3).map((one) => pool.send(only(server.port), one)));
    expect(results.map(({ kind }) => kind)).toEqual(['accepted', 'accepted', 'postponed']);
  });

  it('when it closes, finishes messages in flight and gives back waiting ones', async () => {
    const server = await start(slowly(50));
    const pool = poolOf({ limits: constantLimits({ connections: 2 }) });
    const sends = many(10).map((one) => pool.send(only(server.port), one));
    while (server.peers.filter(({ transcript }) => transcript.includes('.')).length < 2)
      await new Promise(setImmediate);
    await pool.close();
    const kinds = (await Promise.all(sends)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'accepted').length).toBeGreaterThanOrEqual(2);
    expect(new Set(kinds)).toEqual(new Set(['accepted', 'postponed']));
    expect(pool.stats()).toMatchObject({ connections: 0, inPool: 0 });
    expect((await pool.send(only(server.port), message())).kind).toBe('postponed');
  });

  it('when it must close, cuts: a message without an answer is uncertain', async () => {
    const server = await start(polite({ accept: () => new Promise<string>(() => undefined) }));
    const pool = poolOf();
    const sent = pool.send(only(server.port), message());
    while (!server.peers[0]?.transcript.includes('.')) await new Promise(setImmediate);
    await pool.close(20);
    expect(await sent).toMatchObject({ kind: 'connection-lost', dataSent: 'complete' });
  });
});
