import { afterEach, describe, expect, it } from 'vitest';
import { SMTPServer } from 'smtp-server';
import type { SMTPServerOptions } from 'smtp-server';
import type { AddressInfo } from 'node:net';
import { constantLimits } from '../shaping/constant-limits.js';
import { polite, ScriptedServer } from '../testing/scripted-server.js';
import type { Script } from '../testing/scripted-server.js';
import { ConnectionPool } from './connection-pool.js';
import type { PoolOptions } from './connection-pool.js';
import { openConnection } from './open-connection.js';
import type { OpenOptions } from './open-connection.js';
import { TlsMemory } from './tls-memory.js';
import { SMTP_TIMEOUTS } from './timeouts.js';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

interface Taken {
  secure: boolean;
  size: number;
}

/** A real SMTP server with a self-signed certificate. */
async function realServer(options: SMTPServerOptions = {}) {
  const taken: Taken[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    onData: (stream, session, done) => {
      let size = 0;
      stream.on('data', (chunk: Buffer) => (size += chunk.length));
      stream.on('end', () => {
        taken.push({ secure: session.secure, size });
        done();
      });
    },
    ...options,
  });
  // The server's errors about failed handshakes are not tested here.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => new Promise<void>((resolve) => server.close(resolve)));
  return { port: (server.server.address() as AddressInfo).port, taken };
}
async function scripted(script: Script): Promise<ScriptedServer> {
  const server = await ScriptedServer.start(script);
  stops.push(() => server.stop());
  return server;
}
const text = 'Subject: x\r\n\r\n.dot\r\n';
const message = {
  envelopeFrom: 'b+x@rp.shop.test',
  recipient: 'ann@mail.test',
  chunks: [Buffer.from(text)],
  size: text.length,
  eightBit: false,
  smtpUtf8: false,
};
const poolOf = (options: Partial<PoolOptions> = {}) => {
  const pool = new ConnectionPool({ ehloName: 'mta.service.test', ...options });
  stops.push(() => pool.close(0));
  return pool;
};
const route = (port: number) => ({
  hosts: [{ name: 'mx.test', preference: 0, addresses: ['127.0.0.1'] }],
  port,
});
const open = (port: number, change: Partial<OpenOptions> = {}) =>
  openConnection({
    host: 'mx.test',
    address: '127.0.0.1',
    port,
    ehloName: 'mta.service.test',
    tls: 'opportunistic',
    tlsMemory: new TlsMemory(),
    timeouts: SMTP_TIMEOUTS,
    ...change,
  });

describe('STARTTLS', () => {
  it('is used where it is offered, with any name in the certificate', async () => {
    const { port, taken } = await realServer();
    expect(await poolOf().send(route(port), message)).toMatchObject({ kind: 'accepted', tls: true });
    expect(taken).toEqual([{ secure: true, size: text.length }]);
  });

  it('resumes the session at the next connection', async () => {
    const { port } = await realServer();
    const tlsMemory = new TlsMemory();
    const first = await open(port, { tlsMemory });
    if (!first.ok) throw new Error(first.failure.response);
    expect(first.connection.tls).toMatchObject({ protocol: 'TLSv1.3', resumed: false });
    // The ticket of TLS 1.3 comes with the first bytes after the handshake.
    await first.connection.stream.command('NOOP', 1_000);
    const second = await open(port, { tlsMemory });
    if (!second.ok) throw new Error(second.failure.response);
    expect(second.connection.tls?.resumed).toBe(true);
    first.connection.stream.end();
    second.connection.stream.end();
  });

  it('that is not offered is not requested', async () => {
    const { port, taken } = await realServer({ hideSTARTTLS: true });
    expect(await poolOf().send(route(port), message)).toMatchObject({ kind: 'accepted', tls: false });
    expect(taken).toHaveLength(1);
  });

  it.each([
    [
      'is refused',
      polite({ offers: ['STARTTLS'], reply: (line) => (line === 'STARTTLS' ? '454 4.7.0 no' : undefined) }),
    ],
    [
      'is refused for good',
      polite({ offers: ['STARTTLS'], reply: (line) => (line === 'STARTTLS' ? '554 5.7.0 no' : undefined) }),
    ],
    [
      'cannot shake hands',
      polite({
        offers: ['STARTTLS'],
        reply: (line) => (line === 'STARTTLS' ? '220 go\r\nthis is no TLS' : undefined),
      }),
    ],
    [
      'hangs up',
      polite({ offers: ['STARTTLS'], reply: (line) => (line === 'STARTTLS' ? 'drop' : undefined) }),
    ],
  ])(
    'of a server that %s gives way to the clear text, and is left out for a while',
    async (_what, script) => {
      const server = await scripted(script);
      const pool = poolOf({ limits: constantLimits({ perConnection: 1 }) });
      expect(await pool.send(route(server.port), message)).toMatchObject({ kind: 'accepted', tls: false });
      expect(server.peers).toHaveLength(2);
      expect(await pool.send(route(server.port), message)).toMatchObject({ kind: 'accepted', tls: false });
      expect(server.peers).toHaveLength(3);
    },
  );

  it.each([
    ['replies', '250-evil\r\n250 AUTH PLAIN\r\n'],
    ['the beginning of one', '250-evil'],
  ])('does not fall for %s that somebody slipped in before the handshake', async (_what, slipped) => {
    const { port } = await realServer();
    const { connect } = await import('node:net');
    // A man in the middle adds a reply behind the one to STARTTLS, in the same segment.
    const script: Script = (peer) => {
      const upstream = connect(port, '127.0.0.1');
      let asked = false;
      peer.socket.on('data', (chunk: Buffer) => {
        asked ||= chunk.toString().startsWith('STARTTLS');
        upstream.write(chunk);
      });
      upstream.on('data', (chunk: Buffer) => {
        peer.socket.write(asked ? Buffer.concat([chunk, Buffer.from(slipped)]) : chunk);
        asked = false;
      });
      upstream.on('error', () => undefined).on('close', () => peer.socket.destroy());
      peer.socket.on('close', () => upstream.destroy());
    };
    const server = await scripted(script);
    const opened = await open(server.port, { tls: 'require' });
    expect(opened.ok ? undefined : opened.failure.response).toMatch(/more than a reply|unasked/);
    expect(opened).toMatchObject({
      ok: false,
      failure: { command: 'STARTTLS', kind: 'deferred' },
    });
  });
});

describe('TLS that is required', () => {
  it('is used', async () => {
    const { port } = await realServer();
    expect(await poolOf({ tls: 'require' }).send(route(port), message)).toMatchObject({
      kind: 'accepted',
      tls: true,
    });
  });

  it('and not offered or broken lets the message wait', async () => {
    const none = await scripted(polite());
    expect(await poolOf({ tls: 'require' }).send(route(none.port), message)).toMatchObject({
      kind: 'deferred',
      smtpCode: 0,
      command: 'STARTTLS',
      response: 'mx.test does not offer STARTTLS, which is required',
    });
    const broken = await scripted(
      polite({
        offers: ['STARTTLS'],
        reply: (line) => (line === 'STARTTLS' ? '220 go\r\nno TLS' : undefined),
      }),
    );
    expect(await poolOf({ tls: 'require' }).send(route(broken.port), message)).toMatchObject({
      kind: 'deferred',
      command: 'STARTTLS',
    });
    expect(broken.peers).toHaveLength(1);
  });
});
