// @ts-check
// A life of idempotency keys: clients ask through the gateway's own code until they have an answer; the processes of two
// services, one of which keeps the register, run and fail.
import { ApiError, apiResponse } from '../../../libs/contracts/dist/index.js';
import { IDEMPOTENCY_MIGRATIONS } from '../../../libs/service-host/dist/idempotency/idempotency.migrations.js';
import { IdempotencyRegister } from '../../../services/gateway/dist/forward/idempotency-register.js';
import { OperationCalls } from '../../../services/gateway/dist/forward/operation-calls.js';
import { Network } from '../network.mjs';
import { randomOf } from '../random.mjs';
import { runIn } from '../virtual-time.mjs';
import { World } from '../world.mjs';
import { TIMES } from './limits.table.mjs';
import { notFound, ServiceProcess } from './service-process.mjs';

const ACCOUNT = '01989f3e-5b7a-7c11-8000-000000000001';
const SCHEMAS = /** @type {Record<string, string>} */ ({ m: 'messages', a: 'accounts' });
const PRINCIPAL = {
  account_id: ACCOUNT,
  key_id: ACCOUNT,
  scopes: ['messages:write', 'api-keys:write', 'sub-accounts:write'],
  account: { status: 'active', platform_partner: true, parent_account_id: null },
};
const ENDS_WITHIN_MS = 240_000;
const MAX_TRIES = 80;
/** A client meets so many runs that are broken, or longer than their lease; later ones are made within a second. */
const BAD_RUNS = 3;

export const DATABASES = ['messages', 'accounts'].map((schema) => ({
  schema,
  migrations: IDEMPOTENCY_MIGRATIONS,
  more: `create table effects (run text primary key, at timestamptz not null default clock_timestamp())`,
  tables: ['idempotency', 'effects'],
  vacuumed: ['idempotency'],
}));

/** @extends {World<ServiceProcess>} */
export class Life extends World {
  /** @type {import('./linearizable.rules.mjs').Op[]} */
  ops = [];
  waiting = 0;

  /** @param {import('./plan.mjs').Plan} plan @param {import('../store.mjs').Store} store @param {{ isTraced?: boolean }} [options] */
  constructor(plan, store, { isTraced = false } = {}) {
    super(plan, store, { isTraced, endsWithinMs: ENDS_WITHIN_MS });
    this.plan = plan;
    /** @type {Network<ServiceProcess>} */
    this.network = new Network(this);
    const { time } = this;
    const random = randomOf(plan.seed, plan.life, 'gateway');
    this.gateway = {
      name: 'gateway',
      schema: '',
      isAlive: true,
      stalledUntil: 0,
      dateOffset: 0,
      random,
      time,
    };
    const client = {
      request: (
        /** @type {string} */ service,
        /** @type {any} */ { path, body },
        /** @type {any} */ schema,
      ) =>
        this.network
          .call(this.gateway, service, (owner) => owner.answer(path.split('/').at(-1), body))
          .then((got) => schema.parse(got)),
    };
    this.register = new IdempotencyRegister(/** @type {any} */ (client));
  }

  /** @override @param {string} name @param {import('../random.mjs').Random} random */
  makeProcess(name, random) {
    return new ServiceProcess(name, SCHEMAS[name.charAt(0)] ?? '', this.time, random);
  }

  /** @override @param {ServiceProcess} owner */
  gone(owner) {
    this.network.gone(owner);
    for (const op of this.ops) if (op.owner === owner.name && op.end === undefined) op.end = this.time.now;
  }

  /** @override @param {import('./plan.mjs').Step} step */
  does(step) {
    if (step.kind === 'ask') {
      this.waiting++;
      return this.ask(step.asked, MAX_TRIES);
    }
    if (step.kind !== 'prune') return super.does(step);
    const owner = this.processes.get(this.present.get(step.worker) ?? '');
    if (owner?.isReady) owner.run(() => owner.prune())?.catch(() => undefined);
  }

  /** @override */
  async hasEnded() {
    return (
      this.waiting === 0 && this.time.now >= this.mayRestAt && this.ops.every(({ end }) => end !== undefined)
    );
  }

