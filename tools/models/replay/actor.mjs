// @ts-check
// The ground of a replay: the real PostgreSQL of the simulator, whose time is a number, plain connections to it, and processes
// whose time is the same. There is no scheduler: one action of a trace runs after the other.
import { DataSource } from 'typeorm';
import { randomOf } from '../../simulate/random.mjs';
import { runIn, settle, Timeline } from '../../simulate/virtual-time.mjs';

/** A simulated process, as the replaced modules of the simulator see it. */
export class Actor {
  isAlive = true;
  /** all of them run on one */
  machine = 'one';
  stalledUntil = 0;
  dateOffset = 0;

  /** @param {string} name @param {string} schema @param {Timeline} time */
  constructor(name, schema, time) {
    this.name = name;
    this.schema = schema;
    this.time = time;
    this.random = randomOf(name);
  }

  /** @template T @param {() => T} work @returns {T} */
  enter(work) {
    return runIn(this, work);
  }

  /** Until it has ended, what it gives to `setImmediate` is run; no timer fires. @template T @param {() => Promise<T>} work @returns {Promise<T>} */
  async run(work) {
    let isOver = false;
    const ended = runIn(this, work).finally(() => (isOver = true));
    // its error is thrown below
    ended.catch(() => undefined);
    while (!isOver) {
      await settle();
      this.time.runImmediates();
    }
    return ended;
  }
}

export class Ground {
  /** @type {Map<string, DataSource>} by schema */
  sources = new Map();

  /** @param {import('../../simulate/store.mjs').Store} store */
  constructor(store) {
    this.store = store;
    this.control = store.control;
    this.time = new Timeline(store.now);
  }

  /** @param {string} schema */
  async open(schema) {
    const { host, port, user, password, database } = /** @type {any} */ (this.control);
    const source = new DataSource({
      ...{ type: 'postgres', host, port, username: user, password, database, schema },
      ...{ entities: [], synchronize: false, installExtensions: false, logging: false, poolSize: 4 },
      extra: { options: `-c search_path=${schema}` },
    });
    this.sources.set(schema, await source.initialize());
  }

  /** @param {string} schema @returns {DataSource} */
  sourceOf(schema) {
    const source = this.sources.get(schema);
    if (source === undefined) throw new Error(`${schema} is not open`);
    return source;
  }

  /** Empty tables, and the time of a new trace. */
  async clear() {
    await this.store.clear();
    await this.pass(3_600_000);
  }

  /** @param {number} ms */
  async pass(ms) {
    this.time.now += ms;
    await this.control.query(`select setval('virtual.clock', $1)`, [Math.round(this.time.now)]);
  }

  async close() {
    for (const source of this.sources.values()) await source.destroy();
    await this.store.close();
  }
}
