import net, { type AddressInfo } from 'node:net';
import { Resolver } from 'node:dns/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Transient } from '@postmesh/contracts';
import { knotServer, startForeignNameServer, type ForeignNameServer } from '@postmesh/testing';
import { DynamicUpdateZone, type DynamicUpdateOptions } from './dynamic-update.zone.js';

const knot = knotServer();
const ZONE = 'svc.example';
const SECRET = Buffer.from('a secret of the test');
const KEY = { name: 'postmesh.test', algorithm: 'hmac-sha256', secret: SECRET } as const;

const failureOf = async (work: Promise<unknown>): Promise<Transient> => {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Transient);
  return error as Transient;
};

describe.runIf(knot !== undefined)('dynamic updates of a real name server', () => {
  let server: ForeignNameServer;
  const resolver = new Resolver({ timeout: 5_000, tries: 3 });
  const zone = (more: Partial<DynamicUpdateOptions> = {}) =>
    new DynamicUpdateZone({ server, zone: ZONE, key: KEY, ...more });
  const texts = (name: string) => resolver.resolveTxt(`${name}.${ZONE}`).catch(({ code }) => code as string);

  beforeAll(async () => {
    server = await startForeignNameServer(knot as string, {
      zones: { [ZONE]: 'moved CNAME elsewhere.example.' },
      tsig: { name: KEY.name, algorithm: KEY.algorithm, secret: SECRET.toString('base64') },
    });
    resolver.setServers([server.address]);
  });
  afterAll(() => server?.stop());

  it('publish a text of any length over any earlier record, and again without a change', async () => {
    const long = `v=DKIM1; k=rsa; p=${'A'.repeat(600)}`;
    const changes = [
      { name: `tok.d1.dkim.${ZONE}`, text: long },
      { name: `moved.${ZONE}`, text: 'short' },
    ];
    for (const _again of [1, 2]) await zone().apply(changes);
    const found = await texts('tok.d1.dkim');
    expect(found).toEqual([[long.slice(0, 255), long.slice(255, 510), long.slice(510)]]);
    expect(await texts('moved')).toEqual([['short']]);
  });

  it('replace and withdraw, many names in one message', async () => {
    const names = Array.from({ length: 60 }, (_, nth) => `n${nth}.d2.dkim.${ZONE}`);
    const text = `v=DKIM1; k=rsa; p=${'B'.repeat(392)}`;
    await zone().apply(names.map((name) => ({ name, text })));
    expect(await texts('n59.d2.dkim')).toEqual([[text.slice(0, 255), text.slice(255)]]);
    await zone().apply([
      { name: names[0]!, text: 'another' },
      ...names.slice(1).map((name) => ({ name, text: null })),
    ]);
    expect(await texts('n0.d2.dkim')).toEqual([['another']]);
    expect(await texts('n59.d2.dkim')).toBe('ENOTFOUND');
    await zone().apply(names.map((name) => ({ name, text: null })));
    expect(await texts('n0.d2.dkim')).toBe('ENOTFOUND');
  });

  it.each<[string, Partial<DynamicUpdateOptions>, RegExp]>([
    ['a wrong secret', { key: { ...KEY, secret: Buffer.alloc(32) } }, /NOTAUTH.*BADSIG/],
    ['an unknown key', { key: { ...KEY, name: 'other.test' } }, /NOTAUTH.*BADKEY/],
    ['a zone that it does not have', { zone: 'other.example' }, /NOTAUTH/],
  ])('are refused with %s, with a reason', async (_what, more, reason) => {
    const error = await failureOf(zone(more).apply([{ name: `x.${more.zone ?? ZONE}`, text: 'x' }]));
    expect(error.message).toMatch(reason);
    expect(await texts('x')).toBe('ENOTFOUND');
  });

  it('are all or nothing: a name outside the zone refuses the others', async () => {
    const error = await failureOf(
      zone().apply([
        { name: `inside.${ZONE}`, text: 'x' },
        { name: 'outside.example', text: 'x' },
      ]),
    );
    expect(error.message).toContain('NOTZONE');
    expect(await texts('inside')).toBe('ENOTFOUND');
  });
});

describe('a faulty server', () => {
  /** @param reply its response, undefined = it closes the connection */
  const behind = async (reply: (request: Buffer) => Buffer | undefined) => {
    const server = net.createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (request: Buffer) => socket.end(reply(request) ?? Buffer.alloc(0)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const zone = new DynamicUpdateZone({
      server: { host: '127.0.0.1', port },
      zone: ZONE,
      key: KEY,
      timeoutMs: 10_000,
    });
    const error = await failureOf(zone.apply([{ name: `x.${ZONE}`, text: 'x' }]));
    server.close();
    return error.message;
  };
  /** the request as a response without TSIG and updates */
  const unsigned = (request: Buffer): Buffer => {
    const header = Buffer.alloc(14);
    header.writeUInt16BE(12, 0);
    request.copy(header, 2, 2, 4);
    header.writeUInt16BE(0xa800, 4);
    return header;
  };

  it.each<[string, (request: Buffer) => Buffer | undefined, RegExp]>([
    ['closes the connection', () => undefined, /closed the connection without a response/],
    ['cuts its response off', (request) => unsigned(request).subarray(0, 9), /closed the connection/],
    ['does not sign its yes', unsigned, /it is not signed/],
    [
      'responds to another request',
      (request) => {
        const response = unsigned(request);
        response.writeUInt16BE(response.readUInt16BE(2) ^ 1, 2);
        return response;
      },
      /belongs to another request/,
    ],
    // our own signed request, marked as a response: signed with the key, but not as a response to it
    [
      'returns the request',
      (request) => {
        const response = Buffer.from(request);
        response.writeUInt8((response[4] ?? 0) | 0x80, 4);
        return response;
      },
      /its signature is wrong/,
    ],
  ])('%s', async (_what, reply, reason) => {
    expect(await behind(reply)).toMatch(reason);
  });

  it('does not listen', async () => {
    const zone = new DynamicUpdateZone({ server: { host: '127.0.0.1', port: 1 }, zone: ZONE, key: KEY });
    const error = await failureOf(zone.apply([{ name: `x.${ZONE}`, text: 'x' }]));
    expect(error.message).toMatch(/^zone update on 127\.0\.0\.1:1 failed: .*ECONNREFUSED/);
  });

  it('says nothing', async () => {
    const server = net.createServer(() => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const zone = new DynamicUpdateZone({
      server: { host: '127.0.0.1', port },
      zone: ZONE,
      key: KEY,
      timeoutMs: 100,
    });
    const error = await failureOf(zone.apply([{ name: `x.${ZONE}`, text: 'x' }]));
    expect(error.message).toContain('took longer than 100 ms');
    server.close();
  });
});