  /** @param {import('./plan.mjs').Asked} asked @param {number} tries */
  ask(asked, tries) {
    /** @type {import('./linearizable.rules.mjs').Op} */
    const op = {
      name: `${asked.name}.${MAX_TRIES - tries + 1}`,
      key: asked.key,
      request: `${asked.operation} ${asked.body}`,
      isSecret: asked.operation === 'api-keys.create',
      from: this.time.now,
      to: Infinity,
      end: undefined,
      owner: '',
      value: undefined,
      hasEffect: false,
      answer: 'none',
      got: undefined,
    };
    this.ops.push(op);
    const again = () => {
      if (tries > 1) this.time.after(this.random.between(300, 4_000), () => this.ask(asked, tries - 1));
      else this.waiting--;
    };
    runIn(this.gateway, () => this.through(op, asked, tries)).then(
      (response) => {
        op.to = this.time.now;
        op.end ??= op.owner === '' ? this.time.now : undefined;
        this.read(op, response);
        this.say(`${op.name}: ${response.status} ${op.answer}${op.got === undefined ? '' : ` ${op.got}`}`);
        if (['made', 'replayed', 'mismatch'].includes(op.answer)) this.waiting--;
        else again();
      },
      (error) => {
        op.to = this.time.now;
        op.end ??= op.owner === '' ? this.time.now : undefined;
        if (error instanceof ApiError && error.status === 422) op.answer = 'mismatch';
        this.say(`${op.name}: ${op.answer === 'mismatch' ? 'mismatch' : `no answer (${error.message})`}`);
        if (op.answer === 'mismatch') this.waiting--;
        else again();
      },
    );
  }

  /** @param {import('./linearizable.rules.mjs').Op} op @param {import('./plan.mjs').Asked} asked @param {number} tries left */
  through(op, asked, tries) {
    const directory = {
      findLocal: (/** @type {string} */ service) => ({
        inject: (/** @type {any} */ request) =>
          this.network.call(this.gateway, service, (owner) =>
            this.serve(owner, op, { asked, tries }, request),
          ),
      }),
    };
    const calls = Reflect.construct(OperationCalls, [
      directory,
      { mint: () => '' },
      this.register,
      { begin: async () => undefined },
    ]);
    return calls.call(
      { request: { headers: {} }, requestId: op.name, clientIp: '', span: undefined },
      {
        operation: asked.operation,
        params: {},
        query: {},
        body: Buffer.from(JSON.stringify(asked.body)),
        idempotency: { key: asked.key, digest: '' },
      },
      PRINCIPAL,
    );
  }

  /**
   * @param {ServiceProcess} owner @param {import('./linearizable.rules.mjs').Op} op
   * @param {{ asked: import('./plan.mjs').Asked, tries: number }} client @param {any} received
   */
  async serve(owner, op, { asked, tries }, received) {
    op.owner = owner.name;
    op.end = undefined;
    const { method, path, headers, raw } = received;
    const request = { method, url: path, headers, body: raw.bytes, raw: {}, params: {} };
    const response = await owner.handle(request, asked.operation, PRINCIPAL, async (process, remember) => {
      const run = `${op.name}/${owner.name}`;
      op.value = run;
      const isBad = tries > MAX_TRIES - BAD_RUNS;
      op.ends = asked.ends === 'broken' && !isBad ? 'made' : asked.ends;
      await new Promise((resolve) => setTimeout(resolve, isBad ? asked.runMs : Math.min(asked.runMs, 1_000)));
      if (op.ends === 'refused') throw notFound(run);
      if (op.ends === 'broken') throw new Error('it is broken');
      return process.dataSource?.transaction(async (tx) => {
        await tx.query('insert into effects (run) values ($1)', [run]);
        const made = apiResponse(201, { message: run }, { secret: op.isSecret });
        await remember(tx, made);
        return made;
      });
    });
    // of a process that ended in the meantime nothing arrives
    if (owner.isAlive) op.end = this.time.now;
    return { status: response.status, headers: response.headers ?? {}, bytes: response.bytes };
  }

  /** @param {import('./linearizable.rules.mjs').Op} op @param {any} response */
  read(op, { status, headers, bytes }) {
    if (status === 409) op.answer = op.value === undefined ? 'busy' : 'none';
    else if (status === 422) op.answer = 'mismatch';
    else if (status === 201 || status === 404) {
      op.answer = headers['idempotent-replayed'] === 'true' ? 'replayed' : 'made';
      op.got = JSON.parse(bytes.toString()).message;
    }
  }

  async history() {
    const happened = await this.run();
    const rows = await Promise.all(
      Object.values(SCHEMAS).map((schema) =>
        this.store.control.query(`select run, at from ${schema}.effects`).then(({ rows }) => rows),
      ),
    );
    const effects = new Map(rows.flat().map(({ run, at }) => [run, at.getTime()]));
    for (const op of this.ops) {
      op.effectAt = effects.get(op.value);
      op.hasEffect = op.effectAt !== undefined;
      op.end ??= this.time.now;
    }
    return { ...happened, plan: this.plan, ops: this.ops, effects: effects.size, times: TIMES };
  }
}
