import { createServer as createHttp, type RequestListener, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { createServer as createTcp, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { OutgoingHttp, type OutgoingHttpOptions } from './outgoing-http.js';
import { startNameServer, type NameAnswer } from './testing/name-server.js';
import { selfSignedCertificate } from '@postmesh/secrets';

const LOOPBACK = ['127.0.0.0/8', '::1/128'];
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function client(options: Partial<OutgoingHttpOptions> = {}): OutgoingHttp {
  const http = new OutgoingHttp({ allow: LOOPBACK, dnsServers: [], connectionsPerOrigin: 4, ...options });
  closing.push(() => http.close());
  return http;
}

async function listen(server: Server | ReturnType<typeof createTcp>, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  closing.push(() => {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const serve = (listener: RequestListener) => listen(createHttp(listener));

async function names(response: (name: string, type: 'A' | 'AAAA') => NameAnswer): Promise<string> {
  const server = await startNameServer(response);
  closing.push(() => server.close());
  return server.address;
}

function post(http: OutgoingHttp, url: string, more: { timeoutMs?: number; body?: string } = {}) {
  return http.post({
    url: new URL(url),
    headers: { 'content-type': 'application/json', 'webhook-id': 'msg_1' },
    body: Buffer.from(more.body ?? '{}'),
    timeoutMs: more.timeoutMs ?? 5_000,
    maxResponseBytes: 65_536,
    keptResponseBytes: 512,
  });
}

describe('a post', () => {
  it('sends method, path, headers and the exact bytes, and returns the status', async () => {
    const seen: unknown[] = [];
    const port = await serve(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString();
      const { host, authorization, 'webhook-id': id, 'content-length': length } = request.headers;
      seen.push({ method: request.method, url: request.url, body, host, authorization, id, length });
      response.writeHead(204).end();
    });
    const response = await post(client(), `http://ann:p%40ss@localhost:${port}/hooks?a=1#part`, {
      body: '{"é":1}',
    });
    expect(response).toMatchObject({ kind: 'answered', status: 204 });
    expect(seen).toEqual([
      {
        method: 'POST',
        url: '/hooks?a=1',
        body: '{"é":1}',
        host: `localhost:${port}`,
        authorization: `Basic ${Buffer.from('ann:p@ss').toString('base64')}`,
        id: 'msg_1',
        length: '8',
      },
    ]);
  });

  it('returns the beginning of the answer', async () => {
    const port = await serve((_, response) => response.writeHead(500).end(`no room ${'x'.repeat(5_000)}`));
    const response = await post(client(), `http://127.0.0.1:${port}/`);
    expect(response.kind === 'answered' && response.start.toString()).toBe(`no room ${'x'.repeat(504)}`);
  });

  it('reuses its connections', async () => {
    const ports = new Set<number | undefined>();
    const port = await serve((request, response) => {
      ports.add(request.socket.remotePort);
      response.end('thank you');
    });
    const http = client();
    for (let call = 0; call < 10; call += 1) await post(http, `http://127.0.0.1:${port}/`);
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  it('opens no more connections to one origin than allowed', async () => {
    const ports = new Set<number | undefined>();
    const port = await serve((request, response) => {
      ports.add(request.socket.remotePort);
      setImmediate(() => response.end());
    });
    const http = client({ connectionsPerOrigin: 2 });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post(http, `http://127.0.0.1:${port}/`)),
    );
    expect(answers.every((response) => response.kind === 'answered' && response.status === 200)).toBe(true);
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  it('reads no more of a long answer than its limit', async () => {
    let sent = 0;
    const port = await serve((_, response) => {
      const chunk = Buffer.alloc(16_384);
      const write = () => {
        while (!response.destroyed && sent < 50_000_000) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', write);
        }
      };
      write();
    });
    expect(await post(client(), `http://127.0.0.1:${port}/`)).toMatchObject({
      kind: 'answered',
      status: 200,
    });
    expect(sent).toBeLessThan(20_000_000);
  });
});

describe('a call fails', () => {
  it('when no answer arrives in time', async () => {
    const port = await serve(() => undefined);
    const response = await post(client(), `http://127.0.0.1:${port}/`, { timeoutMs: 150 });
    expect(response).toMatchObject({ kind: 'failed', trouble: 'timeout' });
    expect(response.durationMs).toBeLessThan(3_000);
  });

  it('when its time ends while it waits for a connection', async () => {
    const http = client({ connectionsPerOrigin: 1 });
    const port = await serve(() => undefined);
    const first = post(http, `http://127.0.0.1:${port}/`, { timeoutMs: 2_000 });
    expect(await post(http, `http://127.0.0.1:${port}/`, { timeoutMs: 100 })).toMatchObject({
      trouble: 'timeout',
    });
    await http.close();
    expect(await first).toMatchObject({ kind: 'failed' });
  });

  it('not when the status arrived in time and the body does not', async () => {
    const port = await serve((_, response) => void response.writeHead(200).write('…'));
    const response = await post(client(), `http://127.0.0.1:${port}/`, { timeoutMs: 1_000 });
    expect(response).toMatchObject({ kind: 'answered', status: 200 });
  });

  it('when no server listens', async () => {
    // at another address of a port that this test holds: no other process gets it meanwhile
    const port = await listen(createTcp());
    expect(await post(client(), `http://127.0.0.77:${port}/`)).toMatchObject({
      kind: 'failed',
      trouble: 'connection-failed',
      code: 'ECONNREFUSED',
    });
  });

  it('when the connection is cut', async () => {
    const port = await listen(createTcp((socket) => socket.destroy()));
    expect(await post(client(), `http://127.0.0.1:${port}/`)).toMatchObject({ trouble: 'connection-failed' });
  });

  it('when the other side does not speak HTTP', async () => {
    const port = await listen(createTcp((socket) => socket.end('220 mx.mail.test ESMTP\r\n')));
    expect(await post(client(), `http://127.0.0.1:${port}/`)).toMatchObject({ trouble: 'not-http' });
  });

  it('when the client is closed during the call', async () => {
    const http = client();
    const port = await serve(() => void http.close());
    expect(await post(http, `http://127.0.0.1:${port}/`)).toMatchObject({ kind: 'failed' });
  });
});

describe('a get', () => {
  const get = (url: string, more: { timeoutMs?: number } = {}) =>
    client().fetch({ url: new URL(url), headers: {}, timeoutMs: 5_000, maxResponseBytes: 100, ...more });

  it('returns the whole document, with its type', async () => {
    const port = await serve((request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' }).write(`${request.method} `);
      setImmediate(() => response.end(request.url));
    });
    const found = await get(`http://127.0.0.1:${port}/a?b`);
    expect(found).toMatchObject({ kind: 'answered', status: 200, contentType: 'text/plain' });
    expect(found.kind === 'answered' && found.body.toString()).toBe('GET /a?b');
  });

  it('posts a body where there is one, and follows no redirect with it', async () => {
    const port = await serve((request, response) => {
      response.writeHead(307, { location: '/other' });
      void request.toArray().then((pieces) => response.end(`${request.method} ${Buffer.concat(pieces)}`));
    });
    const url = new URL(`http://127.0.0.1:${port}/token`);
    const limits = { timeoutMs: 5_000, maxResponseBytes: 100 };
    const found = await client().fetch({ url, headers: {}, ...limits, body: Buffer.from('a=b') });
    expect(found).toMatchObject({ kind: 'answered', status: 307 });
    expect(found.kind === 'answered' && found.body.toString()).toBe('POST a=b');
  });

  it('accepts a document up to its limit and no longer one', async () => {
    const port = await serve((request, response) => {
      const length = Number(request.url?.slice(1));
      for (let left = length; left > 0; left -= 10) response.write('x'.repeat(Math.min(left, 10)));
      response.end();
    });
    expect(await get(`http://127.0.0.1:${port}/100`)).toMatchObject({ kind: 'answered' });
    for (const length of [101, 1_000_000]) {
      const failed = await get(`http://127.0.0.1:${port}/${length}`);
      expect(failed).toMatchObject({ kind: 'failed', trouble: 'too-long' });
    }
  });

  it('fails when the body does not end in time, and when it is cut off', async () => {
    const port = await serve((request, response) => {
      response.writeHead(200, { 'content-length': '50' }).write('some');
      if (request.url === '/cut') setImmediate(() => response.destroy());
    });
    expect(await get(`http://127.0.0.1:${port}/`, { timeoutMs: 150 })).toMatchObject({ trouble: 'timeout' });
    expect(await get(`http://127.0.0.1:${port}/cut`)).toMatchObject({ kind: 'failed' });
  });
});

describe('TLS', () => {
  const pair = selfSignedCertificate(['shop.test']);
  const secure = () => listen(createHttps(pair, (_, response) => response.end()));

  it('is refused with an untrusted certificate', async () => {
    const dnsServers = [await names(() => ['127.0.0.1'])];
    const response = await post(client({ dnsServers }), `https://shop.test:${await secure()}/`);
    expect(response).toMatchObject({
      kind: 'failed',
      trouble: 'tls-failed',
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    });
  });

  it('is refused with a certificate for another name, and accepted with the right one', async () => {
    const dnsServers = [await names((_, type) => (type === 'A' ? ['127.0.0.1'] : []))];
    const http = client({ dnsServers, ca: pair.cert });
    const port = await secure();
    expect(await post(http, `https://other.test:${port}/`)).toMatchObject({ trouble: 'tls-failed' });
    expect(await post(http, `https://shop.test:${port}/`)).toMatchObject({ kind: 'answered', status: 200 });
  });
});

describe('private networks are refused', () => {
  it('as literal addresses, without a connection', async () => {
    let calls = 0;
    const port = await serve((_, response) => {
      calls += 1;
      response.end();
    });
    for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', '2130706433', 'localhost']) {
      expect(await post(client({ allow: [] }), `http://${host}:${port}/`)).toMatchObject({
        kind: 'failed',
        trouble: 'address-refused',
      });
    }
    expect(calls).toBe(0);
  });

  it('after DNS resolution, in both families', async () => {
    const dnsServers = [await names((name, type) => ANSWERS[`${name} ${type}`] ?? [])];
    const http = client({ allow: [], dnsServers });
    for (const name of ['a.test', 'aaaa.test', 'mapped.test', 'metadata.test']) {
      expect(await post(http, `http://${name}:8080/`), name).toMatchObject({ trouble: 'address-refused' });
    }
  });

  it('by connecting only to those addresses of a name that are permitted', async () => {
    const port = await serve((_, response) => response.end());
    const dnsServers = [await names((_, type) => (type === 'A' ? ['10.0.0.1', '127.0.0.1'] : ['fc00::1']))];
    expect(await post(client({ dnsServers }), `http://mixed.test:${port}/`)).toMatchObject({ status: 200 });
  });

  it('also when a second look-up would answer something else (rebinding)', async () => {
    const port = await serve((_, response) => response.end());
    const asked: string[] = [];
    const dnsServers = [
      await names((name, type) => {
        if (type === 'AAAA') return [];
        asked.push(name);
        return asked.length === 1 ? ['127.0.0.1'] : ['10.0.0.1'];
      }),
    ];
    const http = client({ dnsServers });
    expect(await post(http, `http://rebind.test:${port}/`)).toMatchObject({ kind: 'answered', status: 200 });
    expect(asked).toHaveLength(1);
    await http.close();
    expect(await post(client({ dnsServers }), `http://rebind.test:${port}/`)).toMatchObject({
      trouble: 'address-refused',
    });
  });
});

const ANSWERS: Record<string, string[]> = {
  'a.test A': ['127.0.0.1'],
  'aaaa.test AAAA': ['::1'],
  'mapped.test AAAA': ['::ffff:10.0.0.1'],
  'metadata.test A': ['169.254.169.254'],
};

describe('names', () => {
  it('are resolved by the given resolvers only', async () => {
    const dnsServers = [await names(() => undefined)];
    expect(await post(client({ dnsServers }), 'http://nowhere.test/')).toMatchObject({
      kind: 'failed',
      trouble: 'name-not-resolved',
      code: 'ENOTFOUND',
    });
  });

  it('whose servers are silent end at the timeout of the call', async () => {
    const dnsServers = [await names(() => 'silent')];
    const response = await post(client({ dnsServers }), 'http://silent.test/', { timeoutMs: 200 });
    expect(response).toMatchObject({ kind: 'failed', trouble: 'timeout' });
  });

  it('localhost needs no resolver', async () => {
    const port = await serve((_, response) => response.end());
    const dnsServers = [await names(() => undefined)];
    expect(await post(client({ dnsServers }), `http://localhost:${port}/`)).toMatchObject({ status: 200 });
    expect(await post(client({ dnsServers }), `http://api.localhost:${port}/`)).toMatchObject({
      status: 200,
    });
  });
});
