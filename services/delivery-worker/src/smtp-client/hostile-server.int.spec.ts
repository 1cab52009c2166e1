import { freePort } from '@postmesh/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { constantLimits } from '../shaping/constant-limits.js';
import { polite, ScriptedServer } from '../testing/scripted-server.js';
import type { Peer, Script } from '../testing/scripted-server.js';
import { shortened, SilentAddresses } from './silent-addresses.js';
import { ConnectionPool } from './connection-pool.js';
import type { PoolOptions } from './connection-pool.js';
import type { Route } from './route.js';
import { openConnection } from './open-connection.js';
import { SMTP_TIMEOUTS } from './timeouts.js';
import { TlsMemory } from './tls-memory.js';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});
const start = async (script: Script, at?: Parameters<typeof ScriptedServer.start>[1]) => {
  const server = await ScriptedServer.start(script, at);
  stops.push(() => server.stop());
  return server;
};
const poolOf = (options: Partial<PoolOptions> = {}) => {
  const pool = new ConnectionPool({ ehloName: 'mta.service.test', ...options });
  stops.push(() => pool.close(0));
  return pool;
};
const text = 'Subject: x\r\n\r\nhello\r\n';
const message = (recipient = 'ann@mail.test') => ({
  ...{ envelopeFrom: 'b+x@rp.shop.test', recipient, eightBit: false, smtpUtf8: false },
  ...{ chunks: [Buffer.from(text)], size: text.length },
});
const host = (name: string, address = '127.0.0.1', preference = 10) => ({
  ...{ name, preference },
  addresses: [address],
});
const only = (port: number): Route => ({ hosts: [host('mx.test')], port });
const forEver = () => new Promise<string>(() => undefined);

/** Sends a byte every few milliseconds, as long as the connection is open. */
function drip(peer: Peer): Promise<void> {
  const timer = setInterval(() => peer.raw('2'), 20);
  return peer.gone().finally(() => clearInterval(timer));
}

describe('a socket after the goodbye', () => {
  const dripsAfter =
    (verb: string, reply?: string): Script =>
    async (peer) => {
      peer.say('220 mx.test');
      for (let line = await peer.line(); line !== undefined; line = await peer.line()) {
        if (line.startsWith(verb)) {
          if (reply !== undefined) peer.say(reply);
          // our side was ended, which the server ignores
          return drip(peer);
        }
        if (line === 'DATA') {
          peer.say('354 go on');
          await peer.data();
        }
        peer.say('250 ok');
      }
    };

  it.each([
    ['answers QUIT and drips on', 'QUIT', '221 bye'],
    ['drips instead of answering QUIT', 'QUIT', undefined],
    ['says 421 and drips on', 'MAIL', '421 4.3.2 closing'],
    ['refuses EHLO and drips on', 'EHLO', '421 4.7.0 no'],
  ])('is destroyed although the server %s', async (_what, verb, reply) => {
    const server = await start(dripsAfter(verb, reply), { staysOpen: true });
    const pool = poolOf({ idleMs: 10, timeouts: { quitMs: 100, goodbyeMs: 100 } });
    await pool.send(only(server.port), message());
    await server.peers[0]!.gone();
    expect(pool.stats().connections).toBe(0);
  });
});

describe('silence of an address', () => {
  it('halves the time that it gets, each time, down to a floor', () => {
    const of = (silences: number) => {
      const { connectMs, bannerMs } = shortened(SMTP_TIMEOUTS, silences);
      return [connectMs, bannerMs];
    };
    expect([1, 2, 3, 50].map(of)).toEqual([
      [15_000, 30_000],
      [7_500, 15_000],
      [5_000, 10_000],
      [5_000, 10_000],
    ]);
    expect(shortened({ ...SMTP_TIMEOUTS, connectMs: 100 }, 3)).toMatchObject({ connectMs: 100 });
    expect(shortened(SMTP_TIMEOUTS, 9)).toMatchObject({ envelopeMs: 120_000, dataMs: 300_000 });
  });

  it('counts until the address answers once, with any text', async () => {
    const silent = new SilentAddresses();
    const bannerMsNow = () => silent.timeoutsOf('127.0.0.1', SMTP_TIMEOUTS).bannerMs;
    const says: string[] = [];
    const server = await start((peer) => (says.length === 0 ? undefined : peer.say(...says)));
    const open = (bannerMs = 30) =>
      openConnection({
        ...{ host: 'mx.test', address: '127.0.0.1', port: server.port, ehloName: 'mta.service.test' },
        ...{ tls: 'off', tlsMemory: new TlsMemory(), silent },
        timeouts: { ...SMTP_TIMEOUTS, bannerMs },
      });
    expect(await open()).toMatchObject({ ok: false, failure: { response: 'no reply within 1 s' } });
    expect(bannerMsNow()).toBe(30_000);
    await open();
    expect(bannerMsNow()).toBe(15_000);
    expect(silent.timeoutsOf('127.0.0.2', SMTP_TIMEOUTS)).toBe(SMTP_TIMEOUTS);
    says.push('421 4.3.2 later');
    await open(60_000);
    expect(bannerMsNow()).toBe(60_000);
  });
});

describe('a whole attempt', () => {
  it('is bounded over all hosts together: the rest of them is not tried', async () => {
    // a port that no other connection gets meanwhile
    const port = await freePort();
    const second = await start(polite(), { address: '127.0.0.2', port });
    await start(polite({ reply: (line) => (line.startsWith('MAIL') ? forEver() : undefined) }), { port });
    const route = { hosts: [host('a.test'), host('b.test', '127.0.0.2', 20)], port };
    expect(await poolOf({ attemptMs: 1_000 }).send(route, message())).toMatchObject({
      ...{ kind: 'connection-lost', dataSent: 'no', command: 'MAIL FROM', remoteHost: 'a.test' },
      response: 'the attempt took too long (MAIL FROM)',
    });
    expect(second.peers).toHaveLength(0);
  });

  it('is bounded while a host drips its greeting', async () => {
    const server = await start((peer) => drip(peer));
    expect(await poolOf({ attemptMs: 500 }).send(only(server.port), message())).toMatchObject({
      ...{ kind: 'deferred', smtpCode: 0, enhancedStatusCode: '4.4.1', command: 'CONNECT' },
      response: 'the host took too long to greet',
    });
  });

  it('waits for the reply to the whole message all the same: it would arrive twice', async () => {
    const late = () => new Promise<string>((resolve) => setTimeout(() => resolve('250 2.0.0 mine'), 1_200));
    const server = await start(polite({ accept: late }));
    expect(await poolOf({ attemptMs: 1_000 }).send(only(server.port), message())).toMatchObject({
      ...{ kind: 'accepted', response: 'mine' },
    });
  });

  it('that found no connection costs the message nothing', async () => {
    const server = await start(polite({ offers: [], accept: forEver }));
    const pool = poolOf({ attemptMs: 1_000, limits: constantLimits({ connections: 1 }) });
    void pool.send(only(server.port), message());
    while (!server.peers[0]?.transcript.includes('.')) await new Promise(setImmediate);
    const sent = await pool.send(only(server.port), message('bob@mail.test'));
    expect(sent).toMatchObject({ kind: 'postponed', response: 'no connection became free for it' });
  });
});
