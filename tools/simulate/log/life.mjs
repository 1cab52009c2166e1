// @ts-check
// A life of the log: transactions write events, members of two groups handle them, take turns and fail, the log is trimmed,
// and operators have dead letters handled again.
import { createEmbeddedBus } from '../../../libs/events/dist/index.js';
import { createKafkaBus } from '../../../libs/events/dist/kafka/kafka-bus.js';
import { World } from '../world.mjs';
import { Broker } from './broker.mjs';
import { EVENTS, GROUPS } from './events.mjs';
import { KEEP_MS, LEASE_MS, REBALANCE_MS, SESSION_MS } from './limits.table.mjs';
import { ReaderProcess } from './reader-process.mjs';
import { useBroker } from './scripted-kafka.mjs';
import { isUndone, WriterProcess } from './writer-process.mjs';

/**
 * @typedef {object} Written a transaction, as its process knows it
 * @property {import('./plan.mjs').Writing} writing
 * @property {any} owner
 * @property {'done' | 'undone' | 'unknown' | undefined} end undefined: it has no answer yet, or its process ended before
 */

const ENDS_WITHIN_MS = 300_000;
const TRY_AGAIN_MS = 700;

/** @extends {World<any>} */
export class Life extends World {
  /** @type {Written[]} */
  written = [];
  waiting = 0;
  batches = 0;
  /** a member stalls within a transaction, whose locks it keeps until PostgreSQL ends it after 60 s */
  isWithin = false;
  /** the code of consumers has no bug any more */
  isFixed = false;
  /** @type {Map<string, number>} by group and event */
  tried = new Map();

  /** @param {import('./plan.mjs').Plan} plan @param {import('../store.mjs').Store} store @param {{ isTraced?: boolean }} [options] */
  constructor(plan, store, { isTraced = false } = {}) {
    super(plan, store, { isTraced, endsWithinMs: ENDS_WITHIN_MS });
    this.plan = plan;
    this.broker = new Broker(this, plan, SESSION_MS, REBALANCE_MS);
  }

  /** @override */
  async begin() {
    useBroker(this.broker);
    await super.begin();
    if (this.plan.isRelayed) this.broker.start();
  }

  /** @override @param {string} name @param {import('../random.mjs').Random} random */
  makeProcess(name, random) {
    return name.startsWith('w')
      ? new WriterProcess(name, random, this)
      : new ReaderProcess(name, random, this);
  }

  /** The bus of a process. @returns {Promise<import('../../../libs/events/dist/index.js').EventBus>} */
  openBus() {
    return this.plan.isRelayed
      ? createKafkaBus({ brokers: ['virtual'], clientId: 'a-process', sessionTimeoutMs: SESSION_MS })
      : createEmbeddedBus({ url: 'virtual', leaseMs: LEASE_MS, keepMs: KEEP_MS, connections: 2 });
  }

  /** How often an event was tried, this time included. @param {string} group @param {number} n */
  tries(group, n) {
    const key = `${group} ${n}`;
    const tries = (this.tried.get(key) ?? 0) + 1;
    this.tried.set(key, tries);
    return tries;
  }

  /** @override @param {any} step */
  toWorker(step) {
    const owner = this.present.get(step.worker);
    const sessions = [...this.sessions.open].filter((one) => one.owner.name === owner);
    if (step.kind === 'stall') this.isWithin ||= sessions.some(({ isInTransaction }) => isInTransaction);
    super.toWorker(step);
  }

  /** @override @param {import('./plan.mjs').Step} step */
  does(step) {
    switch (step.kind) {
      case 'write':
        this.waiting++;
        return this.write(step.worker, step.writing);
      case 'join':
        return this.startWorker(step.worker);
      case 'away':
        this.say(`the brokers are away for ${step.ms} ms`);
        return this.broker.away(step.ms);
      case 'lose':
        this.say('the topics are lost');
        return this.broker.lose(step.isWhole);
      case 'rebalance':
        this.say(`partitions of ${step.group} are assigned anew`);
        return this.broker.rebalance(step.group);
      case 'replay':
        this.isFixed = true;
        this.waiting++;
        return this.replay(step.worker);
      default:
        return super.does(step);
    }
  }

  /** @param {string} worker @returns {any} this one, or another of its service */
  readyOne(worker) {
    const ready = this.ready().filter(({ name }) => name[0] === worker[0]);
    return ready.find(({ name }) => name === this.present.get(worker)) ?? ready[0];
  }

  /** A transaction is begun once. @param {string} worker @param {import('./plan.mjs').Writing} writing */
  write(worker, writing) {
    const owner = this.readyOne(worker);
    if (!owner) return void this.time.after(TRY_AGAIN_MS, () => this.write(worker, writing));
    this.waiting--;
    /** @type {Written} */
    const written = { writing, owner, end: undefined };
    this.written.push(written);
    const over = (/** @type {'done' | 'undone' | 'unknown'} */ end) => {
      written.end = end;
      this.say(`${writing.name} is ${end}`);
    };
    return void owner
      .run(() => owner.write(writing))
      .then(
        () => over('done'),
        (/** @type {unknown} */ error) => over(isUndone(error) ? 'undone' : 'unknown'),
      );
  }

