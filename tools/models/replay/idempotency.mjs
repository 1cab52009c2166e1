// @ts-check
// The actions of models/idempotency.qnt as calls of the service host's own code, and the state of its table in the words of the
// model. An effect is a row that names its run.
import { IDEMPOTENCY_MIGRATIONS } from '../../../libs/service-host/dist/idempotency/idempotency.migrations.js';
import { Idempotency } from '../../../libs/service-host/dist/idempotency/idempotency.js';
import { RunOvertaken } from '../../../libs/service-host/dist/idempotency/stored-responses.js';
import { markIsGone, SessionMark } from '../../../libs/database/dist/index.js';
import { createLogger } from '../../../libs/observability/dist/index.js';
import { Actor } from './actor.mjs';

const LEASE_S = 60;
// so long that only the action ends it
const REPLAY_S = 30 * 86_400;
const SETTINGS = {
  idempotencyLeaseSeconds: LEASE_S,
  idempotencyTtlSeconds: REPLAY_S,
  idempotencySecretTtlSeconds: REPLAY_S,
  secretKeys: ['a-key-of-the-models-that-is-long-enough'],
};
const LOGGER = createLogger(/** @type {any} */ ({ logLevel: 'silent' }), 'models');
const ACCOUNT = '01989f3e-5b7a-7c11-8000-00000000000a';
const KEY = { accountId: /** @type {any} */ (ACCOUNT), key: 'one', mode: /** @type {const} */ ('standard') };
const GONE = 9;
const MARK_ENDS_MS = 10_000;

export const DATABASES = [
  {
    schema: 'messages',
    migrations: IDEMPOTENCY_MIGRATIONS,
    more: 'create table effects (run int not null)',
    tables: ['idempotency', 'effects'],
    vacuumed: ['idempotency'],
  },
];

/** @typedef {{ actor: Actor, idempotency: Idempotency, mark: SessionMark, number: number, run: any }} Worker */

export class IdempotencyReplay {
  /** @type {Map<number, Worker>} */
  workers = new Map();
  /** runs by their token, numbered as in the model @type {Map<string, number>} */
  tokens = new Map();
  /** workers by the number of their mark @type {Map<number, number>} */
  marks = new Map();
  claims = 0;
  effects = 0;
  before = 0;
  answer = { kind: 'none', token: 0 };

