// @ts-check
// The actions of models/leases.qnt as calls of the delivery worker's own code, and the state of its database in the words of the
// model. Time passes only within an action, and workers that reach the database beat meanwhile.
import { DatabaseClock } from '../../../libs/database/dist/index.js';
import { attachOutbox, Outbox } from '../../../libs/events/dist/index.js';
import { appendEvents } from '../../../libs/events/dist/log/event-log.js';
import { createLogger, Metrics } from '../../../libs/observability/dist/index.js';
import { loadSettings } from '../../../libs/settings/dist/index.js';
import { LeasedRows } from '../../../libs/work/dist/leased-queue/leased-rows.js';
import { constantRooms } from '../../../libs/work/dist/leased-queue/leased-table.js';
import { Places } from '../../../libs/work/dist/leased-queue/places.js';
import { Turns } from '../../../libs/work/dist/leased-queue/turns.js';
import { WorkerLease } from '../../../libs/work/dist/leased-queue/worker-lease.js';
import { AttemptLog } from '../../../services/delivery-worker/dist/attempt/attempt-log.js';
import { DeliveryAttempt } from '../../../services/delivery-worker/dist/attempt/delivery-attempt.js';
import { DELIVERIES, writeFacts } from '../../../services/delivery-worker/dist/queue/deliveries.table.js';
import { AttemptRecorder } from '../../../services/delivery-worker/dist/record/attempt-recorder.js';
import { OUTCOMES } from '../../simulate/deliveries/mail-world.mjs';
import { SUBJECT } from '../../simulate/deliveries/subject.mjs';
import { useProcesses } from '../../simulate/simulated-system.mjs';
import { Actor } from './actor.mjs';

/** @typedef {import('./actor.mjs').Ground} Ground */

export const DATABASES = SUBJECT.databases;

const LEASE_S = 60;
const SETTINGS = { ...loadSettings({}), retryDelaysSeconds: Array.from({ length: 30 }, () => '1') };
const LOGGER = createLogger(/** @type {any} */ ({ logLevel: 'silent' }), 'models');
const BEAT_MS = 2_000;
// a silent process is asked for after four seconds, and leases of others run out ten seconds after a late heartbeat
const NOTICED_MS = 12_000;
const GONE = 9;
const ID = '01980f3e-5b7a-7c11-8000-000000000001';
const ACCOUNT = '01989f3e-5b7a-7c11-8000-00000000000a';
const FACTS = {
  ...{
    domainId: ID,
    domain: 'shop.test',
    sender: 'news@shop.test',
    subject: 'News',
    messageIdHeader: '<1@shop.test>',
  },
  ...{ contentId: ID, size: 1, returnPathHost: 'bounces.shop.test', sandbox: null, recipients: 1 },
};

/** @typedef {ReturnType<LeasesReplay['workerOf']>} Worker */

export class LeasesReplay {
  /** @type {Map<number, Worker>} */
  workers = new Map();
  /** all processes that there were, by name @type {Map<string, Actor>} */
  processes = new Map();
  /** the ids by which rows name workers, and their numbers in the model @type {Map<string, number>} */
  numbers = new Map();
  copies = 0;

  /** @param {Ground} ground */
  constructor(ground) {
    this.ground = ground;
    this.source = ground.sourceOf('delivery_worker');
    this.outbox = new Outbox();
  }

  /** Once, before all traces. @param {Ground} ground */
  static prepare(ground) {
    attachOutbox(ground.sourceOf('delivery_worker'), {
      write: (query, events) => appendEvents(query, 'delivery_worker', events, false),
      committed: () => undefined,
    });
  }

  async begin() {
    useProcesses(this.processes);
    for (const number of [1, 2, 3]) await this.start(number);
    const row = {
      ...{
        id: ID,
        accountId: ACCOUNT,
        key: 'm:mail.test',
        dueAt: new Date(this.ground.time.now),
        reason: 'it is new',
      },
      columns: {
        ...{
          destination: 'mail.test',
          send_request_id: ID,
          recipient: 'ann@mail.test',
          facts: writeFacts(FACTS),
        },
        ...{ domain: 'shop.test', pinned: false },
      },
    };
    const none = { worker: ID, leaseSeconds: LEASE_S, ids: new Set() };
    await this.at(1, ({ rows }) => this.source.transaction((tx) => rows.insert(tx, [row], none)));
  }

