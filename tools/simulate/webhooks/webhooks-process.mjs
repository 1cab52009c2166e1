// @ts-check
// One process of the webhooks service of a world: endpoints, matching, pieces, counting, as they are.
import { attachOutbox, Outbox } from '../../../libs/events/dist/index.js';
import { appendEvents } from '../../../libs/events/dist/log/event-log.js';
import { createLogger, Metrics } from '../../../libs/observability/dist/index.js';
import { SecretBox } from '../../../libs/secrets/dist/index.js';
import { loadSettings } from '../../../libs/settings/dist/index.js';
import { MessageChanged } from '../../../services/messages/contract/dist/index.js';
import { WebhookDeliveryAttempted } from '../../../services/webhook-dispatcher/contract/dist/index.js';
import { OnWebhookDeliveryAttempted } from '../../../services/webhooks/dist/count-calls/on-webhook-delivery-attempted.consumer.js';
import { NO_DIALECT } from '../../../services/webhooks/dist/database/webhook.entity.js';
import { CreateEndpoint } from '../../../services/webhooks/dist/endpoints/create-endpoint.js';
import { DeleteEndpoint } from '../../../services/webhooks/dist/endpoints/delete-endpoint.js';
import { ENDPOINT_KINDS, WEBHOOK } from '../../../services/webhooks/dist/endpoints/endpoint-kinds.js';
import { EndpointTargetsController } from '../../../services/webhooks/dist/endpoints/endpoint-targets.controller.js';
import { Endpoints } from '../../../services/webhooks/dist/endpoints/endpoints.js';
import { UpdateEndpoint } from '../../../services/webhooks/dist/endpoints/update-endpoint.js';
import { RecoverEndpoint } from '../../../services/webhooks/dist/failing-endpoints/recover-endpoint.js';
import { FanOutTurns } from '../../../services/webhooks/dist/fan-outs/fan-out-turns.js';
import { FanOuts } from '../../../services/webhooks/dist/fan-outs/fan-outs.js';
import { IntakePressure } from '../../../services/webhooks/dist/fan-outs/intake-pressure.js';
import { UpdateWebhook } from '../../../services/webhooks/dist/manage-webhooks/update-webhook.js';
import { newWebhook } from '../../../services/webhooks/dist/manage-webhooks/webhook-change.rules.js';
import { EventMatcher } from '../../../services/webhooks/dist/match-events/event-matcher.js';
import { OnMessageChanged } from '../../../services/webhooks/dist/match-events/on-message-changed.consumer.js';
import { CallRequests } from '../../../services/webhooks/dist/request-calls/call-requests.js';
import { Listeners } from '../../../services/webhooks/dist/request-calls/listeners.js';
import { consumptionOf } from '../bus.mjs';
import { openSource } from '../data-source.mjs';
import { SimulatedProcess } from '../process.mjs';
import { LIMITS } from './limits.table.mjs';

const LOGGER = createLogger(/** @type {any} */ ({ logLevel: 'silent' }), 'simulate');
const HOUR_S = 3_600;

/** @param {boolean} isNarrow few deliveries of an account may be pending */
export const settingsOf = (isNarrow) => ({
  ...loadSettings({}),
  secretKeys: ['a-key-of-the-simulator-that-is-long-enough'],
  webhookRetries: LIMITS.retries,
  webhookRetryScale: LIMITS.scale,
  webhookTimeoutSeconds: LIMITS.timeoutSeconds,
  webhookDisableHours: LIMITS.disableSeconds / HOUR_S,
  ...(isNarrow ? { webhookPending: LIMITS.pending } : {}),
});

/** @param {string} account */
const principalOf = (account) =>
  /** @type {any} */ ({ account_id: account, scopes: ['webhooks:write:all', 'webhooks:delete:all'] });

export class WebhooksProcess extends SimulatedProcess {
  /** @type {import('../../../libs/events/dist/consumption/event-consumption.js').EventConsumption | undefined} */
  consumption = undefined;