  /** @param {string} worker */
  replay(worker) {
    const owner = this.readyOne(worker);
    if (!owner) return void this.time.after(TRY_AGAIN_MS, () => this.replay(worker));
    this.waiting--;
    this.say(`${owner.name} handles dead letters again`);
    return void owner.run(() => owner.replay()).catch(() => undefined);
  }

  /** @override */
  async hasEnded() {
    if (this.waiting > 0 || this.time.now < this.mayRestAt) return false;
    if (this.written.some(({ owner, end }) => end === undefined && owner.isAlive)) return false;
    const { unhandled, untrimmed } = await this.left();
    if (unhandled.length > 0 || untrimmed.length > 0) return false;
    this.quietLooks++;
    return this.quietLooks >= 2;
  }

  /** Groups that have had a member. */
  groups() {
    const schemas = new Set([...this.processes.values()].map(({ schema }) => schema));
    return Object.keys(GROUPS).filter((group) => schemas.has(group));
  }

  async left() {
    const log = logOf(this.plan);
    /** @type {{ group: string, n: number }[]} */
    const unhandled = [];
    for (const group of this.groups()) {
      const types = (GROUPS[group] ?? []).map((of) => EVENTS[of].type);
      unhandled.push(
        ...(await this.read(`unhandled ${log} ${group}`, unhandledOf(log, group), [group, types])),
      );
    }
    /** @type {{ at: string }[]} */
    const untrimmed = this.plan.isLosable ? [] : await this.read(`untrimmed ${log}`, untrimmedOf(log));
    return { unhandled, untrimmed };
  }

  /** @param {string} name @param {string} text @param {unknown[]} [values] */
  async read(name, text, values = []) {
    return (await this.store.control.query({ name: `log ${name}`, text, values })).rows;
  }

  /** @returns {Promise<import('./oracle.rules.mjs').History>} */
  async history() {
    const happened = await this.run();
    const log = logOf(this.plan);
    const groups = this.groups();
    /** @type {import('./oracle.rules.mjs').Effect[]} */
    const effects = [];
    /** @type {import('./oracle.rules.mjs').Dead[]} */
    const dead = [];
    for (const group of groups) {
      effects.push(...(await this.read(`effects ${group}`, effectsOf(group), [group])));
      dead.push(...(await this.read(`dead ${group}`, deadOf(group), [group])));
    }
    const changes = await this.read('changes', 'select name from accounts.changes');
    return {
      ...happened,
      ...(await this.left()),
      plan: this.plan,
      written: this.written,
      changes: changes.map(({ name }) => name),
      appended: (await this.read(`appended ${log}`, appendedOf(log))).map(({ envelope, ...one }) => ({
        ...one,
        event: JSON.parse(envelope),
      })),
      trimmed: await this.read(`trimmed ${log}`, `select stream, position::int, groups from ${log}.trimmed`),
      seen: [...this.broker.breaches, ...(await this.read('breaches', BREACHES))],
      ...{ groups, effects, dead, batches: this.batches, isWithin: this.isWithin },
    };
  }
}

/** @param {import('./plan.mjs').Plan} plan */
const logOf = ({ isRelayed }) => (isRelayed ? 'accounts' : 'bus');

const BREACHES = 'select rule, what from bus.breaches union all select rule, what from accounts.breaches';

const effectsOf = (/** @type {string} */ group) =>
  `select $1 as group, n, (extract(epoch from at) * 1000)::float8 as at from ${group}.effects order by id`;
const deadOf = (/** @type {string} */ group) =>
  `select $1 as group, event_id as "eventId", kind, reason from ${group}.dead_letters order by id`;
const appendedOf = (/** @type {string} */ log) =>
  `select stream, position::int, envelope, (extract(epoch from written_at) * 1000)::float8 as at from ${log}.appended order by position`;

/** Events that a group has to handle: one that was removed before its first member was there is none. */
const unhandledOf = (/** @type {string} */ log, /** @type {string} */ group) => `
  select $1 as group, a.envelope::jsonb #>> '{data,n}' as n from ${log}.appended a
  where a.envelope::jsonb ->> 'type' = any($2)
    and not exists (select from ${group}.effects e where e.n = (a.envelope::jsonb #>> '{data,n}')::int)
    and not exists (select from ${group}.dead_letters d where d.event_id = a.envelope::jsonb ->> 'id')
    and not exists (select from ${log}.trimmed t where t.stream = a.stream and t.position = a.position and t.groups <> '{accounts.relay}'
      and $1 <> all(t.groups))
  order by a.position`;

/** The oldest events are removed some time after all groups have passed them. */
const untrimmedOf = (/** @type {string} */ log) =>
  `select stream || '/' || position as at from ${log}.log order by position`;
