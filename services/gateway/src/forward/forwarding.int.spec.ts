import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { newId } from '@postmesh/contracts';
import { ServiceDirectory } from '@postmesh/http';
import { startService } from '@postmesh/service-host';
import { freePort, testDatabase } from '@postmesh/testing';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayListeners } from '../gateway-listeners.js';
import { GATEWAY_SERVICE } from '../gateway.module.js';
import type { DoubleKey } from '../testing/accounts-double.js';
import { sha256, takeReceived, waits } from '../testing/echo-service.js';
import { MODES, startGateway, type TestGateway } from '../testing/start-gateway.js';

const database = testDatabase();
const LIMIT = 30_000_000;

/** JSON of exactly `bytes` bytes, oddly spaced, with bytes above ASCII. */
function bodyOf(bytes: number): Buffer {
  const frame = Buffer.from('{ "é" :\t"');
  const text = Buffer.from(randomBytes(Math.ceil(bytes / 2)).toString('hex'));
  return Buffer.concat([frame, text.subarray(0, bytes - frame.length - 2), Buffer.from('"}')]);
}

/** Without a length: chunked. */
function chunked(body: Buffer): Readable {
  const step = 64 * 1024;
  return Readable.from(
    (function* () {
      for (let at = 0; at < body.length; at += step) yield body.subarray(at, at + step);
    })(),
  );
}

describe.each(MODES)('a service %s', (mode) => {
  let gateway: TestGateway;
  let key: DoubleKey;
  beforeAll(async () => {
    gateway = await startGateway(database.url, mode);
    key = gateway.accounts.addKey({ scopes: ['messages:send:all', 'messages:read:all'] });
  });
  afterAll(() => gateway.stop());

  const path = (rest: string) => `/v2/accounts/${key.accountId}/messages/${rest}`;
  const head = (more: Record<string, string> = {}) => ({
    authorization: `Bearer ${key.secret}`,
    'content-type': 'application/json',
    ...more,
  });

  async function post(body: Buffer | Readable, headers: Record<string, string> = head()) {
    const response = await request(`${gateway.url}${path('conversation')}`, {
      method: 'POST',
      headers,
      body,
    });
    const text = await response.body.text();
    return { status: response.statusCode, headers: response.headers, body: JSON.parse(text) };
  }

  async function get(rest: string, headers: Record<string, string> = head()) {
    const response = await request(`${gateway.url}${path(rest)}`, { headers });
    const text = await response.body.text();
    return { status: response.statusCode, headers: response.headers, body: JSON.parse(text) };
  }

  it('gets the caller, whatever the client sends about itself', async () => {
    const forged = { 'x-principal': 'e30.e30.e30', 'x-client-ip': '192.0.2.66', 'x-request-id': 'forged' };
    const { status, headers, body } = await get('some%40id?a=1&b=2', head(forged));
    expect(status).toBe(200);
    expect(body).toEqual({
      id: 'some@id',
      query: { a: '1', b: '2' },
      account: key.accountId,
      scopes: ['messages:send:all', 'messages:read:all'],
      request_id: headers['x-request-id'],
      client_ip: '127.0.0.1',
    });
  });

  it.each([
    ['refused', 409, { message: 'not now' }, '7'],
    ['broken', 500, { message: 'internal server error' }, undefined],
  ])('%s arrives as %s', async (id, status, body, retryAfter) => {
    const response = await get(id);
    expect([response.status, response.body, response.headers['retry-after']]).toEqual([
      status,
      body,
      retryAfter,
    ]);
  });

  it('answers 5 MB', async () => {
    expect((await get('large')).body.text).toHaveLength(5_000_000);
  });

  it.each([12, 300, 70_000, 29_000_000, LIMIT])('gets %d bytes exactly', async (bytes) => {
    const body = bodyOf(bytes);
    const expected = { length: bytes, sha256: sha256(body) };
    expect(await post(body)).toMatchObject({ status: 202, body: expected });
    expect(await post(chunked(body))).toMatchObject({ status: 202, body: expected });
  });

  it.each([
    ['neither length nor type', [], ''],
    ['a length of 0', ['Content-Length: 0'], ''],
    ['a length of 0 and a type', ['Content-Length: 0', 'Content-Type: application/json'], ''],
    ['a type alone', ['Content-Type: application/json'], ''],
    ['a type of text and no length', ['Content-Type: text/plain'], ''],
    ['no chunk', ['Transfer-Encoding: chunked'], '0\r\n\r\n'],
    ['no chunk and a type', ['Transfer-Encoding: chunked', 'Content-Type: application/json'], '0\r\n\r\n'],
  ])('gets a POST without a body: %s', async (_how, lines, body) => {
    takeReceived();
    const text = await talk(gateway.port, [
      `POST ${path('conversation')} HTTP/1.1`,
      'Host: x',
      `Authorization: Bearer ${key.secret}`,
      ...lines,
      'Connection: close',
      '',
      body,
    ]);
    expect(text).toMatch(/^HTTP\/1\.1 202 /);
    expect(takeReceived()).toEqual([{ length: 0, sha256: sha256(Buffer.alloc(0)) }]);
  });

  it('§1.4 one byte too many is 413, with and without a length; nothing is done', async () => {
    takeReceived();
    const body = bodyOf(LIMIT + 1);
    expect(await post(body)).toMatchObject({ status: 413, body: { message: 'request body is too large' } });
    expect(await post(chunked(body))).toMatchObject({
      status: 413,
      body: { message: 'request body is too large' },
    });
    expect(takeReceived()).toEqual([]);
    expect((await get('1')).status).toBe(200);
  });

  it('a client that sends 60 MB reads its 413 while it is still sending', async () => {
    const big = bodyOf(60_000_000);
    for (const body of [big, chunked(big)]) expect((await post(body)).status).toBe(413);
  });

  it('a refused request does not have its body sent first (Expect)', async () => {
    const text = await talk(gateway.port, [
      `POST ${path('conversation')} HTTP/1.1`,
      'Host: x',
      'Authorization: Bearer pm-sk-wrong',
      'Content-Length: 1000000',
      'Expect: 100-continue',
      '',
      '',
    ]);
    expect(text).toMatch(/^HTTP\/1\.1 401 /);
    expect(text.toLowerCase()).toContain('connection: close');
  });

  it('an accepted one gets 100 Continue (Expect)', async () => {
    const socket = await say(gateway.port, [
      `POST ${path('conversation')} HTTP/1.1`,
      'Host: x',
      `Authorization: Bearer ${key.secret}`,
      'Content-Length: 2',
      'Expect: 100-continue',
      'Connection: close',
      '',
      '',
    ]);
    const first = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
    expect(first.toString()).toMatch(/^HTTP\/1\.1 100 Continue/);
    socket.write('{}');
    expect(await rest(socket)).toMatch(/HTTP\/1\.1 202 /);
  });

  it('a small refused body leaves the connection open for the next request', async () => {
    const agent = new Agent({ connections: 1, pipelining: 1 });
    let connections = 0;
    agent.on('connect', () => (connections += 1));
    for (let at = 0; at < 3; at += 1) {
      const response = await request(`${gateway.url}${path('conversation')}`, {
        dispatcher: agent,
        method: 'POST',
        headers: head({ 'content-type': 'text/plain' }),
        body: 'x'.repeat(1_000),
      });
      expect(response.statusCode).toBe(415);
      await response.body.dump();
    }
    expect(connections).toBe(1);
    await agent.close();
  });

  it('is not reached by a client that disconnects in the middle', async () => {
    takeReceived();
    const socket = await say(gateway.port, [
      `POST ${path('conversation')} HTTP/1.1`,
      'Host: x',
      `Authorization: Bearer ${key.secret}`,
      'Content-Length: 100000',
      '',
      '{"a":',
    ]);
    socket.destroy();
    await expect.poll(async () => (await get('1')).status).toBe(200);
    expect(takeReceived()).toEqual([]);
  });

  it('is not waited for after the client disconnected', async () => {
    const [begun, givenUp] = [once(waits, 'begun'), once(waits, 'given up')];
    const gone = new AbortController();
    const left = request(`${gateway.url}${path('waits')}`, { headers: head(), signal: gone.signal });
    await begun;
    gone.abort();
    await expect(left).rejects.toThrow();
    expect((await givenUp)[0]).toMatchObject({ message: 'the client has closed its connection' });
    expect((await get('next')).status).toBe(200);
  });

  it('invalid HTTP gets an error in the form of the contract', async () => {
    const text = await talk(gateway.port, ['NONSENSE', '', '']);
    expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(text).toMatch(/x-request-id: [0-9a-f-]{36}\r\n/);
    expect(text).toMatch(/\{"message":"invalid request"\}$/);
    const large = await talk(gateway.port, ['GET / HTTP/1.1', 'Host: x', `A: ${'x'.repeat(20_000)}`, '', '']);
    expect(large).toMatch(/^HTTP\/1\.1 431 /);
  });

  it('two Authorization headers are 401', async () => {
    const text = await talk(gateway.port, [
      'GET /v2/ping HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${key.secret}`,
      `Authorization: Bearer ${key.secret}`,
      'Connection: close',
      '',
      '',
    ]);
    expect(text).toMatch(/^HTTP\/1\.1 401 /);
  });
});

