import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { OutgoingHttp, type OutgoingHttpOptions } from './outgoing-http.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Seen {
  method: string | undefined;
  url: string | undefined;
  body: string;
  headers: IncomingMessage['headers'];
}

/** The path decides the answer: `/302/http://…` redirects there, every other path returns 200. */
async function serve() {
  const seen: Seen[] = [];
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const { method, url, headers } = request;
    seen.push({ method, url, headers, body: Buffer.concat(await request.toArray()).toString() });
    const [, status, location] = /^\/(\d+)\/(.*)$/.exec(url ?? '') ?? [];
    if (status === undefined) response.end('arrived');
    else response.writeHead(Number(status), { location: location as string }).end('moved');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function post(url: string, options: Partial<OutgoingHttpOptions> = {}) {
  const http = new OutgoingHttp({
    allow: ['127.0.0.0/8'],
    dnsServers: [],
    connectionsPerOrigin: 4,
    ...options,
  });
  closing.push(() => http.close());
  return http.post({
    url: new URL(url),
    headers: { 'content-type': 'application/json', 'webhook-id': 'msg_1', 'webhook-signature': 'v1,x' },
    body: Buffer.from('{"a":1}'),
    timeoutMs: 5_000,
    maxResponseBytes: 65_536,
    keptResponseBytes: 512,
  });
}

describe('a redirected post', () => {
  it.each([301, 302, 307, 308])(
    'spec 2-messages §18 rule 5: %i: goes on with the same method, body and headers',
    async (status) => {
      const [moved, target] = [await serve(), await serve()];
      const response = await post(`${moved.url}/${status}/${target.url}/new?a=1`);
      expect(response).toMatchObject({ kind: 'answered', status: 200, redirects: 1 });
      const headers = { 'webhook-id': 'msg_1', 'webhook-signature': 'v1,x', 'content-length': '7' };
      expect(target.seen).toMatchObject([{ method: 'POST', url: '/new?a=1', body: '{"a":1}', headers }]);
    },
  );

  it('spec 2-messages §18 rule 5: follows three hops and not a fourth', async () => {
    const host = await serve();
    expect(await post(`${host.url}/302//307//308//end`)).toMatchObject({ status: 200, redirects: 3 });
    host.seen.length = 0;
    expect(await post(`${host.url}/302//307//308//301//end`)).toMatchObject({
      status: 301,
      redirects: 3,
      refused: 'too-many-redirects',
    });
    expect(host.seen).toHaveLength(4);
  });

  it('spec 2-messages §18 rule 5: a 303 is an answer like any other', async () => {
    const host = await serve();
    expect(await post(`${host.url}/303//end`)).toMatchObject({ status: 303, redirects: 0 });
    expect(host.seen).toHaveLength(1);
  });

  it('spec 2-messages §18 rule 5: the address is checked at the hop', async () => {
    const [moved, target] = [await serve(), await serve()];
    const hidden = target.url.replace('127.0.0.1', '127.0.0.2');
    expect(await post(`${moved.url}/307/${hidden}/`, { allow: ['127.0.0.1/32'] })).toMatchObject({
      kind: 'failed',
      trouble: 'address-refused',
    });
    expect(target.seen).toEqual([]);
  });

  it('sends the user information of its URL to its own origin only', async () => {
    const [moved, target] = [await serve(), await serve()];
    const named = moved.url.replace('//', '//ann:secret@');
    await post(`${named}/307/${target.url}/`);
    expect(moved.seen[0]!.headers.authorization).toMatch(/^Basic /);
    expect(target.seen[0]!.headers.authorization).toBeUndefined();
    await post(`${named}/307//end`);
    expect(moved.seen.at(-1)!.headers.authorization).toMatch(/^Basic /);
  });
});
