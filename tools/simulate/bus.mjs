// @ts-check
// The bus between the services of a world: what they committed to their logs, for each group that reads it, in order, at
// least once.
import { EventConsumption } from '../../libs/events/dist/consumption/event-consumption.js';
import { createLogger } from '../../libs/observability/dist/index.js';

const LOGGER = createLogger(/** @type {any} */ ({ logLevel: 'silent' }), 'simulate');
const MAX_READ = 500;
const MAX_BATCH = 8;
/** The relay looks without an announcement, too: the answer to a commit may be lost. */
const LOOK_MS = 2_000;
/** So often events that were handled come again, as after a rebalance. */
const AGAIN = 0.1;

/** @typedef {{ stream: string, at: string, text: string, mayRepeat: boolean }} Received */
/** @typedef {{ schema: string, streams: readonly string[], queue: Received[], isBusy: boolean }} Group */

/** @template {import('./world.mjs').Process & { consumption?: EventConsumption }} P */
export class Bus {
  /** @type {Map<string, number>} by log and stream */
  positions = new Map();
  isAnnounced = false;

  /**
   * @param {import('./world.mjs').World<P>} world @param {readonly string[]} logs schemas
   * @param {Readonly<Record<string, readonly string[]>>} groups streams by the schema of their service
   */
  constructor(world, logs, groups) {
    this.world = world;
    this.logs = logs;
    /** @type {Group[]} */
    this.groups = Object.entries(groups).map(([schema, streams]) => ({
      ...{ schema, streams, queue: [], isBusy: false },
    }));
  }

  start() {
    this.world.time.after(LOOK_MS, () => {
      this.announce();
      this.start();
    });
  }

  /** A commit of a process: its events are read soon. */
  announce() {
    if (this.isAnnounced) return;
    this.isAnnounced = true;
    const { time, random, errands } = this.world;
    time.after(random.between(1, 60), () => {
      this.isAnnounced = false;
      errands.push(() => this.read());
    });
  }

  /** @param {string} stream @param {any} event of a service outside of the world */
  publish(stream, event) {
    this.take({ stream, at: `${stream}/${event.id}`, text: JSON.stringify(event), mayRepeat: true });
  }

  get isQuiet() {
    return !this.isAnnounced && this.groups.every(({ queue, isBusy }) => queue.length === 0 && !isBusy);
  }

  async read() {
    for (const schema of this.logs) {
      const { rows } = await this.world.store.control.query({
        name: `${schema}-read`,
        text: `select stream, position, envelope from ${schema}.log
          where position > coalesce(($1::jsonb ->> stream)::bigint, 0) order by position limit ${MAX_READ}`,
        values: [JSON.stringify(this.positionsOf(schema))],
      });
      for (const { stream, position, envelope: text } of rows) {
        this.positions.set(`${schema} ${stream}`, Number(position));
        this.take({ stream, at: `${stream}/${schema}/${position}`, text, mayRepeat: true });
      }
      if (rows.length === MAX_READ) this.announce();
    }
  }

  /** @param {string} schema */
  positionsOf(schema) {
    const of = [...this.positions].filter(([key]) => key.startsWith(`${schema} `));
    return Object.fromEntries(of.map(([key, position]) => [key.split(' ')[1], position]));
  }

  /** @param {Received} received */
  take(received) {
    for (const group of this.groups.filter(({ streams }) => streams.includes(received.stream))) {
      group.queue.push(received);
      this.turn(group);
    }
  }

  /** @param {Group} group one batch after the other */
  turn(group) {
    if (group.isBusy || group.queue.length === 0) return;
    group.isBusy = true;
    const { world } = this;
    world.time.after(world.random.between(1, 30), () => {
      const batch = group.queue.slice(0, world.random.between(1, MAX_BATCH));
      world.deliverTo(
        async (owner) => owner.consumption?.handle(/** @type {any} */ (batch)),
        () => {
          group.queue.splice(0, batch.length);
          if (world.random.chance(AGAIN))
            group.queue.unshift(...batch.slice(world.random.below(batch.length)));
          group.isBusy = false;
          this.turn(group);
        },
        { schema: group.schema, handsOver: true },
      );
    });
  }
}

/**
 * The consumers of a process, as the service host runs them.
 * @param {string} service @param {import('typeorm').DataSource} dataSource
 * @param {readonly (readonly [event: any, name: string, controller: any])[]} consumers
 * @param {import('../../libs/events/dist/index.js').CrashWatch} [crashes]
 */
export const consumptionOf = (service, dataSource, consumers, crashes) =>
  new EventConsumption({
    ...{ service, dataSource, logger: LOGGER, crashes },
    consumers: consumers.map(([event, name, controller]) => ({
      ...{ event, name },
      handle: async (tx, events) => {
        /** @type {(() => void)[]} */
        const after = [];
        const afterCommit = (/** @type {(() => void) | undefined} */ call) => call && after.push(call);
        await controller.handle(events, { tx, afterCommit });
        return after;
      },
    })),
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  });
