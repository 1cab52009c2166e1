// @ts-check
// The scheduler of a world: processes, sessions and timers, one step at a time, and the faults of a plan. A life
// extends it with its processes and its steps.
import { hashOf, randomOf } from './random.mjs';
import {
  deliver,
  endOrphans,
  endsUnblocked,
  execute,
  isCommit,
  isRollback,
  Sessions,
  useSessions,
} from './sessions.mjs';
import { useProcesses } from './simulated-system.mjs';
import { labelOf } from './statement-labels.mjs';
import { runIn, settle, Timeline } from './virtual-time.mjs';

/**
 * @typedef {import('./virtual-time.mjs').Owner & {
 *   schema: string, machine: string, isReady: boolean, isStopping: boolean,
 *   run: <T>(work: () => T) => T, start: () => Promise<unknown>, stop: () => Promise<unknown> }} Process
 */
/** @typedef {{ seed: number, life: number, workers: string[], steps: any[] }} Plan steps in the order of time */
/** @typedef {{ step: any, left: number }} Armed */
/** @typedef {{ owner: string | undefined, kind: string, from: number, to: number }} Happened */

const BEGIN = Date.UTC(2026, 0, 5, 8);
const MAX_STEPS = 20_000;
// Another transaction or timer may come between two statements of one process; how often time passes first.
const TIME_FIRST = 0.05;
/** So often the next statement of a session takes long. */
const HELD = 0.03;
const HELD_WITHIN = 0.08;
const LOOK_MS = 4_000;
const REDELIVER_MS = 1_000;
/** The bus gives up a member of a group that is silent for this long. */
const SILENT_MS = 6_000;

/** @template {Process} P */
export class World {
  /** @type {Map<string, P>} */
  processes = new Map();
  /** @type {Map<string, string>} the process that a worker of the plan is now */
  present = new Map();
  /** @type {Happened[]} */
  faults = [];
  /** @type {number[]} */
  starts = [];
  /** @type {string[]} */
  trace = [];
  /** @type {Armed[]} */
  armed = [];
  /** batches of the bus that are not handled */
  open = 0;
  /** @type {(() => Promise<void>)[]} work of the world itself that the next step waits for */
  errands = [];
  isOver = false;
  isLooking = false;
  quietLooks = 0;
  endAt = 0;
  mayRestAt = 0;
  steps = 0;
  hash = 0;
  /** @type {string[]} errors that no code caught */
  uncaught = [];

  /**
   * @param {Plan} plan @param {import('./store.mjs').Store} store
   * @param {{ isTraced?: boolean, endsWithinMs: number }} options `endsWithinMs`: after the last step of the plan everything
   *   has ended within this time
   */
  constructor(plan, store, { isTraced = false, endsWithinMs }) {
    this.scheduled = plan;
    this.store = store;
    this.isTraced = isTraced;
    this.endsWithinMs = endsWithinMs;
    this.random = randomOf(plan.seed, plan.life, 'order');
    // another hour for each life: ids of one are not behind those of the one before it
    this.time = new Timeline(BEGIN + (plan.life % 100_000) * 3_600_000);
    this.sessions = new Sessions(store, (client, channel, payload) => {
      this.time.after(
        this.random.between(1, 40),
        () => client._queryable && client.emit('notification', { channel, payload }),
        client.owner,
      );
    });
  }

  /** @param {string} _name @param {import('./random.mjs').Random} _random @returns {P} */
  makeProcess(_name, _random) {
    throw new Error('a life has its processes');
  }

  /** A step of the plan that is no fault. @param {any} step */
  does(step) {
    throw new Error(`no step ${step.kind}`);
  }

  /** @returns {Promise<boolean>} whether all has come to rest */
  async hasEnded() {
    return true;
  }

  async run() {
    await this.begin();
    while (!this.isOver && this.time.now < this.endAt && this.steps < MAX_STEPS) await this.step();
    await this.end();
    return {
      faults: this.faults,
      starts: this.starts,
      processes: [...this.processes.keys()],
      uncaught: [...this.uncaught, ...(this.steps >= MAX_STEPS ? ['it does not come to rest'] : [])],
      start: this.time.start,
      endedAt: this.time.now,
      steps: this.steps,
      hash: this.hash,
      trace: this.trace,
    };
  }

  async begin() {
    await this.store.clear();
    useSessions(this.sessions);
    useProcesses(this.processes);
    for (const worker of this.scheduled.workers) this.startWorker(worker);
    for (const step of this.scheduled.steps) this.time.after(step.at, () => this.take(step));
    this.time.after(LOOK_MS, () => this.look());
    const last = this.scheduled.steps.at(-1)?.at ?? 0;
    this.endAt = this.time.now + last + this.endsWithinMs;
    this.mayRestAt = this.time.now + last + 1_000;
  }

