// @ts-check
// Ways out of the system under test: two relays in a pool, then the mail host directly. A relay is cut with the
// transactions in flight, whose outcome is unknown, stays away for some seconds, and comes back at its port.
import { sleep } from '../processes.mjs';
import { RELAY } from './options.mjs';
import { startSink } from './outside.mjs';
import { Client } from './system.mjs';

const NAMES = ['one', 'two'];
const AWAY_MS = 3_000;
/** A message whose relay was cut is tried again soon, so that a run of minutes sees what becomes of it. */
export const RELAY_SETTINGS = {
  POSTMESH_RETRY_DELAYS_S: Array.from({ length: 30 }, () => '5').join(','),
};

/** @typedef {Awaited<ReturnType<typeof startSink>>} Sink */

export class Relays {
  /** @param {import('./book.mjs').Book} book @param {number} replyMs @param {Sink[]} sinks */
  constructor(book, replyMs, sinks) {
    this.book = book;
    this.replyMs = replyMs;
    this.sinks = sinks;
    this.cuts = 0;
  }

  /** @param {import('./book.mjs').Book} book @param {number} replyMs */
  static async start(book, replyMs) {
    const sinks = NAMES.map((name) => startSink(book, { replyMs, way: wayOf(name) }));
    return new Relays(book, replyMs, await Promise.all(sinks));
  }

  /** @param {import('./system.mjs').System} system @returns {Promise<import('./system.mjs').System>} whose mail leaves by them */
  async of(system) {
    const client = new Client(system);
    const put = async (path, body) => {
      const { status, body: said } = await client.operator('PUT', `/delivery-worker/egress/${path}`, body);
      if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(said)}`);
    };
    for (const [place, name] of NAMES.entries()) {
      const access = { host: '127.0.0.1', port: this.sinks[place].port, tls: 'opportunistic' };
      await put(`relays/${name}`, { ...access, allow_plaintext: true, place });
    }
    await put('pools/default', { order: 'relays-sources' });
    return {
      ...system,
      parts: [...system.parts, RELAY],
      kill: (part) => (part === RELAY ? this.cut() : system.kill(part)),
      begin: (part) => (part === RELAY ? this.comeBack() : system.begin(part)),
    };
  }

  /** One after the other. */
  async cut() {
    const nth = this.cuts++ % NAMES.length;
    await this.sinks[nth].cut();
  }

  async comeBack() {
    await sleep(AWAY_MS);
    const nth = (this.cuts - 1) % NAMES.length;
    const { port } = this.sinks[nth];
    this.sinks[nth] = await startSink(this.book, { replyMs: this.replyMs, way: wayOf(NAMES[nth]), port });
  }

  async stop() {
    await Promise.all(this.sinks.map((sink) => sink.cut()));
  }
}

const wayOf = (/** @type {string} */ name) => `relay ${name}`;
