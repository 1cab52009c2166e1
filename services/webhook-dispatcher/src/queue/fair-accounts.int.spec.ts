import { createServer, type Socket } from 'node:net';
import packet from 'dns-packet';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { createTestDatabase, startHttpReceiver, type HttpReceiver } from '@postmesh/testing';
import { startDispatcher, type DispatcherUnderTest } from '../testing/dispatcher-under-test.js';

const HOSTS = 13;
const CALLS_PER_HOST = 40;
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A host that accepts connections and never sends a byte. */
async function silentHost(): Promise<string> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket.resume().on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** A DNS server that never answers for names below silent.test. */
async function silentNameServer(): Promise<string> {
  const socket = createSocket('udp4');
  socket.on('message', (message, peer) => {
    const query = packet.decode(message);
    const question = query.questions![0]!;
    const { name } = question;
    if (name.endsWith('silent.test')) return;
    const answers = question.type === 'A' ? [{ type: 'A' as const, name, data: '127.0.0.1', ttl: 0 }] : [];
    socket.send(
      packet.encode({
        type: 'response',
        id: query.id!,
        flags: packet.RECURSION_DESIRED,
        questions: [question],
        answers,
      }),
      peer.port,
      peer.address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  closing.push(async () => socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

async function receive(): Promise<HttpReceiver> {
  const receiver = await startHttpReceiver();
  closing.push(() => receiver.close());
  return receiver;
}

/** The wait of a call of another account. */
async function victimMs(under: DispatcherUnderTest, receiver: HttpReceiver): Promise<number> {
  const event = under.request(`${receiver.url.replace('127.0.0.1', `v${Date.now()}.quick.test`)}/`, {
    accountId: newId(),
  });
  const begun = performance.now();
  await under.bus.publish([event]);
  await receiver.waitFor(1, {
    timeoutMs: 120_000,
    where: ({ headers }) => headers['webhook-id'] === event.data.webhook_message_id,
  });
  return performance.now() - begun;
}

describe('13 silent hosts of one account', () => {
  it.each([
    ['whose names no DNS server answers for', async () => (nth: number) => `http://n${nth}.silent.test/`],
    [
      'that take connections and never answer',
      async () => {
        const urls = await Promise.all(Array.from({ length: HOSTS }, silentHost));
        return (nth: number) => urls[nth]!;
      },
    ],
  ])(
    '%s: a call of another account does not wait for them',
    async (_, hosts) => {
      const { url, drop } = await createTestDatabase();
      closing.push(drop);
      const dnsServers = [await silentNameServer()];
      const under = await startDispatcher(url, {
        logLevel: 'silent',
        dnsServers,
        webhookRetryScale: 1,
        webhookTimeoutSeconds: 60,
      });
      closing.push(() => under.stop());
      // closed before the dispatcher, whose stop would wait for their calls
      const urlOf = await hosts();
      const receiver = await receive();
      await victimMs(under, receiver);
      const alone = await victimMs(under, receiver);
      const attacker = newId();
      const flood = Array.from({ length: HOSTS * CALLS_PER_HOST }, (__, nth) =>
        under.request(urlOf(nth % HOSTS), { accountId: attacker }),
      );
      await under.bus.publish(flood);
      const beside: number[] = [];
      for (let nth = 0; nth < 5; nth += 1) beside.push(await victimMs(under, receiver));
      const slowest = Math.max(...beside);
      console.info(`with silent hosts: ${slowest.toFixed(0)} ms, alone: ${alone.toFixed(0)} ms`);
      // the calls did not wait for the queue: most of it has not even been tried
      expect(under.attempts.filter(({ success }) => !success).length).toBeLessThan(flood.length);
    },
    180_000,
  );
});