  async step() {
    this.steps++;
    await this.untilStill();
    if (this.sessions.orphans.length > 0) {
      await endOrphans(this.sessions);
      await this.unblock();
      await this.untilStill();
    }
    const ready = this.sessions.ready(this.time.now);
    const timeFirst = ready.length > 0 && this.random.chance(TIME_FIRST);
    if (ready.length > 0 && !timeFirst) return this.statement(this.random.pick(ready));
    if (this.isLooking) {
      this.isLooking = false;
      this.isOver = await this.hasEnded();
      // nothing may be left, not even a timer
      if (this.isOver) return undefined;
      this.time.after(LOOK_MS, () => this.look());
    }
    const timer = this.time.takeNext();
    if (timer === undefined) throw new Error('a life without a timer');
    this.time.now = Math.max(this.time.now, timer.at);
    if (timer.owner) runIn(timer.owner, timer.run);
    else timer.run();
    for (const errand of this.errands.splice(0)) await errand();
  }

  async untilStill() {
    do await settle();
    while (this.time.runImmediates());
  }

  /** @param {import('./sessions.mjs').SimulatedClient} client */
  async statement(client) {
    const [next] = client.queue;
    const text = next?.text ?? '';
    const owner = /** @type {P} */ (client.owner);
    const fault = this.faultOf(owner, text);
    const label = labelOf(text);
    this.note(`${owner.name}.${client.nth} ${label}`);
    if (fault && !fault.after) return this.strike(fault, owner, client, `before ${label}`);
    this.store.now = this.time.now;
    if (fault) {
      client.queue.splice(1);
      const { isWaiting } = await this.unanswered(client);
      return this.strike(fault, owner, client, `${isWaiting ? 'within' : 'behind'} ${label}`);
    }
    const { isWaiting } = await execute(client);
    if (!isWaiting && (isCommit(text) || isRollback(text))) await this.unblock();
    if (this.random.chance(0.3)) this.time.now += this.random.between(1, 3);
    if (this.random.chance(client.isInTransaction ? HELD_WITHIN : HELD)) this.hold(client);
  }

  /** The next statement of a session is slow. @param {import('./sessions.mjs').SimulatedClient} client */
  hold(client) {
    const ms = this.random.between(10, 2_500);
    client.heldUntil = this.time.now + ms;
    this.time.after(ms, () => undefined);
  }

  /** Executes a statement whose answer is lost. @param {import('./sessions.mjs').SimulatedClient} client */
  async unanswered(client) {
    const { owner } = client;
    const [statement] = client.queue;
    if (statement === undefined || statement.text === 'connect') return { isWaiting: false };
    const { done } = statement;
    statement.done = () => undefined;
    const ended = await execute(client);
    // its caller gets the loss of the connection
    client.queue.unshift({ ...statement, done: (error) => owner.isAlive && done(error) });
    return ended;
  }

  /** Sessions that waited for a lock and have it now, one after the other: the end of a statement may free a further one. */
  async unblock() {
    let isFreed = false;
    for (const client of [...this.sessions.open]) {
      if (client.running === undefined || !client.backend) continue;
      if (!(await endsUnblocked(client.backend, client.running))) continue;
      isFreed = true;
      await deliver(client, await client.running);
    }
    if (isFreed) await this.unblock();
  }

  /** @param {P} owner @param {string} text @returns {any} the armed fault that is due at this statement */
  faultOf(owner, text) {
    for (const armed of this.armed) {
      const { step } = armed;
      if (this.present.get(step.worker) !== owner.name) continue;
      if (step.on === 'commit' && !isCommit(text)) continue;
      if (step.on === 'claim' && !labelOf(text).startsWith('claims')) continue;
      if ((step.on ?? 'any') === 'any' && armed.left-- > 0) continue;
      this.armed.splice(this.armed.indexOf(armed), 1);
      return step;
    }
    return undefined;
  }

  /**
   * @param {any} step @param {P} owner @param {import('./sessions.mjs').SimulatedClient} client
   * @param {string} where
   */
  strike(step, owner, client, where) {
    if (step.kind === 'crash') {
      this.kill(owner, where, step.restartMs);
      return;
    }
    this.say(`a session of ${owner.name} ends ${where}`);
    this.fault(owner.name, 'cut');
    client.cut();
  }

  /** @param {P} owner @param {string} where @param {number} restartMs */
  kill(owner, where, restartMs) {
    if (!owner.isAlive) return;
    this.say(`${owner.name} is killed: ${where}`);
    this.ended(owner, restartMs);
  }

  /** @param {P} owner @param {number} restartMs */
  ended(owner, restartMs) {
    owner.isAlive = false;
    this.fault(owner.name, 'end');
    for (const client of [...this.sessions.open]) if (client.owner === owner) client.leave();
    this.gone(owner);
    const [worker] = owner.name.split('.');
    this.time.after(restartMs, () => this.startWorker(worker));
  }

  /** @param {P} _owner what was under way in it is over */
  gone(_owner) {}