describe('a service that cannot be reached', () => {
  it('is 503 with Retry-After, for every method', async () => {
    const gateway = await startGateway(database.url, 'in process');
    const directory = new ServiceDirectory({ messages: `http://127.0.0.1:${await freePort()}` });
    directory.addLocal('accounts', gateway.accounts);
    const service = await startService(GATEWAY_SERVICE, { ...gateway.context, directory });
    const { httpPort } = await service.get(GatewayListeners).open();
    const key = gateway.accounts.addKey();
    const base = `http://127.0.0.1:${httpPort}/v2/accounts/${key.accountId}/messages`;
    for (const [method, url, body] of [
      ['GET', `${base}/1`, null],
      ['POST', `${base}/conversation`, bodyOf(1_000_000)],
    ] as const) {
      const headers = { authorization: `Bearer ${key.secret}`, 'idempotency-key': newId() };
      const response = await request(url, { method, headers, body });
      expect([response.statusCode, response.headers['retry-after'], await response.body.json()]).toEqual([
        503,
        '1',
        { message: 'service temporarily unavailable' },
      ]);
    }
    await service.stop();
    await directory.close();
    await gateway.stop();
  });
});

function say(port: number, lines: string[]): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(lines.join('\r\n'));
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

const talk = async (port: number, lines: string[]): Promise<string> => rest(await say(port, lines));

function rest(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
  });
}
