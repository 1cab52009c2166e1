// @ts-check
// One process of marketing of a world: the machine of campaigns, the feeder, batches, trials and results, as they are.
import { DatabaseClock } from '../../../libs/database/dist/index.js';
import { attachOutbox, Outbox } from '../../../libs/events/dist/index.js';
import { appendEvents } from '../../../libs/events/dist/log/event-log.js';
import { createLogger, Metrics } from '../../../libs/observability/dist/index.js';
import { loadSettings } from '../../../libs/settings/dist/index.js';
import { BeginSending } from '../../../services/marketing/dist/campaign-states/begin-sending.js';
import { CampaignFacts } from '../../../services/marketing/dist/campaign-states/campaign-facts.js';
import { CampaignMachine } from '../../../services/marketing/dist/campaign-states/campaign-machine.js';
import { PauseCampaign } from '../../../services/marketing/dist/campaign-states/campaign-moves.js';
import { CancelCampaign } from '../../../services/marketing/dist/campaign-states/cancel-campaign.js';
import { OperateCampaign } from '../../../services/marketing/dist/campaign-states/operate-campaign.js';
import { WatchCampaign } from '../../../services/marketing/dist/campaign-states/watch-campaign.js';
import { OnMessageChanged } from '../../../services/marketing/dist/results/on-message-changed.consumer.js';
import { RecordChanges } from '../../../services/marketing/dist/results/record-changes.js';
import { BatchAttempt } from '../../../services/marketing/dist/sending/batch-attempt.js';
import { BatchQueue } from '../../../services/marketing/dist/sending/batch-queue.js';
import { BatchRecorder } from '../../../services/marketing/dist/sending/batch-recorder.js';
import { CampaignContents } from '../../../services/marketing/dist/sending/campaign-contents.js';
import { CampaignFeeder } from '../../../services/marketing/dist/sending/campaign-feeder.js';
import { CancelRecipients } from '../../../services/marketing/dist/sending/cancel-recipients.js';
import { DailyLimit } from '../../../services/marketing/dist/sending/daily-limit.js';
import { HandOver } from '../../../services/marketing/dist/sending/hand-over.js';
import { StartCampaign } from '../../../services/marketing/dist/sending/start-campaign.js';
import { TakeRecipients } from '../../../services/marketing/dist/sending/take-recipients.js';
import { DecideTrials } from '../../../services/marketing/dist/trials/decide-trials.js';
import { MessageChanged } from '../../../services/messages/contract/dist/index.js';
import { consumptionOf } from '../bus.mjs';
import { openSource } from '../data-source.mjs';
import { SimulatedProcess } from '../process.mjs';
import { LIMITS } from './limits.table.mjs';

const LOGGER = createLogger(/** @type {any} */ ({ logLevel: 'silent' }), 'simulate');
/** As the jobs of the service do it. */
const DECIDES_EVERY_MS = 15_000;

/** Nest gives the parts of a class by their types. @template T @param {new (...parts: any[]) => T} made @param {...any} parts @returns {T} */
const build = (made, ...parts) => Reflect.construct(made, parts);

export class MarketingProcess extends SimulatedProcess {
  /** @type {import('../../../libs/events/dist/consumption/event-consumption.js').EventConsumption | undefined} */
  consumption = undefined;

  /** @param {string} name @param {import('../random.mjs').Random} random @param {import('./life.mjs').Life} life */
  constructor(name, random, life) {
    super(name, 'marketing', life.time, random);
    this.life = life;
  }

  /** Its start, as the modules of the service put the parts together. */
  async start() {
    const { bus, messages, plan } = this.life;
    const settings = {
      ...loadSettings({}),
      campaignConcurrency: 3,
      campaignWindow: LIMITS.window,
      marketingDailyLimit: plan.dailyLimit,
    };
    const dataSource = await openSource(this.schema);
    attachOutbox(dataSource, {
      write: (query, events) => appendEvents(query, this.schema, events, false),
      committed: () => bus.announce(),
    });
    const metrics = new Metrics({ defaults: false });
    const clock = new DatabaseClock();
    const limit = build(DailyLimit, settings);
    const account = async () => ({ status: messages.isActive ? 'active' : 'suspended' });
    const accounts = { find: account, current: account };
    const facts = build(CampaignFacts, accounts, { find: async () => DOMAIN });
    const contents = build(CampaignContents, dataSource);
    const handOver = build(HandOver, messages.clientOf(this), accounts, contents);
    const take = build(TakeRecipients, dataSource, limit);
    const attempt = build(BatchAttempt, take, handOver, clock, LOGGER, metrics);
    const recorder = build(BatchRecorder, new PauseCampaign(), limit);
    const cancelRecipients = new CancelRecipients();
    const feeder = build(CampaignFeeder, dataSource, cancelRecipients, settings, LOGGER);
    const queue = build(BatchQueue, dataSource, attempt, recorder, feeder, settings, LOGGER, metrics);
    const cancellation = new CancelCampaign(cancelRecipients);
    const begin = new BeginSending(new StartCampaign(), feeder);
    const watch = build(WatchCampaign, dataSource, facts, begin, cancellation, limit, feeder, settings);
    const machine = build(CampaignMachine, dataSource, undefined, watch, LOGGER, metrics);
    this.operate = build(OperateCampaign, dataSource, cancellation, machine, feeder, new Outbox());
    this.trials = build(DecideTrials, dataSource, feeder, LOGGER);
    this.consumption = consumptionOf('marketing', dataSource, [
      [MessageChanged, 'marketing.message-changes', new OnMessageChanged(new RecordChanges(feeder))],
    ]);
    feeder.onApplicationBootstrap();
    await queue.onApplicationBootstrap();
    machine.onApplicationBootstrap();
    this.decide();
    this.ends = () => Promise.all([feeder, queue, machine].map((one) => one.beforeApplicationShutdown()));
  }

  /** The periodic task. */
  decide() {
    this.time.after(
      DECIDES_EVERY_MS,
      () =>
        this.run(() => {
          if (this.isStopping) return;
          this.trials?.decideDue(new AbortController().signal).catch(() => undefined);
          this.decide();
        }),
      this,
    );
  }

  /** @param {import('./plan.mjs').Act} act @param {string} id of the campaign */
  hold(act, id) {
    return /** @type {OperateCampaign} */ (this.operate)[act](id);
  }

  /** SIGTERM. */
  async stop() {
    this.isStopping = true;
    await this.ends?.();
  }
}

export const DOMAIN_ID = '01980f3e-0000-7c11-a2d4-0c5f9e6b8a00';
const DOMAIN = { domain_id: DOMAIN_ID, domain: 'shop.test', dns_valid: true, paused: false, deleted: false };
