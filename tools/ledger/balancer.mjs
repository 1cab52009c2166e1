// @ts-check
// Load balancer of the processes of one service, like in a cluster: accepts connections, and forwards each to the next
// ready process. A connection stays with its process, and none is retried: if the process refuses it, so does this.
import { connect, createServer } from 'node:net';
import { sleep, waitUntil } from '../processes.mjs';

/** A process that shuts down has to serve for longer than this. */
const PROBE_EVERY_MS = 400;
const PROBE_MS = 2_000;
const READY_MS = 60_000;

/**
 * @typedef {object} Member
 * @property {string} name
 * @property {Record<string, number>} ports by name; `service` has its health
 * @property {boolean} isReady
 */

export class Balancer {
  constructor() {
    /** @type {Member[]} */
    this.members = [];
    /** @type {Map<string, { server: import('node:net').Server, port: number }>} */
    this.listeners = new Map();
    /** @type {Set<import('node:net').Socket>} */
    this.sockets = new Set();
    this.turn = 0;
    this.closed = false;
  }

  /** @param {readonly string[]} names of ports, the same in all processes */
  async open(names) {
    for (const name of names) {
      const server = createServer({ allowHalfOpen: true }, (client) => this.take(client, name));
      server.listen(0, '127.0.0.1');
      await new Promise((resolve, reject) => server.once('listening', resolve).once('error', reject));
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      this.listeners.set(name, { server, port });
    }
  }

  /** @param {string} name @returns {number} */
  portOf(name) {
    const listener = this.listeners.get(name);
    if (!listener) throw new Error(`there is no port for ${name}`);
    return listener.port;
  }

  /** Resolves when it gets connections; throws when it does not become ready. @param {string} name @param {Record<string, number>} ports */
  async add(name, ports) {
    const member = { name, ports, isReady: false };
    this.members.push(member);
    const isReady = () => this.probe(member);
    if (!(await waitUntil(isReady, { limitMs: READY_MS, everyMs: PROBE_EVERY_MS })))
      throw new Error(`${name} did not become ready`);
    void this.watch(member);
  }

  /** Its process is gone. @param {string} name */
  remove(name) {
    this.members = this.members.filter((member) => member.name !== name);
  }

  async close() {
    this.closed = true;
    for (const socket of this.sockets) socket.destroy();
    for (const { server } of this.listeners.values())
      await new Promise((resolve) => server.close(() => resolve(undefined)));
  }

  /** @param {Member} member */
  async watch(member) {
    while (!this.closed && this.members.includes(member)) {
      await sleep(PROBE_EVERY_MS);
      await this.probe(member);
    }
  }

  /** @param {Member} member @returns {Promise<boolean>} whether it is ready */
  async probe(member) {
    member.isReady = await fetch(`http://127.0.0.1:${member.ports['service']}/health/ready`, {
      headers: { connection: 'close' },
      signal: AbortSignal.timeout(PROBE_MS),
    }).then(
      ({ ok }) => ok,
      () => false,
    );
    return member.isReady;
  }

  /** @param {import('node:net').Socket} client @param {string} name of the port */
  take(client, name) {
    const ready = this.members.filter(({ isReady }) => isReady);
    const member = ready[(this.turn += 1) % ready.length];
    const server = member && connect(member.ports[name], '127.0.0.1');
    this.keep(client, server);
    if (!server) return void client.resetAndDestroy();
    this.keep(server, client);
    client.pipe(server).pipe(client);
  }

  /** The end of one connection ends the other. */
  keep(socket, other) {
    this.sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => other?.destroy());
    socket.once('close', () => {
      this.sockets.delete(socket);
      other?.destroySoon();
    });
  }
}
