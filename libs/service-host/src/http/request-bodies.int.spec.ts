import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ByteBudget, type ByteBudgetOptions } from '@postmesh/concurrency';
import type { ServiceName } from '@postmesh/contracts';
import {
  InternalClient,
  ServiceDirectory,
  serviceTokenKeys,
  ServiceTokens,
  type RawBody,
} from '@postmesh/http';
import { loadSettings, type Settings } from '@postmesh/settings';
import { Agent, request } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { localService } from './local-service.js';
import { RequestBodies } from './request-bodies.js';
import { createAdapter } from './responses.js';

const SETTINGS = { ...loadSettings({}), secretKeys: ['a-secret-that-is-long-enough-for-everybody'] };
const tokens = (self: ServiceName) => new ServiceTokens(serviceTokenKeys(SETTINGS), self);
const MIB = 1024 * 1024;
const LARGE = 2 * MIB;
// The bytes that Node and the kernel buffer of a connection that is not read.
const READ_AHEAD = 512 * 1024;

/** A service whose handler holds every body until the test lets it respond. */
async function startHolder(
  room: Partial<ByteBudgetOptions> = {},
  {
    small: ofSmall = {},
    settings = {},
  }: { small?: Partial<ByteBudgetOptions>; settings?: Partial<Settings> } = {},
) {
  const budget = new ByteBudget({ maxBytes: 3 * LARGE, maxPerKey: 2 * LARGE, freeBelow: MIB, ...room });
  const small = new ByteBudget({ maxBytes: 6 * MIB, maxPerKey: 4 * MIB, freeBelow: 0, ...ofSmall });
  const inForce = { ...SETTINGS, ...settings };
  const bodies = new RequestBodies(inForce, { small, large: budget }, tokens('messages'));
  const fastify = createAdapter(bodies).getInstance() as unknown as FastifyInstance;
  const holding: {
    account: string;
    length: number;
    raw: ServerResponse;
    respond: (status: number) => void;
  }[] = [];
  const sockets: Socket[] = [];
  fastify.server.on('connection', (socket: Socket) => sockets.push(socket));
  const hold = (incoming: FastifyRequest, reply: FastifyReply) => {
    const { account } = incoming.params as { account: string };
    const { length } = incoming.body as Buffer;
    holding.push({
      ...{ account, length, raw: reply.raw },
      respond: (status) => void reply.status(status).send(Buffer.from('{}')),
    });
  };
  fastify.post('/v2/accounts/:account/messages', hold);
  fastify.post('/internal/submissions', (incoming, reply) => {
    const { length } = incoming.body as Buffer;
    holding.push({
      account: 'internal',
      length,
      raw: reply.raw,
      respond: (status) => void reply.status(status).send(Buffer.from('{}')),
    });
  });
  await fastify.listen({ port: 0, host: '127.0.0.1' });
  const { port } = fastify.server.address() as { port: number };
  const agent = new Agent({ connections: null, pipelining: 1 });
  const post = async (account: string, body: Buffer | Readable) => {
    const response = await request(`http://127.0.0.1:${port}/v2/accounts/${account}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      dispatcher: agent,
    });
    return { status: response.statusCode, headers: response.headers, text: await response.body.text() };
  };
  return {
    budget,
    small,
    holding,
    local: localService(fastify),
    port,
    post,
    bytesRead: () => sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0),
    respondAll: (status = 202) => holding.splice(0).forEach(({ respond }) => respond(status)),
    stop: async () => {
      await agent.destroy();
      fastify.server.closeAllConnections();
      await fastify.close();
    },
  };
}

type Holder = Awaited<ReturnType<typeof startHolder>>;
let holder: Holder;
afterEach(() => holder?.stop());

const large = (bytes = LARGE) => Buffer.alloc(bytes, 'x');

/** Waits for the expected state, then long enough to see that it does not change. */
async function settled(happened: () => boolean): Promise<void> {
  await expect.poll(happened, { interval: 5 }).toBe(true);
  await sleep(50);
}

describe('large bodies', () => {
  it('are not read before memory is free for them; all are served in the end', async () => {
    holder = await startHolder();
    const sent = Array.from({ length: 12 }, () => holder.post('a', large()));
    await settled(() => holder.budget.waiting === 10 && holder.holding.length === 2);
    expect(holder.holding.map(({ length }) => length)).toEqual([LARGE, LARGE]);
    // all twelve would be 24 MiB
    expect(holder.bytesRead()).toBeLessThan(2 * LARGE + 12 * READ_AHEAD);
    const responding = setInterval(() => holder.respondAll(), 5);
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    clearInterval(responding);
    expect(statuses).toEqual(Array.from({ length: 12 }, () => 202));
    expect([holder.budget.bytes, holder.budget.waiting]).toEqual([0, 0]);
  });

  it('let small ones pass, and those of another account', async () => {
    holder = await startHolder();
    const sent = Array.from({ length: 5 }, () => holder.post('loud', large()));
    await settled(() => holder.budget.waiting === 3 && holder.holding.length === 2);
    const others = [holder.post('loud', large(MIB - 1))];
    await settled(() => holder.holding.length === 3);
    others.push(holder.post('quiet', large()));
    await settled(() => holder.holding.length === 4);
    expect(holder.holding.map(({ account }) => account)).toEqual(['loud', 'loud', 'loud', 'quiet']);
    const responding = setInterval(() => holder.respondAll(), 5);
    await Promise.all([...sent, ...others]);
    clearInterval(responding);
  });

  it('of one account have one share, however the path spells it', async () => {
    holder = await startHolder({ maxBytes: 30_000_000 });
    const sent = ['a', '%61', '%41'].map((account) => holder.post(account, large()));
    await settled(() => holder.holding.length === 2 && holder.budget.waiting === 1);
    const responding = setInterval(() => holder.respondAll(), 5);
    await Promise.all(sent);
    clearInterval(responding);
  });

  it('without a declared length are counted once they are large', async () => {
    holder = await startHolder({ maxBytes: 30_000_000, maxPerKey: 30_000_000 });
    const chunked = (bytes: number) =>
      Readable.from(Array.from({ length: bytes / 65_536 }, () => Buffer.alloc(65_536)));
    const sent = [holder.post('a', chunked(LARGE)), holder.post('a', chunked(LARGE))];
    await settled(() => holder.budget.waiting === 1 && holder.holding.length === 1);
    expect(holder.holding[0]?.length).toBe(LARGE);
    sent.push(holder.post('a', chunked(MIB / 2)));
    await settled(() => holder.holding.length === 2);
    const responding = setInterval(() => holder.respondAll(), 5);
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([202, 202, 202]);
    clearInterval(responding);
  });

  it('get a 503 with Retry-After when no memory is free in time, and when too many wait', async () => {
    holder = await startHolder({ maxBytes: LARGE, maxWaiting: 1, maxWaitMs: 100 });
    const first = holder.post('a', large());
    await settled(() => holder.holding.length === 1);
    const refused = await Promise.all([holder.post('a', large()), holder.post('a', large())]);
    for (const { status, headers, text } of refused) {
      expect([status, headers['retry-after'], headers['connection']]).toEqual([503, '5', 'close']);
      expect(JSON.parse(text)).toMatchObject({ message: 'service temporarily unavailable' });
    }
    holder.respondAll();
    expect((await first).status).toBe(202);
  });

  it('release their memory when the handler fails, other code responds, and the client disconnects', async () => {
    holder = await startHolder({ maxBytes: LARGE });
    const failing = holder.post('a', large());
    await settled(() => holder.holding.length === 1);
    holder.respondAll(500);
    expect((await failing).status).toBe(500);
    // a gateway that stops, before the handler has ended
    const refused = holder.post('a', large());
    await settled(() => holder.holding.length === 1);
    holder.holding.splice(0).forEach(({ raw }) => raw.writeHead(503).end());
    expect((await refused).status).toBe(503);
    await settled(() => holder.budget.bytes === 0);
    const socket = connect(holder.port, '127.0.0.1');
    await once(socket, 'connect');
    const head = ['POST /v2/accounts/a/messages HTTP/1.1', 'Host: x', 'Content-Type: application/json'];
    socket.write([...head, `Content-Length: ${LARGE}`, '', 'half'].join('\r\n'));
    await settled(() => holder.budget.bytes === LARGE);
    socket.destroy();
    await settled(() => holder.budget.bytes === 0);
    expect(holder.holding).toEqual([]);
  });
});

describe('bodies below 1 MiB', () => {
  const HALF = MIB / 2;

  /** A request of this many bytes whose last one is missing. */
  async function stalled(
    account: string,
    bytes: number,
    accounts = '/v2/accounts',
  ): Promise<{ socket: Socket; response: Promise<string> }> {
    const socket = connect(holder.port, '127.0.0.1');
    await once(socket, 'connect');
    const head = [
      `POST ${accounts}/${account}/messages HTTP/1.1`,
      'Host: x',
      'Content-Type: application/json',
    ];
    socket.write([...head, `Content-Length: ${bytes}`, '', 'x'.repeat(bytes - 1)].join('\r\n'));
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString())).on('error', () => undefined);
    return { socket, response: once(socket, 'close').then(() => text) };
  }

  it('are counted as they arrive: 429 for an account that used its share, others pass; all memory is released', async () => {
    holder = await startHolder();
    const uploads = await Promise.all(Array.from({ length: 12 }, () => stalled('loud', HALF)));
    const texts: string[] = [];
    for (const { response } of uploads) void response.then((text) => texts.push(text));
    await settled(() => texts.length === 5);
    for (const text of texts) {
      expect(text).toMatch(/^HTTP\/1\.1 429 /);
      expect(text).toMatch(/retry-after: 1\r\n/);
      expect(text).toContain('"message":"Too many requests, rate limited."');
    }
    expect(holder.small.bytes).toBeLessThanOrEqual(4 * MIB);
    const quiet = holder.post('quiet', large(HALF));
    await settled(() => holder.holding.length === 1);
    holder.respondAll();
    expect((await quiet).status).toBe(202);
    for (const { socket } of uploads) socket.destroy();
    await settled(() => holder.small.bytes === 0);
  });

  it('of all accounts together get a 503 when no memory is free', async () => {
    holder = await startHolder({}, { small: { maxBytes: 2 * MIB } });
    const held = ['a', 'b', 'c'].map((account) => holder.post(account, large(HALF)));
    await settled(() => holder.holding.length === 3);
    const { status, headers, text } = await holder.post('d', large(HALF));
    expect([status, headers['retry-after']]).toEqual([503, '5']);
    expect(JSON.parse(text)).toMatchObject({ message: 'service temporarily unavailable' });
    holder.respondAll();
    expect((await Promise.all(held)).map(({ status: each }) => each)).toEqual([202, 202, 202]);
    expect(holder.small.bytes).toBe(0);
  });

  it('are bounded in number, too: one that holds a byte counts as more', async () => {
    holder = await startHolder({}, { small: { maxPerKey: 64 * 1024 } });
    const uploads = await Promise.all(Array.from({ length: 5 }, () => stalled('a', 10)));
    expect(await Promise.race(uploads.map(({ response }) => response))).toMatch(/^HTTP\/1\.1 429 /);
    for (const { socket } of uploads) socket.destroy();
  });

  it.each([
    ['small', HALF, '/v2/accounts'],
    ['large', LARGE, '/v2/accounts'],
    ['small', HALF, '/%76%32/accounts'],
    ['large', LARGE, '/v2/%61ccounts'],
  ])('and %s ones that stall end with a 408 (%d bytes to %s)', async (_size, bytes, accounts) => {
    holder = await startHolder({}, { settings: { uploadStallSeconds: 0.4 } });
    const { response } = await stalled('a', bytes, accounts);
    const text = await response;
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(text).toContain('"message":"request body arrives too slowly"');
    expect([holder.small.bytes, holder.budget.bytes, holder.holding]).toEqual([0, 0, []]);
  });
});

describe.each(['in the process', 'over HTTP'] as const)('the stream of another service, %s', (way) => {
  const submit = (raw: Omit<RawBody, 'contentType'>, self: ServiceName = 'gateway') => {
    const directory = new ServiceDirectory({ messages: `http://127.0.0.1:${holder.port}` });
    if (way === 'in the process') directory.addLocal('messages', holder.local);
    const request = {
      method: 'POST' as const,
      path: '/internal/submissions',
      raw: { contentType: 'message/rfc822', ...raw },
    };
    return new InternalClient(directory, tokens(self)).send('messages', request);
  };
  const pieces = (bytes: number, piece = 65_536) =>
    Readable.from(Array.from({ length: bytes / piece }, () => Buffer.alloc(piece, 'x')));

  it('takes at most the memory that it declares, from the share of the account that it names', async () => {
    holder = await startHolder();
    const sent = ['a', 'a', 'a', 'b'].map((account) =>
      submit({ bytes: pieces(LARGE), maxBytes: LARGE, account }),
    );
    await settled(() => holder.holding.length === 3 && holder.budget.waiting === 1);
    expect(holder.budget.bytes).toBe(3 * LARGE);
    const responding = setInterval(() => holder.respondAll(200), 5);
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    clearInterval(responding);
    expect(holder.budget.bytes).toBe(0);
  });

  it('releases the memory that it did not need once it is complete', async () => {
    holder = await startHolder({ maxBytes: 30_000_000, maxPerKey: 30_000_000 });
    const sent = submit({ bytes: pieces(LARGE), account: 'a' });
    await settled(() => holder.holding.length === 1);
    expect([holder.holding[0]?.length, holder.budget.bytes]).toEqual([LARGE, LARGE]);
    holder.respondAll(200);
    expect((await sent).status).toBe(200);
  });

  it('is refused when it is longer than declared', async () => {
    holder = await startHolder();
    expect((await submit({ bytes: pieces(LARGE), maxBytes: MIB + 1 })).status).toBe(413);
    expect(holder.holding).toEqual([]);
  });

  it('that breaks off reaches no handler, and releases its memory', async () => {
    holder = await startHolder();
    const stream = new Readable({ read: () => undefined });
    stream.push(Buffer.alloc(LARGE));
    const sent = submit({ bytes: stream, maxBytes: 2 * LARGE });
    const failed = sent.then(
      ({ status }) => expect(status).toBe(400),
      (error: unknown) => expect(String(error)).toContain('cannot be reached'),
    );
    await settled(() => holder.budget.bytes > 0);
    stream.destroy(new Error('gone'));
    await failed;
    await settled(() => holder.budget.bytes === 0);
    expect(holder.holding).toEqual([]);
  });
});

it('only a service may declare the account and the length of a body', async () => {
  holder = await startHolder();
  const response = request(`http://127.0.0.1:${holder.port}/v2/accounts/a/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-body-account': 'b', 'x-body-max-bytes': '10' },
    body: Readable.from([Buffer.alloc(20)]),
  });
  await settled(() => holder.holding.length === 1);
  holder.respondAll();
  expect((await response).statusCode).toBe(202);
});
