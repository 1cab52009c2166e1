// @ts-check
// One delivery worker of a world: the classes of the service as they are, with a transport, messages and limits of ours.
import { DatabaseClock } from '../../../libs/database/dist/index.js';
import { attachOutbox, Inbox, Outbox } from '../../../libs/events/dist/index.js';
import { appendEvents } from '../../../libs/events/dist/log/event-log.js';
import { createLogger, Metrics } from '../../../libs/observability/dist/index.js';
import { loadSettings } from '../../../libs/settings/dist/index.js';
import { AccountStates } from '../../../services/delivery-worker/dist/account-states/account-states.js';
import { SuspendDeliveries } from '../../../services/delivery-worker/dist/account-changes/suspend-deliveries.js';
import { AttemptLog } from '../../../services/delivery-worker/dist/attempt/attempt-log.js';
import { DeliveryAttempt } from '../../../services/delivery-worker/dist/attempt/delivery-attempt.js';
import { CancelDeliveries } from '../../../services/delivery-worker/dist/cancel/cancel-deliveries.js';
import { OnMessageAccepted } from '../../../services/delivery-worker/dist/intake/on-message-accepted.consumer.js';
import { DeliveryQueue } from '../../../services/delivery-worker/dist/queue/delivery-queue.js';
import { AttemptRecorder } from '../../../services/delivery-worker/dist/record/attempt-recorder.js';
import { BudgetRows } from '../../../services/delivery-worker/dist/warm-up/budget-rows.js';
import { Budgets } from '../../../services/delivery-worker/dist/warm-up/budgets.js';
import { PLACES, TIMES } from './limits.table.mjs';
import { openSource } from '../data-source.mjs';
import { SimulatedProcess } from '../process.mjs';

const SETTINGS = {
  ...loadSettings({}),
  retryDelaysSeconds: TIMES.retries.map(String),
  deliveryWindowSeconds: TIMES.windowSeconds,
  deliveryLeaseSeconds: TIMES.leaseSeconds,
  deliveryConcurrency: PLACES.worker,
};
const LOGGER = createLogger(/** @type {any} */ ({ logLevel: 'silent' }), 'simulate');
const TRACER = { follow: () => undefined };
const MESSAGES = {
  prepare: async () => ({ chunks: [], size: 1, eightBit: false, smtpUtf8: false }),
};
const FOLLOW_MS = 10_000;
export const NEW_SOURCE = 'new';
const WARM = { source: 'warm', met: async () => undefined };

export class WorkerProcess extends SimulatedProcess {
  /** @type {import('typeorm').DataSource | undefined} */
  dataSource = undefined;
  /** @type {any} */
  queue = undefined;
  /** @type {Budgets | undefined} */
  budgets = undefined;

  /**
   * @param {string} name @param {import('../virtual-time.mjs').Timeline} time
   * @param {import('../random.mjs').Random} random @param {import('./mail-world.mjs').MailWorld} mail
   * @param {{ machine: string, hasBudget: boolean }} place
   */
  constructor(name, time, random, mail, { machine, hasBudget }) {
    super(name, 'delivery_worker', time, random);
    this.mail = mail;
    this.machine = machine;
    this.hasBudget = hasBudget;
  }

  /**
   * The source of a message: the new one as long as its budget lasts, as in a pool with a warm one behind it.
   * @param {any} delivery @returns {Promise<{ source: string, met: (outcome: any) => Promise<void> }>}
   */
  async takeWay({ key }) {
    const { budgets } = this;
    if (budgets === undefined) return WARM;
    const place = await budgets.take(NEW_SOURCE, key, false);
    if (place.kind === 'full') return WARM;
    return {
      source: NEW_SOURCE,
      met: async ({ kind }) => {
        if (kind === 'postponed') await budgets.giveBack(place).catch(() => undefined);
        else budgets.met(place.key, kind, false);
      },
    };
  }