  /** @param {string} name @param {import('../random.mjs').Random} random @param {import('./life.mjs').Life} life */
  constructor(name, random, life) {
    super(name, 'webhooks', life.time, random);
    this.life = life;
  }

  /** Its start, as the modules of the service put the parts together. */
  async start() {
    const settings = settingsOf(this.life.plan.isNarrow);
    const { bus } = this.life;
    const dataSource = await openSource(
      this.schema,
      ENDPOINT_KINDS.map(({ entity }) => entity),
    );
    attachOutbox(dataSource, {
      write: (query, events) => appendEvents(query, this.schema, events, false),
      committed: () => bus.announce(),
    });
    const metrics = new Metrics({ defaults: false });
    const secrets = new SecretBox(settings.secretKeys);
    const outbox = new Outbox();
    const endpoints = new Endpoints(dataSource, outbox);
    const build = (/** @type {any} */ made, /** @type {any[]} */ ...parts) => Reflect.construct(made, parts);
    this.creates = build(CreateEndpoint, dataSource, endpoints, secrets, settings);
    const update = build(UpdateEndpoint, dataSource, endpoints, outbox, secrets);
    this.updates = build(
      UpdateWebhook,
      { require: async () => undefined },
      { require: () => undefined },
      update,
    );
    this.deletes = build(DeleteEndpoint, dataSource, endpoints);
    this.recovers = build(RecoverEndpoint, dataSource, endpoints, outbox, settings);
    this.targets = build(EndpointTargetsController, dataSource, secrets);
    const listeners = build(Listeners, settings);
    const requests = build(CallRequests, outbox, metrics);
    const fanOuts = new FanOuts();
    const pressure = build(IntakePressure, { lag: async () => [] }, dataSource);
    const planned = { planned: () => undefined };
    this.turns = build(FanOutTurns, dataSource, fanOuts, listeners, requests, pressure, planned, LOGGER);
    const matcher = build(EventMatcher, listeners, requests, fanOuts, this.turns);
    this.consumption = consumptionOf('webhooks', dataSource, [
      [MessageChanged, 'webhooks.match-message-changes', build(OnMessageChanged, matcher)],
      [
        WebhookDeliveryAttempted,
        'webhooks.count-calls',
        build(OnWebhookDeliveryAttempted, outbox, settings, LOGGER),
      ],
    ]);
    this.turns.onApplicationBootstrap();
  }

  /** @param {any} body */
  targetsOf(body) {
    return this.targets.webhooks(body);
  }

  /**
   * @param {string} accountId @param {import('./plan.mjs').Endpoint} endpoint
   * @returns {Promise<string>} its id
   */
  async create(accountId, { name, changes, domain }) {
    const wanted = Object.fromEntries(changes.map((change) => [FLAGS[change], true]));
    const scope = domain === undefined ? { scope: 'global' } : { scope: 'scoped', domains: [domain] };
    const body = { name, url: `https://${name}.test/calls`, ...scope, ...wanted };
    const fields = { ...newWebhook(/** @type {any} */ (body)), ...NO_DIALECT };
    const made = await this.creates.execute(WEBHOOK, { accountId, fields }, async () => undefined);
    return made.endpoint.id;
  }

  /** @param {string} accountId @param {string} id @param {boolean} enabled */
  async enable(accountId, id, enabled) {
    await this.updates.execute({ principal: principalOf(accountId), id, input: { enabled } });
  }

  /** @param {string} accountId @param {string} id */
  async delete(accountId, id) {
    await this.deletes.execute(WEBHOOK, { principal: principalOf(accountId), id });
  }

  /** @param {string} accountId @param {string} id @param {string} since */
  async recover(accountId, id, since) {
    await this.recovers.execute(WEBHOOK, { principal: principalOf(accountId), id, input: { since } });
  }

  /** SIGTERM. */
  async stop() {
    this.isStopping = true;
    await this.turns?.beforeApplicationShutdown();
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
}

/** @type {Record<string, string>} */
const FLAGS = { delivered: 'on_delivered', deferred: 'on_transient_error', opened: 'on_opened' };
