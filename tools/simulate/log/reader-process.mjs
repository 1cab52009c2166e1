// @ts-check
// A member of a group: subscription, consumption, positions or inbox, dead letters and the watch over crashes are the product's;
// its consumers do what the plan has for an event.
import { Permits } from '../../../libs/concurrency/dist/index.js';
import { Permanent, Transient } from '../../../libs/contracts/dist/index.js';
import { retryTransient, SessionMark } from '../../../libs/database/dist/index.js';
import { CrashWatch } from '../../../libs/events/dist/index.js';
import { createLogger } from '../../../libs/observability/dist/index.js';
import { consumptionOf } from '../bus.mjs';
import { openSource } from '../data-source.mjs';
import { SimulatedProcess } from '../process.mjs';
import { EVENTS, GROUPS } from './events.mjs';
import { MAX_WEIGHT } from './limits.table.mjs';

const LOGGER = createLogger(/** @type {any} */ ({ logLevel: 'silent' }), 'simulate');
const SLOW_MS = [500, 1_000, 4_500, 8_000];

const pause = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));
const tooLong = () =>
  Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });

export class ReaderProcess extends SimulatedProcess {
  /** @param {string} name @param {import('../random.mjs').Random} random @param {import('./life.mjs').Life} life */
  constructor(name, random, life) {
    super(name, name.startsWith('a') ? 'messages' : 'marketing', life.time, random);
    this.life = life;
  }

  /** Its start, as the service host puts the parts together. */
  async start() {
    const group = this.schema;
    const dataSource = await openSource(group);
    this.mark = new SessionMark({ url: '', applicationName: group, logger: LOGGER });
    const suspects = new Permits(1);
    const crashes = new CrashWatch({ dataSource, mark: this.mark, logger: LOGGER, suspects });
    const consumers = (GROUPS[group] ?? []).map(
      (of) => /** @type {const} */ ([EVENTS[of], `${group}.on-${of}`, { handle: this.handle.bind(this) }]),
    );
    const consumption = consumptionOf(group, dataSource, consumers, crashes);
    this.consumption = consumption;
    this.bus = await retryTransient(() => this.life.openBus(), { what: 'bus', logger: LOGGER });
    await retryTransient(() => crashes.begin(), { what: 'runs of consumers', logger: LOGGER });
    this.crashes = crashes;
    this.subscription = await this.bus.subscribe({
      ...{ group, streams: consumption.streams(), handles: consumption.handles() },
      ...{ positions: consumption.positions, maxBatch: this.life.plan.maxBatch },
      handle: (events) => {
        this.life.batches++;
        return consumption.handle(events);
      },
    });
  }

  /** @param {any[]} events of one run @param {{ tx: import('typeorm').EntityManager }} context */
  async handle(events, { tx }) {
    const weight = events.reduce((sum, { data }) => sum + weightOf(data.kind), 0);
    if (weight > MAX_WEIGHT) throw tooLong();
    for (const { data } of events) await this.before(data);
    await tx.query(
      'insert into effects (n) select n from unnest($1::int[]) with ordinality as given(n, nth) order by nth',
      [events.map(({ data }) => data.n)],
    );
    // what it has done is rolled back, and no statement of its own says so
    if (events.some(({ data }) => data.kind === 'swallows'))
      await tx.query('select 1 / 0').catch(() => undefined);
  }

  /** @param {{ n: number, kind: import('./plan.mjs').Kind }} data */
  async before({ n, kind }) {
    const tries = this.life.tries(this.schema, n);
    switch (kind) {
      case 'slow':
        return void (await pause(this.random.pick(SLOW_MS)));
      case 'transient':
        if (tries <= 3) throw new Transient('a service is away');
        return;
      case 'racy':
        if (tries <= 2) throw new Error('a race');
        return;
      case 'bug':
        if (!this.life.isFixed) throw new Error('a bug');
        return;
      case 'permanent':
        throw new Permanent('it never works');
      case 'kills':
        if (this.life.isFixed) throw new Permanent('it never works');
        this.life.fault(this.name, 'crash-by-event');
        this.life.kill(this, 'an event ends it', 2_000);
        await new Promise(() => undefined);
    }
  }

  /** By an operator. */
  async replay() {
    await this.consumption?.replay({});
  }

  /** SIGTERM, in the order of the service host. */
  async stop() {
    this.isStopping = true;
    this.crashes?.refuse();
    await this.subscription?.stop();
    await this.crashes?.end();
    await this.bus?.close();
    await this.mark?.stop();
  }
}

/** @param {string} kind */
const weightOf = (kind) => (kind === 'heavy' ? 3 : kind === 'too-heavy' ? MAX_WEIGHT + 1 : 0);
