// @ts-check
// One life: workers, messages and faults of a plan, executed step by step; the scheduler decides every order.
import { MessageAccepted } from '../../services/messages/contract/dist/index.js';
import { TIMES } from './limits.table.mjs';
import { MailWorld } from './mail-world.mjs';
import { replyOf } from './plan.mjs';
import { hashOf, randomOf } from './random.mjs';
import { deliver, endOrphans, endsUnblocked, execute, Sessions, useSessions } from './sessions.mjs';
import { useProcesses } from './simulated-system.mjs';
import { labelOf } from './statement-labels.mjs';
import { runIn, settle, Timeline } from './virtual-time.mjs';
import { WorkerProcess } from './worker-process.mjs';

/** @typedef {import('./plan.mjs').Plan} Plan */
/** @typedef {import('./plan.mjs').Step} Step */
/** @typedef {{ step: any, left: number }} Armed */

const BEGIN = Date.UTC(2026, 0, 5, 8);
const MAX_STEPS = 60_000;
// Another transaction or timer may come between two statements of one process; how often time passes first.
const TIME_FIRST = 0.05;
/** So often the next statement of a session takes long. */
const HELD = 0.03;
const HELD_WITHIN = 0.08;
const LOOK_MS = 4_000;
const REDELIVER_MS = 1_000;
/** After the last step of the plan everything has ended within this time. */
const ENDS_WITHIN_MS = (TIMES.windowSeconds + 240) * 1_000;

export class Life {
  /** @type {Map<string, WorkerProcess>} */
  processes = new Map();
  /** @type {Map<string, string>} the process that a worker of the plan is now */
  present = new Map();
  /** @type {Map<string, { message: import('./plan.mjs').Message, id: string, acceptedAt: number, event: any }>} */
  messages = new Map();
  /** @type {{ id: string, at: number }[]} cancels that were answered with yes */
  canceled = [];
  /** @type {{ account: string, state: string, revision: number, at: number }[]} changes whose commit was answered */
  accountChanges = [];
  /** @type {{ owner: string | undefined, from: number, to: number, kind: string }[]} */
  faults = [];
  /** @type {number[]} */
  starts = [];
  /** @type {string[]} */
  trace = [];
  /** @type {Armed[]} */
  armed = [];
  open = 0;
  isOver = false;
  isLooking = false;
  quietLooks = 0;
  endAt = 0;
  mayRestAt = 0;
  steps = 0;
  hash = 0;
  /** @type {string[]} errors that no code caught */
  uncaught = [];

  /** @param {Plan} plan @param {import('./store.mjs').Store} store @param {{ isTraced?: boolean }} [options] */
  constructor(plan, store, { isTraced = false } = {}) {
    this.plan = plan;
    this.store = store;
    this.isTraced = isTraced;
    this.random = randomOf(plan.seed, plan.life, 'order');
    // another hour for each life: ids of one are not behind those of the one before it
    this.time = new Timeline(BEGIN + (plan.life % 100_000) * 3_600_000);
    this.sessions = new Sessions(store);
    this.mail = new MailWorld(
      this.time,
      (id, nth) => replyOf(plan, this.messageOf(id).message, nth),
      (owner) => this.kill(owner, 'its message ends it', 3_000),
      (line, id, owner) => this.say(`${this.messageOf(id).message.name}: ${owner} ${line}`),
    );
  }

