// @ts-check
// A process of a service that writes events with its changes: into the log of the bus, or into its own, which its relay reads.
import { retryTransient } from '../../../libs/database/dist/index.js';
import {
  attachOutbox,
  logSink,
  LostStreams,
  Outbox,
  OutboxRelay,
  trimLog,
} from '../../../libs/events/dist/index.js';
import { createLogger, Metrics } from '../../../libs/observability/dist/index.js';
import { openSource } from '../data-source.mjs';
import { SimulatedProcess } from '../process.mjs';
import { eventOf } from './events.mjs';
import { KEEP_LOSABLE_MS, KEEP_MS, LEASE_MS } from './limits.table.mjs';

const LOGGER = createLogger(/** @type {any} */ ({ logLevel: 'silent' }), 'simulate');
const TRIM_MS = 15_000;
const LOOK_MS = 10_000;
const UNDONE = 'it is rolled back';

export const isUndone = (/** @type {any} */ error) => error?.message === UNDONE;

export class WriterProcess extends SimulatedProcess {
  outbox = new Outbox();
  /** @type {NodeJS.Timeout[]} */
  tasks = [];

  /** @param {string} name @param {import('../random.mjs').Random} random @param {import('./life.mjs').Life} life */
  constructor(name, random, life) {
    super(name, 'accounts', life.time, random);
    this.life = life;
  }

  async start() {
    const { schema } = this;
    const dataSource = await openSource(schema);
    const bus = await retryTransient(() => this.life.openBus(), { what: 'bus', logger: LOGGER });
    this.dataSource = dataSource;
    this.bus = bus;
    if (bus.log) return attachOutbox(dataSource, logSink(bus.log));
    const metrics = new Metrics({ defaults: false });
    const about = { url: 'virtual', schema, bus, dataSource, logger: LOGGER, metrics, leaseMs: LEASE_MS };
    this.relay = new OutboxRelay(about);
    attachOutbox(dataSource, this.relay.sink());
    this.relay.start();
    this.tasks = [this.every(TRIM_MS, () => this.trim())];
    const { marks } = bus;
    if (!this.life.plan.isLosable || !marks) return undefined;
    const lost = new LostStreams({ ...about, service: 'accounts', marks });
    this.tasks.push(this.every(LOOK_MS, () => lost.look(new AbortController().signal)));
    return undefined;
  }

  /** One run after the other. @param {number} ms @param {() => Promise<void>} work */
  every(ms, work) {
    let isUnderWay = false;
    return setInterval(async () => {
      if (isUnderWay) return;
      isUnderWay = true;
      await work().catch(() => undefined);
      isUnderWay = false;
    }, ms);
  }

  /** As the service host does it. */
  async trim() {
    const { schema, dataSource } = this;
    const { signal } = new AbortController();
    await trimLog(
      (work) =>
        /** @type {any} */ (dataSource).transaction((/** @type {any} */ tx) =>
          work((text, values) => tx.query(text, values)),
        ),
      { schema, keepMs: this.life.plan.isLosable ? KEEP_LOSABLE_MS : KEEP_MS, signal },
    );
  }

  /** A use case: a change and its events. @param {import('./plan.mjs').Writing} writing */
  async write({ name, events, dropped, isUndone: isToFail, ms }) {
    const half = Math.ceil(events.length / 2);
    const made = (/** @type {import('./plan.mjs').Planned[]} */ some) =>
      /** @type {any[]} */ (some.map((one) => eventOf(one, Date.now())));
    await this.dataSource?.transaction(async (tx) => {
      await tx.query('insert into changes (name) values ($1)', [name]);
      await this.outbox.add(tx, made(events.slice(0, half)));
      if (dropped.length > 0) await this.inSavepoint(tx, made(dropped));
      await new Promise((resolve) => setTimeout(resolve, ms));
      await this.outbox.add(tx, made(events.slice(half)));
      if (isToFail) throw new Error(UNDONE);
    });
  }

  /** @param {import('typeorm').EntityManager} tx @param {any[]} events */
  async inSavepoint(tx, events) {
    try {
      await tx.transaction(async (inner) => {
        await this.outbox.add(inner, events);
        throw new Error(UNDONE);
      });
    } catch (error) {
      if (!isUndone(error)) throw error;
    }
  }

  /** SIGTERM. */
  async stop() {
    this.isStopping = true;
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    for (const task of this.tasks) clearInterval(task);
    await this.relay?.stop();
    await this.bus?.close();
  }
}