  /** @param {string | undefined} owner @param {string} kind @param {number} [ms] */
  fault(owner, kind, ms = 0) {
    this.faults.push({ owner, kind, from: this.time.now, to: this.time.now + ms });
  }

  /** @param {string} worker */
  startWorker(worker) {
    const nth = [...this.processes.keys()].filter((name) => name.split('.')[0] === worker).length + 1;
    const name = `${worker}.${nth}`;
    const owner = this.makeProcess(name, randomOf(this.scheduled.seed, this.scheduled.life, name));
    this.processes.set(name, owner);
    this.present.set(worker, name);
    this.starts.push(this.time.now);
    this.say(`${name} starts`);
    owner
      .run(() => owner.start())
      .then(
        () => (owner.isReady = true),
        (error) => {
          if (owner.isAlive) this.uncaught.push(`${name} did not start: ${error.message}`);
        },
      );
  }

  /** @param {any} step */
  take(step) {
    switch (step.kind) {
      case 'crash':
      case 'cut':
        this.armed.push({ step, left: step.skip });
        return undefined;
      case 'outage':
        return this.outage(step.ms);
      case 'stall':
      case 'stop':
      case 'clock':
        return this.toWorker(step);
      default:
        return this.does(step);
    }
  }

  /** @param {any} step */
  toWorker(step) {
    const owner = this.processes.get(this.present.get(step.worker) ?? '');
    if (!owner?.isAlive) return;
    if (step.kind === 'clock') {
      owner.dateOffset += step.ms;
      this.say(`the time of day of ${owner.name} moves by ${step.ms} ms`);
    } else if (step.kind === 'stall') {
      owner.stalledUntil = this.time.now + step.ms;
      this.fault(owner.name, 'stall', step.ms);
      this.say(`${owner.name} does nothing for ${step.ms} ms`);
    } else if (owner.isReady && !owner.isStopping) {
      this.say(`${owner.name} is stopped`);
      this.fault(owner.name, 'stop', 20_000);
      const gone = () => {
        if (!owner.isAlive) return;
        this.say(`${owner.name} has ended`);
        this.ended(owner, step.restartMs);
      };
      owner.run(() => owner.stop()).then(gone, gone);
    }
  }

  /** @param {number} ms */
  outage(ms) {
    this.say(`the database is away for ${ms} ms`);
    this.fault(undefined, 'outage', ms);
    this.sessions.isDown = true;
    for (const client of [...this.sessions.open]) client.cut();
    this.time.after(ms, () => {
      this.sessions.isDown = false;
      this.say('the database is back');
    });
  }

  /** Processes that take work. @param {string} [schema] of their service */
  ready(schema) {
    return [...this.processes.values()].filter(
      (one) =>
        (schema === undefined || one.schema === schema) && one.isAlive && one.isReady && !one.isStopping,
    );
  }

  /**
   * A batch of the bus, until a worker has handled it.
   * @param {(owner: P) => Promise<unknown>} work @param {() => void} done
   * @param {{ schema?: string, handsOver?: boolean }} [options] `schema`: of its service; `handsOver`: another process gets
   *   the batch while the first one does nothing, and may finish it later
   */
  deliverTo(work, done, { schema, handsOver = false } = {}) {
    this.open++;
    let isDone = false;
    let latest = 0;
    const again = () => this.time.after(REDELIVER_MS, attempt);
    const attempt = () => {
      if (isDone) return;
      const ready = this.ready(schema);
      if (ready.length === 0) return void again();
      const owner = this.random.pick(ready);
      const [nth, begunAt] = [++latest, this.time.now];
      let isAnswered = false;
      owner
        .run(() => work(owner))
        .then(
          () => {
            isAnswered = true;
            if (isDone) return;
            isDone = true;
            this.open--;
            done();
          },
          () => {
            isAnswered = true;
            if (nth === latest) again();
          },
        );
      const watch = () => {
        if (isAnswered) return;
        const isSilent =
          handsOver && owner.stalledUntil > this.time.now && this.time.now - begunAt > SILENT_MS;
        if (owner.isAlive && !isSilent) this.time.after(REDELIVER_MS, watch);
        else again();
      };
      this.time.after(REDELIVER_MS, watch);
    };
    attempt();
  }

  look() {
    this.isLooking = true;
  }

  /** @param {string} line */
  note(line) {
    this.hash = hashOf(`${this.hash} ${this.at()} ${line}`);
    if (this.isTraced) this.trace.push(`${this.at()}  ${line}`);
  }

  /** @param {string} line */
  say(line) {
    this.hash = hashOf(`${this.hash} ${this.at()} ${line}`);
    this.trace.push(`${this.at()}  ${line}`);
  }

  at() {
    return `${((this.time.now - this.time.start) / 1_000).toFixed(3).padStart(8)} s`;
  }

  /** Ends all processes. */
  async end() {
    for (const owner of this.processes.values()) owner.isAlive = false;
    for (const client of [...this.sessions.open]) client.leave();
    await endOrphans(this.sessions);
  }
}
