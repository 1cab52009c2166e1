// @ts-check
// One dispatcher of a world: the classes of the service as they are, with a caller of ours.
import { DatabaseClock } from '../../../libs/database/dist/index.js';
import { attachOutbox, Outbox } from '../../../libs/events/dist/index.js';
import { appendEvents } from '../../../libs/events/dist/log/event-log.js';
import { createLogger, Metrics } from '../../../libs/observability/dist/index.js';
import { SecretBox } from '../../../libs/secrets/dist/index.js';
import { CallPreparation } from '../../../services/webhook-dispatcher/dist/attempt/call-preparation.js';
import { EndpointTargets } from '../../../services/webhook-dispatcher/dist/attempt/endpoint-targets.js';
import { WebhookAttempt } from '../../../services/webhook-dispatcher/dist/attempt/webhook-attempt.js';
import { DeliveryBacklog } from '../../../services/webhook-dispatcher/dist/backlog/delivery-backlog.js';
import { SetAsideDeliveries } from '../../../services/webhook-dispatcher/dist/backlog/set-aside-deliveries.js';
import { EndpointRooms } from '../../../services/webhook-dispatcher/dist/endpoints/endpoint-rooms.js';
import { EndpointStates } from '../../../services/webhook-dispatcher/dist/endpoints/endpoint-states.js';
import { OnWebhookDeliveryRequested } from '../../../services/webhook-dispatcher/dist/intake/on-webhook-delivery-requested.consumer.js';
import { OnWebhookRecoveryRequested } from '../../../services/webhook-dispatcher/dist/intake/on-webhook-recovery-requested.consumer.js';
import { OnWebhookStopped } from '../../../services/webhook-dispatcher/dist/intake/on-webhook-stopped.consumer.js';
import { WebhookQueue } from '../../../services/webhook-dispatcher/dist/queue/webhook-queue.js';
import { AttemptRecorder } from '../../../services/webhook-dispatcher/dist/record/attempt-recorder.js';
import { EndedDeliveries } from '../../../services/webhook-dispatcher/dist/record/ended-deliveries.js';
import { ReplayDeliveries } from '../../../services/webhook-dispatcher/dist/replay/replay-deliveries.js';
import { Replays } from '../../../services/webhook-dispatcher/dist/replay/replays.js';
import {
  WebhookDeliveryRequested,
  WebhookRecoveryRequested,
  WebhookStopped,
} from '../../../services/webhooks/contract/dist/index.js';
import { consumptionOf } from '../bus.mjs';
import { openSource } from '../data-source.mjs';
import { SimulatedProcess } from '../process.mjs';
import { settingsOf } from './webhooks-process.mjs';

const LOGGER = createLogger(/** @type {any} */ ({ logLevel: 'silent' }), 'simulate');
const TRACER = { follow: () => undefined };

/** Nest gives the parts of a class by their types. @template T @param {new (...parts: any[]) => T} made @param {...any} parts @returns {T} */
const build = (made, ...parts) => Reflect.construct(made, parts);

export class DispatcherProcess extends SimulatedProcess {
  /** @type {import('../../../libs/events/dist/consumption/event-consumption.js').EventConsumption | undefined} */
  consumption = undefined;

  /** @param {string} name @param {import('../random.mjs').Random} random @param {import('./life.mjs').Life} life */
  constructor(name, random, life) {
    super(name, 'webhook_dispatcher', life.time, random);
    this.life = life;
  }

  /** Its start, as the modules of the service put the parts together. */
  async start() {
    const settings = settingsOf(this.life.plan.isNarrow);
    const { bus, http, network } = this.life;
    const dataSource = await openSource(this.schema);
    attachOutbox(dataSource, {
      write: (query, events) => appendEvents(query, this.schema, events, false),
      committed: () => bus.announce(),
    });
    const metrics = new Metrics({ defaults: false });
    const clock = new DatabaseClock();
    const ended = new EndedDeliveries(settings);
    const states = build(EndpointStates, dataSource, clock, settings, LOGGER);
    const targets = build(EndpointTargets, {
      request: async (/** @type {string} */ schema, /** @type {any} */ { body }, /** @type {any} */ shape) =>
        shape.parse(await network.call(this, schema, (owner) => /** @type {any} */ (owner).targetsOf(body))),
    });
    const secrets = new SecretBox(settings.secretKeys);
    const preparation = build(CallPreparation, targets, undefined, secrets, LOGGER);
    const attempt = build(
      WebhookAttempt,
      ...[preparation, http.callerOf(this), clock, settings, LOGGER, TRACER, metrics],
    );
    const recorder = build(AttemptRecorder, new Outbox(), ended, states, clock, LOGGER, metrics);
    const rooms = build(EndpointRooms, states, settings);
    const queue = build(WebhookQueue, dataSource, attempt, recorder, rooms, settings, LOGGER, metrics);
    const deliveries = build(ReplayDeliveries, dataSource, queue);
    const replays = build(Replays, dataSource, deliveries, targets, states, queue, LOGGER);
    const backlog = build(DeliveryBacklog, dataSource, settings, LOGGER, metrics);
    const aside = build(SetAsideDeliveries, dataSource, backlog, deliveries, ended, metrics);
    this.replays = replays;
    this.consumption = consumptionOf('webhook-dispatcher', dataSource, [
      [
        WebhookDeliveryRequested,
        'webhook-dispatcher.intake',
        build(OnWebhookDeliveryRequested, queue, aside, ended),
      ],
      [
        WebhookStopped,
        'webhook-dispatcher.stop',
        build(OnWebhookStopped, ended, aside, states, replays, LOGGER),
      ],
      [WebhookRecoveryRequested, 'webhook-dispatcher.recover', build(OnWebhookRecoveryRequested, replays)],
    ]);
    aside.onApplicationBootstrap();
    await Promise.all([
      states.onApplicationBootstrap(),
      backlog.onApplicationBootstrap(),
      queue.onApplicationBootstrap(),
    ]);
    replays.onApplicationBootstrap();
    this.ends = async () => {
      await queue.beforeApplicationShutdown();
      await Promise.all([states, backlog, replays].map((one) => one.onModuleDestroy()));
    };
  }

  /** By an operator: all events of an endpoint are called again. @param {string} endpointId @param {string} since */
  async replay(endpointId, since) {
    await this.replays?.start({ endpoint_id: endpointId, kind: 'all', since: new Date(since) });
  }

  /** SIGTERM. */
  async stop() {
    this.isStopping = true;
    await this.ends?.();
  }
}