  /** A new process. @param {number} number */
  async start(number) {
    const actor = new Actor(`w${number}.${this.processes.size}`, 'delivery_worker', this.ground.time);
    this.processes.set(actor.name, actor);
    const worker = actor.enter(() => this.workerOf(actor));
    this.workers.set(number, worker);
    this.numbers.set(worker.lease.id, number);
    await actor.run(() => worker.lease.heartbeat());
  }

  /** @param {Actor} actor */
  workerOf(actor) {
    const rows = new LeasedRows(this.source, DELIVERIES);
    const clock = new DatabaseClock();
    const log = new AttemptLog(
      LOGGER,
      /** @type {any} */ ({ follow: () => undefined }),
      new Metrics({ defaults: false }),
    );
    const recorder = new AttemptRecorder(this.outbox, log);
    /** @type {{ answer: (outcome: any) => void }} */
    const server = { answer: () => undefined };
    const transport = {
      send: () => new Promise((resolve) => (server.answer = resolve)),
      stop: async () => undefined,
    };
    const messages = { prepare: async () => ({ chunks: [], size: 1, eightBit: false, smtpUtf8: false }) };
    const parts = [
      messages,
      { isLarge: () => false },
      log,
      { find: async () => undefined },
      clock,
      transport,
      SETTINGS,
    ];
    const attempt = /** @type {DeliveryAttempt} */ (Reflect.construct(DeliveryAttempt, parts));
    /** @type {{ item: any, since: number } | undefined} */
    let held;
    const lease = new WorkerLease(this.source, rows, LOGGER, {
      leaseSeconds: LEASE_S,
      clock,
      inFlight: () => (held === undefined ? [] : [{ id: held.item.id, since: held.since }]),
      onAbandoned: (manager, items) => recorder.recordAbandoned(manager, /** @type {any} */ (items)),
      onSetAside: (manager, items) => recorder.recordSetAside(manager, /** @type {any} */ (items)),
      onFreed: () => undefined,
    });
    return {
      ...{ actor, rows, recorder, attempt, server, lease, reaches: true },
      /** of the attempt that has begun @type {Promise<any> | undefined} */
      made: undefined,
      get item() {
        return held?.item;
      },
      hold: (/** @type {any} */ item) => {
        held = item && { item, since: performance.now() };
      },
    };
  }

  /** @template T @param {number} number @param {(worker: Worker) => Promise<T>} work @returns {Promise<T>} */
  at(number, work) {
    const worker = /** @type {Worker} */ (this.workers.get(number));
    return worker.actor.run(() => work(worker));
  }

  /** Workers that reach the database beat, and renew what they have. @param {number} ms */
  async pass(ms) {
    for (let left = ms; left > 0; left -= BEAT_MS) {
      await this.ground.pass(Math.min(left, BEAT_MS));
      for (const worker of this.workers.values())
        if (worker.reaches) await worker.actor.run(() => beat(worker));
    }
  }

  /** @param {string} action @param {{ w: number }} picks */
  async act(action, { w }) {
    const perform = this.actions[action];
    if (perform === undefined) throw new Error(`no call for the action ${action}`);
    await perform(w);
  }

