import { afterEach, describe, expect, it } from 'vitest';
import { polite, ScriptedServer } from '../testing/scripted-server.js';
import type { Script } from '../testing/scripted-server.js';
import { ConnectionPool } from './connection-pool.js';
import type { PoolOptions } from './connection-pool.js';
import type { LargeMessage } from './smtp-transaction.js';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});
const start = async (script: Script) => {
  const server = await ScriptedServer.start(script);
  stops.push(() => server.stop());
  return server;
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
const until = async (ready: () => boolean) => {
  while (!ready()) await new Promise((resolve) => setTimeout(resolve, 5));
};

const line = Buffer.from(`${'x'.repeat(70)}\r\n`);
const bytes = Buffer.concat(Array<Buffer>(20_000).fill(line));

/** A large message that counts its uses. */
function large(has: () => boolean = () => true) {
  const used = { loads: 0, held: 0 };
  const message: LargeMessage = {
    envelopeFrom: 'b+x@rp.shop.test',
    recipient: 'ann@mail.test',
    load: async () => {
      used.loads++;
      if (!has()) return undefined;
      used.held++;
      let isHeld = true;
      const release = () => {
        if (isHeld) used.held--;
        isHeld = false;
      };
      return { chunks: [bytes], size: bytes.length, eightBit: false, smtpUtf8: false, release };
    },
  };
  return { message, used };
}
const small = {
  envelopeFrom: '',
  recipient: 'bob@mail.test',
  chunks: [line],
  size: 72,
  eightBit: false,
  smtpUtf8: false,
};

describe.each([
  ['a server that pipelines', ['PIPELINING', 'SIZE 5000000']],
  ['a server that does not', ['SIZE 5000000']],
])('with %s, a large message', (_what, offers) => {
  it('is made once when it is greeted, announced by its size, sent, and let go', async () => {
    const received: number[] = [];
    const accept = (data: string) => {
      received.push(data.length);
      return undefined;
    };
    const { message, used } = large();
    const server = await start(polite({ offers, accept }));
    expect(await poolOf().send(route(server.port), message)).toMatchObject({ kind: 'accepted' });
    expect(received).toEqual([bytes.length]);
    expect(server.peers[0]?.transcript).toContain(`MAIL FROM:<b+x@rp.shop.test> SIZE=${bytes.length}`);
    expect(used).toEqual({ loads: 1, held: 0 });
  });

  it('is not made for a host that does not greet', async () => {
    const { message, used } = large();
    const server = await start(() => undefined);
    const sent = poolOf({ timeouts: { bannerMs: 100 } }).send(route(server.port), message);
    expect(await sent).toMatchObject({ kind: 'deferred', command: 'CONNECT' });
    expect(used.loads).toBe(0);
  });

  it('is released while the server is silent, and composed again when it continues', async () => {
    const { message, used } = large();
    let goOn: (() => void) | undefined;
    const wait = () => new Promise<undefined>((resolve) => (goOn = () => resolve(undefined)));
    const server = await start(
      polite({ offers, reply: (command) => (command.startsWith('RCPT') ? wait() : undefined) }),
    );
    const sent = poolOf({ lendAfterMs: 30 }).send(route(server.port), message);
    await until(() => used.loads === 1 && used.held === 0);
    goOn?.();
    expect(await sent).toMatchObject({ kind: 'accepted' });
    expect(used).toEqual({ loads: 2, held: 0 });
  });

  it('is let go while its reply is waited for', async () => {
    const { message, used } = large();
    let answer: (() => void) | undefined;
    const server = await start(
      polite({ offers, accept: () => new Promise((resolve) => (answer = () => resolve('250 2.0.0 ok'))) }),
    );
    const sent = poolOf().send(route(server.port), message);
    await until(() => answer !== undefined);
    expect(used.held).toBe(0);
    answer?.();
    expect(await sent).toMatchObject({ kind: 'accepted' });
  });

  it.each([
    ['refused', (command: string) => (command.startsWith('RCPT') ? '550 5.1.1 no' : undefined), 'rejected'],
    ['lost', (command: string) => (command.startsWith('RCPT') ? 'drop' : undefined), 'connection-lost'],
    ['too long for it', undefined, 'rejected'],
  ] as const)('that is %s is let go', async (_how, reply, kind) => {
    const { message, used } = large();
    const limited = offers.map((offer) => (reply ? offer : offer.replace('5000000', '1000')));
    const server = await start(polite({ offers: limited, ...(reply ? { reply } : {}) }));
    expect(await poolOf().send(route(server.port), message)).toMatchObject({ kind });
    expect(used).toEqual({ loads: 1, held: 0 });
  });

  it('without room goes back, and the connection is for others', async () => {
    const { message, used } = large(() => false);
    const server = await start(polite({ offers }));
    const pool = poolOf();
    const sent = pool.send(route(server.port), message);
    const other = pool.send(route(server.port), small);
    expect(await sent).toMatchObject({
      kind: 'postponed',
      response: 'other large messages are being sent',
    });
    expect(await other).toMatchObject({ kind: 'accepted' });
    expect(used.loads).toBe(1);
    for (const { transcript } of server.peers) expect(transcript.join()).not.toContain('ann@mail.test');
  });

  it('that was lent and finds no room goes back without a trace of it at the server', async () => {
    let room = true;
    const { message, used } = large(() => room);
    let goOn: (() => void) | undefined;
    const wait = () => new Promise<undefined>((resolve) => (goOn = () => resolve(undefined)));
    const taken: string[] = [];
    const server = await start(
      polite({
        offers,
        reply: (command) => (command.startsWith('RCPT') ? wait() : undefined),
        accept: (data) => {
          taken.push(data);
          return undefined;
        },
      }),
    );
    const sent = poolOf({ lendAfterMs: 30 }).send(route(server.port), message);
    await until(() => used.loads === 1 && used.held === 0);
    room = false;
    goOn?.();
    expect(await sent).toMatchObject({ kind: 'postponed' });
    await server.peers[0]?.gone();
    expect(taken.filter((data) => data !== '')).toEqual([]);
  });

  it('comes behind small ones over the same connection, and before them', async () => {
    const { message, used } = large();
    const server = await start(polite({ offers }));
    const pool = poolOf();
    const all = [small, message, small, message, small].map((one) => pool.send(route(server.port), one));
    expect((await Promise.all(all)).map(({ kind }) => kind)).toEqual(Array(5).fill('accepted'));
    expect(used).toEqual({ loads: 2, held: 0 });
  });
});
