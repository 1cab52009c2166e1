// @ts-check
// A life of deliveries: workers, messages, cancels and accounts of a plan, in a world.
import { MessageAccepted } from '../../../services/messages/contract/dist/index.js';
import { World } from '../world.mjs';
import { TIMES } from './limits.table.mjs';
import { MailWorld } from './mail-world.mjs';
import { replyOf } from './plan.mjs';
import { NEW_SOURCE, WorkerProcess } from './worker-process.mjs';

const ENDS_WITHIN_MS = (TIMES.windowSeconds + 240) * 1_000;

/** @extends {World<WorkerProcess>} */
export class Life extends World {
  /** @type {Map<string, { message: import('./plan.mjs').Message, id: string, acceptedAt: number, event: any }>} */
  messages = new Map();
  /** @type {{ id: string, at: number }[]} cancels that were answered with yes */
  canceled = [];
  /** @type {{ account: string, state: string, revision: number, at: number }[]} changes whose commit was answered */
  accountChanges = [];

  /** @param {import('./plan.mjs').Plan} plan @param {import('../store.mjs').Store} store @param {{ isTraced?: boolean }} [options] */
  constructor(plan, store, { isTraced = false } = {}) {
    super(plan, store, { isTraced, endsWithinMs: ENDS_WITHIN_MS });
    this.plan = plan;
    this.mail = new MailWorld(
      this.time,
      (id, nth) => replyOf(plan, this.messageOf(id).message, nth),
      (owner) => this.kill(owner, 'its message ends it', 3_000),
      (line, id, owner) => this.say(`${this.messageOf(id).message.name}: ${owner} ${line}`),
    );
  }

  /** @override */
  async begin() {
    await super.begin();
    if (!this.plan.hasBudget) return;
    await this.store.control.query(
      `insert into delivery_worker.egress_pools (id, way_order, when_blocked, over_budget, origin)
       values ('default', 'sources', 'wait', 'move', 'operator') on conflict do nothing`,
    );
    await this.store.control.query(
      `insert into delivery_worker.egress_sources (id, pool, address, ehlo, origin, warm_up)
       values ($1, 'default', '192.0.2.1', 'new.test', 'operator', true)`,
      [NEW_SOURCE],
    );
  }

  /** @override @param {string} name @param {import('../random.mjs').Random} random */
  makeProcess(name, random) {
    const { apart, hasBudget } = this.plan;
    const machine = name.split('.')[0] === apart ? 'another' : 'one';
    return new WorkerProcess(name, this.time, random, this.mail, { machine, hasBudget });
  }

  /** @override @param {WorkerProcess} owner */
  gone(owner) {
    for (const copy of this.mail.copies) if (copy.owner === owner.name) copy.isOver = true;
  }

  /** @override @param {import('./plan.mjs').Step} step */
  does(step) {
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
      default:
        return super.does(step);
    }
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

  /** @override */
  async hasEnded() {
    if (this.open > 0 || this.time.now < this.mayRestAt) return false;
    if (this.mail.copies.some(({ isOver }) => !isOver)) return false;
    const { rows } = await this.store.control.query({
      name: 'left',
      text: `select 1 from delivery_worker.deliveries where state <> 'canceled' limit 1`,
    });
    if (rows.length > 0) return false;
    // what is ready may still be recorded
    this.quietLooks++;
    return this.quietLooks >= 2;
  }

  /** @returns {Promise<import('./oracle.rules.mjs').History>} */
  async history() {
    const happened = await this.run();
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
      ...happened,
      plan: this.plan,
      messages: [...this.messages.values()],
      copies: this.mail.copies,
      canceled: this.canceled,
      accountChanges: this.accountChanges,
      events: log.rows.map(({ envelope, written_at: at }) => ({
        ...JSON.parse(envelope).data,
        at: at.getTime(),
      })),
      left: left.rows,
    };
  }
}

/** @param {number} kind @param {number} nth */
const idOf = (kind, nth) => `0198${kind}f3e-5b7a-7c11-8000-${String(nth).padStart(12, '0')}`;
/** @param {string} account */
const accountId = (account) => idOf(9, account.charCodeAt(0));
