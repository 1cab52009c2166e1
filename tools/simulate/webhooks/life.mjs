// @ts-check
// A life of webhooks: messages change, endpoints are created, stopped and recovered, two processes of webhooks and two
// dispatchers run and fail, and receivers answer as the plan says.
import { MessageChanged } from '../../../services/messages/contract/dist/index.js';
import { Bus } from '../bus.mjs';
import { Network } from '../network.mjs';
import { randomOf } from '../random.mjs';
import { runIn } from '../virtual-time.mjs';
import { World } from '../world.mjs';
import { DispatcherProcess } from './dispatcher-process.mjs';
import { HttpWorld } from './http-world.mjs';
import { answerOf } from './plan.mjs';
import { WebhooksProcess } from './webhooks-process.mjs';

/** @typedef {import('./plan.mjs').Act} Act */
/**
 * @typedef {object} Operation an act of a user, from its first try to its answer
 * @property {Act | 'create'} kind
 * @property {string} name of the endpoint
 * @property {string} id of the webhook; empty until it is known
 * @property {number} since of a recovery, ms
 * @property {number} from Infinity: it waits for its endpoint
 * @property {number} to Infinity: no answer
 * @property {boolean} isDone false: it was answered with a 4xx
 */

const ENDS_WITHIN_MS = 500_000;
const MAX_TRIES = 60;
const STREAMS = { webhooks: ['messages', 'webhook-deliveries'], webhook_dispatcher: ['webhook-deliveries'] };

/** @extends {World<any>} */
export class Life extends World {
  /** @type {Operation[]} */
  operations = [];
  /** @type {(import('./plan.mjs').Happening & { at: number })[]} */
  happenings = [];
  waiting = 0;

  /** @param {import('./plan.mjs').Plan} plan @param {import('../store.mjs').Store} store @param {{ isTraced?: boolean }} [options] */
  constructor(plan, store, { isTraced = false } = {}) {
    super(plan, store, { isTraced, endsWithinMs: ENDS_WITHIN_MS });
    this.plan = plan;
    /** @type {Map<string, import('./plan.mjs').Endpoint>} */
    this.endpoints = new Map(
      plan.steps.flatMap((step) => (step.kind === 'create' ? [[step.endpoint.name, step.endpoint]] : [])),
    );
    this.user = {
      ...{ name: 'user', schema: '', isAlive: true, stalledUntil: 0, dateOffset: 0 },
      ...{ random: randomOf(plan.seed, plan.life, 'user'), time: this.time },
    };
    this.network = new Network(this);
    this.bus = new Bus(this, Object.keys(STREAMS), STREAMS);
    this.http = new HttpWorld(
      this.time,
      (host, nth) => {
        const endpoint = this.endpoints.get(host.split('.')[0] ?? '');
        if (endpoint === undefined) throw new Error(`no receiver ${host}`);
        return answerOf(plan, endpoint, nth, this.time.now - this.time.start);
      },
      (owner) => this.kill(owner, 'a call ends it', 3_000),
      (line) => this.say(line),
    );
    this.bus.start();
  }

  /** @override @param {string} name @param {import('../random.mjs').Random} random */
  makeProcess(name, random) {
    return name.startsWith('h')
      ? new WebhooksProcess(name, random, this)
      : new DispatcherProcess(name, random, this);
  }

  /** @override @param {any} owner */
  gone(owner) {
    this.network.gone(owner);
    for (const call of this.http.calls) if (call.owner === owner.name) call.isOver = true;
  }

  /** @override @param {import('./plan.mjs').Step} step */
  does(step) {
    switch (step.kind) {
      case 'create':
        return this.operate('create', step.endpoint.name);
      case 'happens':
        return this.happens(step.happening);
      case 'disable':
      case 'enable':
      case 'delete':
      case 'recover':
      case 'replay':
        return this.operate(step.kind, step.endpoint);
      default:
        return super.does(step);
    }
  }

  /** @param {import('./plan.mjs').Happening} happening */
  happens(happening) {
    const at = this.time.now;
    this.happenings.push({ ...happening, at });
    this.say(`${happening.name}: ${happening.message} is ${happening.change}`);
    const [example] = MessageChanged.examples;
    const made = MessageChanged.make(
      /** @type {any} */ ({
        ...example,
        ...{ change: happening.change, changed_at: new Date(at).toISOString(), domain: happening.domain },
        ...{ message_id: idOf(1, Number(happening.message.slice(1))), recipient: 'ann@mail.test' },
        // the message and what happened to it are found in the body by this
        ...{ send_request_id: idOf(2, Number(happening.message.slice(1))), subject: happening.name },
        ...(happening.change === 'opened' ? { fetch: { user_agent: '', ip: '', is_bot: false } } : {}),
      }),
      { account_id: accountId(happening.account), occurred_at: new Date(at) },
    );
    this.bus.publish('messages', { ...made, id: idOf(3, Number(happening.name.slice(1))) });
  }

