import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { testDatabase } from '@postmesh/testing';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DoubleKey } from '../testing/accounts-double.js';
import { MODES, startGateway, type TestGateway } from '../testing/start-gateway.js';

const database = testDatabase();
const MIB = 1024 * 1024;
// One account may use a third of it.
const BODY_BYTES = 48 * MIB;
// The last byte of each body is never sent.
const SMALL = { count: 30, bytes: 1_000_000 };
// the gateway notices the disconnect of waiting uploads one after the other
const LARGE = { count: 10, bytes: 19_000_000, sent: 500_000 };
// More than an account's share, less than the whole limit.
const SPELLED = 24;
const ASKED = 20;
const FILL = Buffer.alloc(MIB, 'x');

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
const mebibytes = (bytes: number): string => `${Math.round(bytes / MIB)} MiB`;

/** The account id with its `nth` character percent-encoded. */
function spelled(accountId: string, nth: number): string {
  const code = accountId.charCodeAt(nth).toString(16);
  return `${accountId.slice(0, nth)}%${code}${accountId.slice(nth + 1)}`;
}

interface Stalled {
  bytes: number;
  sent: number;
  /** the beginning of its path */
  base?: string;
}

/** Sends the given part of a body, then nothing more. */
async function stall(gateway: TestGateway, key: DoubleKey, { bytes, sent, base }: Stalled) {
  const socket = connect(gateway.port, '127.0.0.1');
  await once(socket, 'connect');
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString())).on('error', () => undefined);
  const head = [
    `POST ${base ?? `/v2/accounts/${key.accountId}`}/messages/conversation HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${key.secret}`,
    `Content-Length: ${bytes}`,
  ];
  socket.write([...head, '', ''].join('\r\n'));
  socket.write(FILL.subarray(0, sent));
  const status = () => Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0);
  return { socket, status, body: () => text.slice(text.indexOf('\r\n\r\n') + 4) };
}

describe.each(MODES)('stalled uploads, to a service %s', (mode) => {
  let gateway: TestGateway;
  let [loud, quiet]: DoubleKey[] = [];
  const sockets: Socket[] = [];
  beforeAll(async () => {
    gateway = await startGateway(database.url, mode, { bodyBytes: BODY_BYTES, uploadStallSeconds: 2 });
    [loud, quiet] = [gateway.accounts.addKey(), gateway.accounts.addKey()];
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await gateway?.stop();
  });

  /** Median milliseconds of a read and of a send. */
  async function waitsOf({ secret, accountId }: DoubleKey): Promise<number[]> {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    const base = `${gateway.url}/v2/accounts/${accountId}/messages`;
    const waits: number[][] = [[], []];
    for (let nth = 0; nth < ASKED; nth += 1) {
      for (const [at, [url, body]] of [
        [`${base}/1`, null] as const,
        [`${base}/conversation`, Buffer.alloc(100_000, 'x')] as const,
      ].entries()) {
        const began = performance.now();
        const response = await request(url, { method: body ? 'POST' : 'GET', headers, body });
        await response.body.dump();
        expect(response.statusCode).toBe(body ? 202 : 200);
        waits[at]?.push(performance.now() - began);
      }
    }
    return waits.map(median);
  }

  it('§1.4 table 408 have a limit of memory, get 429 above it, end with 408, and delay no other account', async () => {
    if (!loud || !quiet) throw new Error('no keys');
    // the first requests of a process are slow
    await waitsOf(quiet);
    const baseline = await waitsOf(quiet);
    const before = process.memoryUsage().arrayBuffers;
    const uploads: Awaited<ReturnType<typeof stall>>[] = [];
    for (let nth = 0; nth < SMALL.count; nth += 1) {
      uploads.push(await stall(gateway, loud, { bytes: SMALL.bytes, sent: SMALL.bytes - 1 }));
    }
    for (let nth = 0; nth < LARGE.count; nth += 1) uploads.push(await stall(gateway, loud, LARGE));
    sockets.push(...uploads.map(({ socket }) => socket));
    const beside = await waitsOf(quiet);
    const { small, large } = gateway.context.bodyRooms;
    const held = small.bytes;
    const taken = process.memoryUsage().arrayBuffers - before;
    const tally = () => uploads.map(({ status }) => status());
    console.log(
      `${mode}: another account reads in ${baseline[0]?.toFixed(1)} ms and sends in ${baseline[1]?.toFixed(1)} ms; beside ` +
        `${uploads.length} stalled uploads in ${beside[0]?.toFixed(1)} and ${beside[1]?.toFixed(1)} ms. ` +
        `Counted: ${mebibytes(held)} small, ${mebibytes(large.bytes)} large; in buffers ${mebibytes(taken)}`,
    );
    expect(held).toBeLessThanOrEqual(BODY_BYTES / 3);
    expect(tally().filter((status) => status === 429).length).toBeGreaterThan(0);
    await expect.poll(() => tally().filter((status) => status === 408).length).toBeGreaterThan(10);
    for (const [status, message] of [
      [429, 'Too many requests, rate limited.'],
      [408, 'request body arrives too slowly'],
    ] as const) {
      const refused = uploads.find((upload) => upload.status() === status);
      expect(JSON.parse(refused?.body() ?? '{}')).toEqual({ message });
    }
    for (const { socket } of uploads) socket.destroy();
    await expect.poll(() => small.bytes + large.bytes).toBe(0);
  });

  // a service reads the account of a body from the path in the same way in every mode
  if (mode !== 'in process') return;

  it.each<[string, (accountId: string, nth: number) => string]>([
    ['a literal of the path', (accountId) => `/%76%32/accounts/${accountId}`],
    ['the account', (accountId, nth) => `/v2/accounts/${spelled(accountId, nth)}`],
  ])('have the same bounds where %s is percent-encoded', async (_what, baseOf) => {
    const key = gateway.accounts.addKey();
    const stallNth = (nth: number, size: Stalled) =>
      stall(gateway, key, { ...size, base: baseOf(key.accountId, nth) });
    const large = await stallNth(0, LARGE);
    const small: (typeof large)[] = [];
    for (let nth = 0; nth < SPELLED; nth += 1) {
      small.push(await stallNth(nth, { bytes: SMALL.bytes, sent: SMALL.bytes - 1 }));
    }
    sockets.push(...[large, ...small].map(({ socket }) => socket));
    const isOver = ({ status }: typeof large) => status() !== 0;
    await expect.poll(() => [large, ...small].every(isOver)).toBe(true);
    expect(large.status()).toBe(408);
    expect(new Set(small.map(({ status }) => status()))).toEqual(new Set([408, 429]));
  });
});