  /** Its start, as `DeliveryWorkerModule` puts the parts together. */
  async start() {
    const transport = this.mail.transportOf(this);
    const dataSource = await openSource(this.schema);
    this.dataSource = dataSource;
    attachOutbox(dataSource, {
      write: (query, events) => appendEvents(query, 'delivery_worker', events, false),
      committed: () => undefined,
    });
    const metrics = new Metrics({ defaults: false });
    const log = new AttemptLog(LOGGER, /** @type {any} */ (TRACER), metrics);
    const clock = new DatabaseClock();
    if (this.hasBudget) this.budgets = new Budgets(new BudgetRows(dataSource), clock, LOGGER);
    const domains = { find: async () => undefined };
    const large = { isLarge: () => false };
    const attempt = /** @type {DeliveryAttempt} */ (
      Reflect.construct(DeliveryAttempt, [MESSAGES, large, log, domains, clock, transport, SETTINGS])
    );
    const recorder = new AttemptRecorder(new Outbox(), log);
    const limits = { others: PLACES.group, entries: () => [], of: () => PLACES.group };
    const facts = { learn: async () => undefined, limits };
    this.queue = Reflect.construct(DeliveryQueue, [
      dataSource,
      attempt,
      recorder,
      facts,
      SETTINGS,
      LOGGER,
      metrics,
    ]);
    this.states = new AccountStates();
    this.suspend = /** @type {SuspendDeliveries} */ (
      Reflect.construct(SuspendDeliveries, [dataSource, this.queue, SETTINGS, LOGGER])
    );
    this.cancels = new CancelDeliveries(dataSource);
    const groups = {
      keysOf: async (/** @type {any} */ _tx, /** @type {string[]} */ domainsOf) =>
        new Map(domainsOf.map((domain) => [domain, `m:${domain}`])),
      wanted: () => undefined,
    };
    this.intake = /** @type {OnMessageAccepted} */ (
      Reflect.construct(OnMessageAccepted, [this.states, groups, this.queue, clock, SETTINGS])
    );
    this.inbox = new Inbox();
    await this.queue.onApplicationBootstrap();
    this.follow();
  }

  /** The periodic task. */
  follow() {
    this.time.after(
      FOLLOW_MS,
      () =>
        this.run(() => {
          if (this.isStopping) return;
          this.suspend?.trigger();
          this.follow();
        }),
      this,
    );
  }

  /** A batch of the bus: the transaction of `EventConsumption`. @param {any} event */
  async take(event) {
    /** @type {(() => void)[]} */
    const after = [];
    await this.source.transaction(async (tx) => {
      const entry = {
        consumer: { name: 'delivery-worker.intake' },
        mayRepeat: true,
        eventId: event.id,
        event,
      };
      const fresh = await this.inboxOf.admitEntries(tx, [/** @type {any} */ (entry)]);
      const afterCommit = (/** @type {() => void} */ run) => after.push(run);
      if (fresh.length > 0) await this.intake?.handle([event], /** @type {any} */ ({ tx, afterCommit }));
    });
    for (const run of after) run();
  }

  /** A change of an account. @param {any} fact */
  async learn(fact) {
    await this.source.transaction((tx) => /** @type {AccountStates} */ (this.states).learn(tx, [fact]));
    this.suspend?.trigger();
  }

  /** @param {any[]} wanted @returns {Promise<string[]>} */
  cancel(wanted) {
    return /** @type {CancelDeliveries} */ (this.cancels).execute(wanted);
  }

  /** SIGTERM. */
  async stop() {
    this.isStopping = true;
    await this.suspend?.beforeApplicationShutdown();
    await this.queue.beforeApplicationShutdown();
    await this.budgets?.onModuleDestroy();
  }

  get source() {
    return /** @type {import('typeorm').DataSource} */ (this.dataSource);
  }
  get inboxOf() {
    return /** @type {Inbox} */ (this.inbox);
  }
}
