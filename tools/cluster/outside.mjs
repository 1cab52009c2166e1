// @ts-check
// The outside of a cluster on one machine: what pods reach beyond it, at one address, and what clients outside reach of it.
import { createSocket } from 'node:dgram';
import { connect, createServer } from 'node:net';
import { OUTSIDE } from './network.mjs';

/** An A record (type, class, time to live, length) with 127.0.0.1, where the local internet has its hosts. */
const LOOPBACK = Buffer.from([0, 1, 0, 1]);
const LOCALHOST = Buffer.from([0, 4, 127, 0, 0, 1]);
const TTL_BYTES = 4;
const ANSWER_MS = 5_000;

export class Outside {
  constructor() {
    /** @type {(() => void)[]} */
    this.stops = [];
  }

  /** @param {number} port at the address of the outside @param {number} to a port of this machine */
  forward(port, to) {
    return this.listen({ host: OUTSIDE, port }, { host: '127.0.0.1', port: to });
  }

  /** A load balancer that passes connections on. @param {string} host a Service @param {number} port @returns {Promise<number>} its port */
  balance(host, port) {
    return this.listen({ host: '127.0.0.1', port: 0 }, { host, port });
  }

  /** @param {{ host: string, port: number }} at @param {{ host: string, port: number }} to @returns {Promise<number>} */
  async listen(at, to) {
    /** @type {Set<import('node:net').Socket>} */
    const sockets = new Set();
    const server = createServer({ allowHalfOpen: true }, (client) => {
      const target = connect({ ...to, allowHalfOpen: true });
      for (const [one, other] of [
        [client, target],
        [target, client],
      ]) {
        sockets.add(one);
        one.setNoDelay(true);
        one.on('error', () => other.resetAndDestroy());
        one.once('close', () => {
          sockets.delete(one);
          other.destroySoon();
        });
      }
      client.pipe(target).pipe(client);
    });
    server.listen(at.port, at.host);
    await new Promise((resolve, reject) => server.once('listening', resolve).once('error', reject));
    this.stops.push(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return /** @type {import('node:net').AddressInfo} */ (server.address()).port;
  }

  /** The name server of the local internet, whose hosts are at the address of the outside. @param {string} server `127.0.0.1:5353` */
  async nameServer(server) {
    const [host, port] = server.split(':');
    const front = createSocket('udp4');
    front.on('message', (query, from) => {
      const back = createSocket('udp4');
      const timer = setTimeout(() => back.close(), ANSWER_MS);
      back.once('message', (answer) => {
        clearTimeout(timer);
        front.send(withOutside(answer), from.port, from.address);
        back.close();
      });
      back.on('error', () => undefined);
      back.send(query, Number(port), host);
    });
    front.bind(53, OUTSIDE);
    await new Promise((resolve, reject) => front.once('listening', resolve).once('error', reject));
    this.stops.push(() => front.close());
    await this.listen({ host: OUTSIDE, port: 53 }, { host, port: Number(port) });
  }

  close() {
    for (const stop of this.stops.splice(0)) stop();
  }
}

/** @param {Buffer} answer */
function withOutside(answer) {
  const address = OUTSIDE.split('.').map(Number);
  for (let at = answer.indexOf(LOOPBACK); at !== -1; at = answer.indexOf(LOOPBACK, at + 1)) {
    const data = at + LOOPBACK.length + TTL_BYTES;
    if (answer.subarray(data, data + LOCALHOST.length).equals(LOCALHOST)) answer.set(address, data + 2);
  }
  return answer;
}