  /** @param {import('./actor.mjs').Ground} ground */
  constructor(ground) {
    this.ground = ground;
    this.source = ground.sourceOf('messages');
    const { host, port, user, password, database } = /** @type {any} */ (ground.control);
    this.url = `postgresql://${user}:${password}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
  }

  async begin() {
    for (const w of [1, 2, 3]) await this.start(w);
  }

  async end() {
    for (const { mark } of this.workers.values()) await mark.stop();
  }

  /** A new process. @param {number} w */
  async start(w) {
    const actor = new Actor(`m${w}`, 'messages', this.ground.time);
    /** @type {Worker} */
    const worker = {
      actor,
      idempotency: /** @type {any} */ (undefined),
      ...(await this.marked(w)),
      run: undefined,
    };
    worker.idempotency = new Idempotency(this.source, SETTINGS, { current: () => worker.mark.current() });
    this.workers.set(w, worker);
  }

  /** @param {number} w */
  async marked(w) {
    const mark = new SessionMark({ url: this.url, applicationName: 'models', logger: LOGGER });
    const number = await mark.current();
    if (number === null) throw new Error('no session for a mark');
    this.marks.set(number, w);
    return { mark, number };
  }

  /** The session of a mark ends, and the server knows it. @param {Worker} worker */
  async unmark({ mark, number }) {
    await mark.stop();
    const until = performance.now() + MARK_ENDS_MS;
    while (!(await this.isGone(number)))
      if (performance.now() > until) throw new Error('a mark does not end');
    this.marks.set(number, GONE);
  }

  /** @param {number} number @returns {Promise<boolean>} */
  async isGone(number) {
    const { rows } = await this.ground.control.query(`select ${markIsGone('$1::int')} as yes`, [number]);
    return rows[0].yes;
  }

  /** @param {string} action @param {{ w: number, body: number }} picks */
  async act(action, { w, body }) {
    const perform = this.actions[action];
    if (perform === undefined) throw new Error(`no call for the action ${action}`);
    this.answer = { kind: 'none', token: 0 };
    const worker = w === undefined ? undefined : this.workers.get(w);
    await perform(/** @type {Worker} */ (worker), body, w);
  }

  /** @type {Record<string, (worker: Worker, body: number, w: number) => Promise<unknown>>} */
  actions = {
    claim: async (worker, body) => {
      worker.run = await this.claimed(worker, body);
    },
    claimUnanswered: (worker, body) => this.claimed(worker, body),
    ask: async (worker, body) => {
      const got = await this.ask(worker, body);
      const kinds = /** @type {Record<string, string>} */ ({
        'in-progress': 'busy',
        mismatch: 'mismatch',
        replay: 'replay',
      });
      const token = got.kind === 'replay' ? JSON.parse(got.body.toString()).run : 0;
      this.answer = { kind: kinds[got.kind] ?? got.kind, token };
    },
    commit: async (worker) => {
      if (await this.committed(worker)) worker.run = undefined;
    },
    commitUnanswered: (worker) => this.committed(worker),
    refuse: async (worker) => {
      await this.in(worker, ({ idempotency, run }) =>
        idempotency.completeAlone(run, this.responseOf(run, 404)),
      );
      worker.run = undefined;
    },
    break: async () => undefined,
    release: async (worker) => {
      await this.in(worker, ({ idempotency, run }) => idempotency.release(run));
      worker.run = undefined;
    },
    crash: async (worker, _body, w) => {
      await this.unmark(worker);
      await this.start(w);
    },
    loseMark: async (worker, _body, w) => {
      await this.unmark(worker);
      Object.assign(worker, await this.marked(w));
    },
    leaseRunsOut: () => this.ground.pass((LEASE_S + 1) * 1_000),
    replayEnds: () => this.ground.pass((REPLAY_S + 1) * 1_000),
  };

  /** @template T @param {Worker} worker @param {(worker: Worker) => Promise<T>} work */
  in(worker, work) {
    return worker.actor.run(() => work(worker));
  }

  /** @param {Worker} worker @param {number} body @returns {Promise<any>} */
  ask(worker, body) {
    return this.in(worker, ({ idempotency }) =>
      idempotency.claim({ ...KEY, fingerprint: Buffer.from([body]) }),
    );
  }

  /** @param {Worker} worker @param {number} body */
  async claimed(worker, body) {
    const got = await this.ask(worker, body);
    if (got.kind !== 'run') throw new Error(`the key is not given: ${got.kind}`);
    this.tokens.set(got.run.token, ++this.claims);
    return got.run;
  }

  /** @param {any} run @param {number} status */
  responseOf(run, status) {
    const body = Buffer.from(JSON.stringify({ run: this.tokens.get(run.token) }));
    return { status, body, contentType: 'application/json' };
  }

  /** @param {Worker} worker @returns {Promise<boolean>} */
  committed(worker) {
    return this.in(worker, async ({ idempotency, run }) => {
      try {
        await this.source.transaction(async (tx) => {
          await tx.query('insert into effects (run) values ($1)', [this.tokens.get(run.token)]);
          await idempotency.complete(tx, run, this.responseOf(run, 201));
        });
        return true;
      } catch (error) {
        if (error instanceof RunOvertaken) return false;
        throw error;
      }
    });
  }

  /** The content of the database, in the words of the model. */
  async state() {
    const { rows } = await this.ground.control.query(
      `select token, holder, fingerprint, status, expires_at <= clock_timestamp() as over from messages.idempotency`,
    );
    const { rows: made } = await this.ground.control.query(
      'select count(*)::int as count from messages.effects',
    );
    const [row] = rows;
    return {
      key: row && {
        state: row.status === null ? 'open' : 'done',
        token: this.tokens.get(row.token),
        holder: row.holder === null ? 0 : this.marks.get(row.holder),
        body: row.fingerprint[0],
        isOver: row.over,
      },
      answer: this.answer,
      effects: made[0].count,
    };
  }

  /** The same by the model. @param {any} state */
  expected({ key, answer, effects }) {
    // of all lives of the key
    this.effects += Math.max(0, effects - this.before);
    this.before = effects;
    return { key: key.state === 'free' ? undefined : key, answer, effects: this.effects };
  }
}