  async run() {
    await this.store.clear();
    useSessions(this.sessions);
    useProcesses(this.processes);
    for (const worker of this.plan.workers) this.startWorker(worker);
    for (const step of this.plan.steps) this.time.after(step.at, () => this.take(step));
    this.time.after(LOOK_MS, () => this.look());
    const last = this.plan.steps.at(-1)?.at ?? 0;
    this.endAt = this.time.now + last + ENDS_WITHIN_MS;
    this.mayRestAt = this.time.now + last + 1_000;
    while (!this.isOver && this.time.now < this.endAt && this.steps < MAX_STEPS) await this.step();
    return this.end();
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
      if (!this.isOver) this.time.after(LOOK_MS, () => this.look());
    }
    const timer = this.time.takeNext();
    if (timer === undefined) throw new Error('a life without a timer');
    this.time.now = Math.max(this.time.now, timer.at);
    if (timer.owner) runIn(timer.owner, timer.run);
    else timer.run();
  }

  async untilStill() {
    do await settle();
    while (this.time.runImmediates());
  }

  /** @param {import('./sessions.mjs').SimulatedClient} client */
  async statement(client) {
    const [next] = client.queue;
    const text = next?.text ?? '';
    const owner = /** @type {WorkerProcess} */ (client.owner);
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
    if (!isWaiting && (text === 'COMMIT' || text === 'ROLLBACK')) await this.unblock();
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

  /** Sessions that waited for a lock and have it now. */
  async unblock() {
    for (const client of [...this.sessions.open]) {
      if (client.running === undefined || !client.backend) continue;
      if (await endsUnblocked(client.backend, client.running)) deliver(client, await client.running);
    }
  }

  /** @param {WorkerProcess} owner @param {string} text @returns {any} the armed fault that is due at this statement */
  faultOf(owner, text) {
    for (const armed of this.armed) {
      const { step } = armed;
      if (this.present.get(step.worker) !== owner.name) continue;
      if (step.on === 'commit' && text !== 'COMMIT') continue;
      if (step.on === 'claim' && labelOf(text) !== 'claims') continue;
      if ((step.on ?? 'any') === 'any' && armed.left-- > 0) continue;
      this.armed.splice(this.armed.indexOf(armed), 1);
      return step;
    }
    return undefined;
  }

  /**
   * @param {any} step @param {WorkerProcess} owner @param {import('./sessions.mjs').SimulatedClient} client
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

  /** @param {WorkerProcess} owner @param {string} where @param {number} restartMs */
  kill(owner, where, restartMs) {
    if (!owner.isAlive) return;
    this.say(`${owner.name} is killed: ${where}`);
    this.ended(owner, restartMs);
  }

  /** @param {WorkerProcess} owner @param {number} restartMs */
  ended(owner, restartMs) {
    owner.isAlive = false;
    this.fault(owner.name, 'end');
    for (const client of [...this.sessions.open]) if (client.owner === owner) client.leave();
    for (const copy of this.mail.copies) if (copy.owner === owner.name) copy.isOver = true;
    const [worker] = owner.name.split('.');
    this.time.after(restartMs, () => this.startWorker(worker));
  }

  /** @param {string | undefined} owner @param {string} kind @param {number} [ms] */
  fault(owner, kind, ms = 0) {
    this.faults.push({ owner, kind, from: this.time.now, to: this.time.now + ms });
  }

  /** @param {string} worker */
  startWorker(worker) {
    const nth = [...this.processes.keys()].filter((name) => name.split('.')[0] === worker).length + 1;
    const name = `${worker}.${nth}`;
    const owner = new WorkerProcess(name, this.time, randomOf(this.plan.seed, this.plan.life, name));
    this.processes.set(name, owner);
    this.present.set(worker, name);
    this.starts.push(this.time.now);
    this.say(`${name} starts`);
    owner
      .run(() => owner.start(this.mail.transportOf(owner)))
      .then(
        () => (owner.isReady = true),
        (error) => {
          if (owner.isAlive) this.uncaught.push(`${name} did not start: ${error.message}`);
        },
      );
  }

  /** @param {Step} step */
  take(step) {
    switch (step.kind) {
      case 'accept':
        return this.accept(step.message);
      case 'cancel':
        return this.cancel(step.message, 5);
      case 'account':
        return this.deliverTo(
          (owner) => owner.learn(this.factOf(step)),
          () => {
            this.say(`account ${step.account} is ${step.state} in the database`);
            const { account, state, revision } = step;
            this.accountChanges.push({ account, state, revision, at: this.time.now });
          },
        );
      case 'crash':
      case 'cut':
        this.armed.push({ step, left: step.skip });
        return undefined;
      case 'outage':
        return this.outage(step.ms);
      default:
        return this.toWorker(step);
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

  /** @param {import('./plan.mjs').Message} message */
  accept(message) {
    const nth = this.messages.size + 1;
    const id = idOf(1, Number(message.name.slice(1)));
    const at = this.time.now;
    const later = (/** @type {number | undefined} */ seconds) =>
      seconds === undefined ? null : new Date(at + seconds * 1_000).toISOString();
    const event = {
      ...MessageAccepted.make(
        {
          ...MessageAccepted.examples[0],
          send_request_id: idOf(2, nth),
          accepted_at: new Date(at).toISOString(),
          first_attempt: later(message.scheduledS),
          expires: later(message.expiresS),
          recipients: [{ id, email: `${message.name}@${message.domain}` }],
        },
        { account_id: accountId(message.account), occurred_at: new Date(at) },
      ),
      id: idOf(3, nth),
    };
    this.messages.set(id, { message, id, acceptedAt: at, event });
    this.say(`${message.name} is accepted`);
    this.deliverTo(
      (owner) => owner.take(event),
      () => {
        // at least once
        if (!this.random.chance(0.15)) return;
        const done = () => this.say(`${message.name} came again`);
        const again = () => this.deliverTo((owner) => owner.take(event), done);
        this.time.after(this.random.between(1, 30_000), again);
      },
    );
  }

  /**
   * A batch of the bus, until a worker has handled it.
   * @param {(owner: WorkerProcess) => Promise<unknown>} work @param {() => void} done
   */
  deliverTo(work, done) {
    this.open++;
    let isDone = false;
    const again = () => this.time.after(REDELIVER_MS, attempt);
    const attempt = () => {
      if (isDone) return;
      const ready = [...this.processes.values()].filter(
        (one) => one.isAlive && one.isReady && !one.isStopping,
      );
      if (ready.length === 0) return void again();
      const owner = this.random.pick(ready);
      let isAnswered = false;
      owner
        .run(() => work(owner))
        .then(
          () => {
            isAnswered = isDone = true;
            this.open--;
            done();
          },
          () => {
            isAnswered = true;
            again();
          },
        );
      const watch = () => {
        if (isAnswered) return;
        if (owner.isAlive) this.time.after(REDELIVER_MS, watch);
        else again();
      };
      this.time.after(REDELIVER_MS, watch);
    };
    attempt();
  }

  /** @param {string} name @param {number} tries */
  cancel(name, tries) {
    const one = [...this.messages.values()].find(({ message }) => message.name === name);
    if (one === undefined) return;
    const { id, event, acceptedAt } = one;
    const wanted = [
      {
        id,
        account_id: event.account_id,
        send_request_id: event.data.send_request_id,
        accepted_at: new Date(acceptedAt).toISOString(),
      },
    ];
    const ready = [...this.processes.values()].filter((owner) => owner.isAlive && owner.isReady);
    const again = () => {
      if (tries > 0) this.time.after(2_000, () => this.cancel(name, tries - 1));
    };
    if (ready.length === 0) return again();
    const owner = this.random.pick(ready);
    owner
      .run(() => owner.cancel(wanted))
      .then((ids) => {
        this.say(`${name}: ${ids.length > 0 ? 'canceled' : 'not canceled'}, says ${owner.name}`);
        if (ids.includes(id)) this.canceled.push({ id, at: this.time.now });
      }, again);
  }

  /** @param {{ account: string, state: string, revision: number }} step */
  factOf({ account, state, revision }) {
    return { account_id: accountId(account), state, revision };
  }

  /** @param {string} id */
  messageOf(id) {
    const found = this.messages.get(id);
    if (found === undefined) throw new Error(`no message ${id}`);
    return found;
  }

  look() {
    this.isLooking = true;
  }

  async hasEnded() {
    if (this.open > 0 || this.time.now < this.mayRestAt) return false;
    if (this.mail.copies.some(({ isOver }) => !isOver)) return false;
    const { rows } = await this.store.control.query({
      name: 'left',
      text: `select 1 from delivery_worker.deliveries where state <> 'canceled' limit 1`,
    });
    if (rows.length > 0) return false;
    // what is ready may still be recorded
    this.quietLooks = this.quietLooks + 1;
    return this.quietLooks >= 2;
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

  /** Ends all processes. @returns {Promise<import('./oracle.rules.mjs').History>} */
  async end() {
    for (const owner of this.processes.values()) owner.isAlive = false;
    for (const client of [...this.sessions.open]) client.leave();
    await endOrphans(this.sessions);
    const { control } = this.store;
    const log = await control.query({
      name: 'log-of-life',
      text: `select envelope, written_at from delivery_worker.log order by position`,
    });
    const left = await control.query({
      name: 'rows-of-life',
      text: 'select id, state, reason from delivery_worker.deliveries',
    });
    return {
      plan: this.plan,
      messages: [...this.messages.values()],
      copies: this.mail.copies,
      canceled: this.canceled,
      accountChanges: this.accountChanges,
      faults: this.faults,
      starts: this.starts,
      processes: [...this.processes.values()].map(({ name }) => name),
      events: log.rows.map(({ envelope, written_at: at }) => ({
        ...JSON.parse(envelope).data,
        at: at.getTime(),
      })),
      left: left.rows,
      uncaught: [...this.uncaught, ...(this.steps >= MAX_STEPS ? ['it does not come to rest'] : [])],
      start: this.time.start,
      endedAt: this.time.now,
      steps: this.steps,
      hash: this.hash,
      trace: this.trace,
    };
  }
}

/** @param {number} kind @param {number} nth */
const idOf = (kind, nth) => `0198${kind}f3e-5b7a-7c11-8000-${String(nth).padStart(12, '0')}`;
/** @param {string} account */
const accountId = (account) => idOf(9, account.charCodeAt(0));