  /** @type {Record<string, (w: number) => Promise<unknown>>} */
  actions = {
    claim: (w) =>
      this.at(w, async (worker) => {
        const [item] = await this.claimed(worker);
        if (item === undefined) throw new Error('nothing was claimed');
        worker.hold(item);
      }),
    claimUnanswered: (w) => this.at(w, (worker) => this.claimed(worker)),
    giveBack: (w) =>
      this.at(w, ({ rows, lease, item }) => rows.giveBack(lease.id, item === undefined ? [] : [item.id])),
    stop: async (w) => {
      await this.at(w, async ({ rows, lease, item, made }) => {
        await rows.giveBack(lease.id, made === undefined ? [] : [item.id]);
        await lease.leave();
      });
      await this.start(w);
    },
    begin: (w) =>
      this.at(w, async (worker) => {
        worker.made = worker.attempt.make(worker.item);
        // until its message is with the server
        while (!worker.attempt.hasBegun(worker.item.id)) await Promise.resolve();
      }),
    arrive: async () => this.copies++,
    learnTaken: (w) => this.learn(w, OUTCOMES.accepted),
    learnDeferred: (w) => this.learn(w, OUTCOMES.deferred),
    learnNothing: (w) => this.learn(w, OUTCOMES['cut-after']),
    record: (w) =>
      this.at(w, async (worker) => {
        const own = await this.recorded(worker);
        if (!own && (await worker.rows.isHeldByOthers(worker.item)))
          throw new Error('it would wait for another worker');
        forget(worker);
      }),
    recordUnanswered: (w) => this.at(w, (worker) => this.recorded(worker)),
    giveUp: (w) =>
      this.at(w, async (worker) => {
        if (!(await worker.rows.isHeldByOthers(worker.item))) throw new Error('no other worker has it');
        forget(worker);
      }),
    crash: async (w) => {
      const { actor, lease } = /** @type {Worker} */ (this.workers.get(w));
      actor.isAlive = false;
      this.numbers.set(lease.id, GONE);
      await this.start(w);
    },
    cut: (w) =>
      this.at(w, async (worker) => {
        worker.reaches = false;
      }),
    mend: (w) =>
      this.at(w, async (worker) => {
        worker.reaches = true;
        await beat(worker);
      }),
    leaseRunsOut: () => this.pass((LEASE_S + 1) * 1_000),
    free: async (w) => {
      await this.pass(NOTICED_MS);
      await this.at(w, ({ lease }) => lease.freeAbandoned());
    },
  };

  /** @param {Worker} worker @returns {Promise<any[]>} */
  async claimed({ rows, lease }) {
    const { rows: waiting } = await this.ground.control.query(
      `select extract(epoch from due_at - now())::float8 * 1000 as ms from delivery_worker.deliveries where state = 'waiting'`,
    );
    if (waiting[0]?.ms > 0) await this.pass(waiting[0].ms + 1);
    await rows.sweep();
    const [turns, places] = [new Turns(), new Places(4, constantRooms(4))];
    const bounds = places.bounds(4, turns.freshGroups(0), turns.cursorGroups());
    return (await rows.claim({ worker: lease.id, leaseSeconds: LEASE_S, bounds, turns, mostGroups: 20 }))
      .items;
  }

  /** @param {number} w @param {any} outcome */
  learn(w, outcome) {
    return this.at(w, async (worker) => {
      worker.server.answer(outcome);
      await worker.made;
    });
  }

  /** @param {Worker} worker @returns {Promise<boolean>} */
  async recorded({ recorder, rows, lease, made }) {
    const attempt = await made;
    const [own] = await this.source.transaction((tx) =>
      recorder.record(tx, [attempt], (endings) => rows.settle(tx, lease.id, endings)),
    );
    return own === true;
  }

  /** The content of the database, in the words of the model. */
  async state() {
    const { rows } = await this.ground.control.query(
      `select state, lease_owner, lease_token::int as token, attempts, coalesce(leased_until < now(), false) as over
       from delivery_worker.deliveries`,
    );
    const { rows: log } = await this.ground.control.query('select envelope from delivery_worker.log');
    const events = log.map(({ envelope }) => JSON.parse(envelope).data);
    const [row] = rows;
    return {
      row: row && {
        state: row.state === 'waiting' ? 'ready' : row.state,
        owner: row.lease_owner === null ? 0 : this.numbers.get(row.lease_owner),
        token: row.token,
        attempts: row.attempts,
        isOver: row.over,
      },
      copies: this.copies,
      finals: events.filter(({ outcome }) => outcome === 'delivered').length,
      unknowns: events.filter(({ uncertain }) => uncertain).length,
    };
  }

  /** The same by the model. @param {any} state */
  expected({ row, copies, finals, unknowns }) {
    return { row: row.state === 'ended' ? undefined : row, copies, finals, unknowns };
  }
}

/** @param {Worker} worker */
async function beat({ lease }) {
  await lease.heartbeat();
  // of each heartbeat, without what it frees: that is an action
  await /** @type {any} */ (lease).renew();
}

/** @param {Worker} worker */
function forget(worker) {
  worker.hold(undefined);
  worker.made = undefined;
}