  /** @param {Operation['kind']} kind @param {string} name of the endpoint */
  operate(kind, name) {
    // with the ones before it left out of the plan there is nothing to do
    if (!this.endpoints.has(name)) return;
    this.waiting++;
    const { random, time } = this;
    const since = random.chance(0.5)
      ? time.start
      : Math.max(time.start, time.now - random.between(5_000, 40_000));
    const operation = { kind, name, id: '', since, from: Infinity, to: Infinity, isDone: false };
    this.operations.push(operation);
    this.try(operation, MAX_TRIES);
  }

  /** @param {Operation} operation @param {number} tries */
  try(operation, tries) {
    const { kind, name } = operation;
    const over = (/** @type {string} */ answer) => {
      this.waiting--;
      this.say(`${kind} ${name}: ${answer}`);
    };
    const again = () => {
      if (tries === 0) return over('given up');
      this.time.after(this.random.between(200, 3_000), () => this.try(operation, tries - 1));
    };
    const created = this.operations.find((one) => one.kind === 'create' && one.name === name && one.isDone);
    if (kind !== 'create' && created === undefined) return again();
    operation.id = created?.id ?? '';
    if (operation.from === Infinity) operation.from = this.time.now;
    runIn(this.user, () => this.ask(operation)).then(
      (id) => {
        operation.id = id ?? operation.id;
        operation.to = this.time.now;
        operation.isDone = true;
        over('done');
      },
      (error) => {
        if (!(error.status >= 400 && error.status < 500)) return again();
        operation.to = this.time.now;
        over(String(error.status));
      },
    );
  }

  /** @param {Operation} operation @returns {Promise<string | undefined>} */
  ask({ kind, name, id, since }) {
    const endpoint = /** @type {import('./plan.mjs').Endpoint} */ (this.endpoints.get(name));
    const account = accountId(endpoint.account);
    const iso = new Date(since).toISOString();
    if (kind === 'replay')
      return this.network.call(this.user, 'webhook_dispatcher', (owner) => owner.replay(id, iso));
    return this.network.call(this.user, 'webhooks', (owner) => {
      if (kind === 'create') return owner.create(account, endpoint);
      if (kind === 'delete') return owner.delete(account, id);
      if (kind === 'recover') return owner.recover(account, id, iso);
      return owner.enable(account, id, kind === 'enable');
    });
  }

  /** @override */
  async hasEnded() {
    if (this.open > 0 || this.waiting > 0 || this.time.now < this.mayRestAt || !this.bus.isQuiet)
      return false;
    if (this.http.calls.some(({ isOver }) => !isOver)) return false;
    const { rows } = await this.store.control.query({
      name: 'webhooks-left',
      text: `select from (${LEFT}) as one limit 1`,
    });
    if (rows.length > 0) return false;
    this.quietLooks++;
    return this.quietLooks >= 2;
  }

  /** @returns {Promise<import('./oracle.rules.mjs').History>} */
  async history() {
    const happened = await this.run();
    const read = async (/** @type {string} */ name, /** @type {string} */ text) =>
      (await this.store.control.query({ name, text })).rows;
    const logOf = async (/** @type {string} */ schema) =>
      (await read(`${schema}-log`, `select envelope, written_at from ${schema}.log order by position`)).map(
        ({ envelope, written_at }) => {
          const { type, data } = JSON.parse(envelope);
          return { type, data, at: written_at.getTime() };
        },
      );
    return {
      ...happened,
      plan: this.plan,
      endpoints: [...this.endpoints.values()],
      operations: this.operations,
      happenings: this.happenings,
      calls: this.http.calls,
      published: await logOf('webhooks'),
      attempted: await logOf('webhook_dispatcher'),
      webhooks: await read('webhooks-rows', WEBHOOKS),
      kept: await read(
        'webhooks-kept',
        `select id, webhook_message_id as message from webhook_dispatcher.ended_deliveries`,
      ),
      left: await read('webhooks-all-left', LEFT),
    };
  }
}

const WEBHOOKS = `select id, enabled, success_count::int as successes, error_count::int as errors from webhooks.webhooks`;
const LEFT = `select 'delivery' as what, state || ': ' || reason as text from webhook_dispatcher.webhook_deliveries
  union all select 'piece', id::text from webhooks.fan_outs
  union all select 'replay', kind from webhook_dispatcher.replays where state = 'running'
  union all select 'delivery set aside', endpoint_id::text from webhook_dispatcher.set_aside_endpoints
  union all select 'dead letter', reason from webhooks.dead_letters
  union all select 'dead letter', reason from webhook_dispatcher.dead_letters`;

/** @param {number} kind @param {number} nth */
const idOf = (kind, nth) => `0198${kind}f3e-5b7a-7c11-8000-${String(nth).padStart(12, '0')}`;
/** @param {string} account */
const accountId = (account) => idOf(9, account.charCodeAt(0));
