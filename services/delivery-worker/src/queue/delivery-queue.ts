import { once } from 'node:events';
import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { LeasedQueue, type Ending } from '@postmesh/work';
import { Metrics, type Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS, stopTimes } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { DeliveryAttempt, type MadeAttempt } from '../attempt/delivery-attempt.js';
import { retryPlan, windowEnd, type RetryPlan } from '../classify/retry-schedule.rules.js';
import { AttemptRecorder } from '../record/attempt-recorder.js';
import { DELIVERIES, type ClaimedDelivery } from './deliveries.table.js';
import { FactsAtStart } from './facts-at-start.js';

/** The deliveries that are due, and the attempts that this worker makes of them. */
@Injectable()
export class DeliveryQueue implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly queue: LeasedQueue<ClaimedDelivery, MadeAttempt>;
  /** called when deliveries became due whose domain has to be looked up first */
  onUnclaimable: () => void = () => undefined;

  constructor(
    dataSource: DataSource,
    attempt: DeliveryAttempt,
    recorder: AttemptRecorder,
    facts: FactsAtStart,
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOGGER) logger: Logger,
    metrics: Metrics,
  ) {
    const plan = retryPlan(settings);
    this.queue = new LeasedQueue<ClaimedDelivery, MadeAttempt>(
      dataSource,
      DELIVERIES,
      {
        beforeFirstClaim: (stopping) =>
          settings.delivery ? facts.learn(stopping) : deliveryIsOff(logger, stopping),
        make: (delivery) => attempt.make(delivery),
        record: (manager, made) =>
          recorder.record(manager, made, (endings) =>
            this.queue.settle(
              manager,
              endings.map((ending) => withEnd(ending, plan)),
            ),
          ),
        recorded: (made, own) => attempt.log(made, own),
        hasBegun: ({ id }) => attempt.hasBegun(id),
        unclaimable: () => this.onUnclaimable(),
        abandoned: (manager, deliveries) => recorder.recordAbandoned(manager, deliveries),
        setAside: (manager, deliveries) => recorder.recordSetAside(manager, deliveries),
        stop: (graceMs) => attempt.stop(graceMs),
      },
      {
        concurrency: settings.deliveryConcurrency,
        rooms: facts.limits,
        leaseSeconds: settings.deliveryLeaseSeconds,
        graceMs: stopTimes(settings).graceMs,
        clock: attempt.clock,
      },
      logger,
    );
    metrics.gauge('postmesh_deliveries_in_flight', 'Attempts that this worker is making now', [], (gauge) =>
      gauge.set(this.queue.size),
    );
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.queue.start();
  }

  /** Lets transactions with a server end within the grace of a stop, and gives back the rest. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.queue.stop();
  }
}

/** Rows are inserted and none is ever claimed, as long as this worker lives (decision 80). */
async function deliveryIsOff(logger: Logger, stopping: AbortSignal): Promise<void> {
  logger.warn({ event: 'delivery.off' }, 'POSTMESH_DELIVERY is off: nothing is delivered');
  if (!stopping.aborted) await once(stopping, 'abort');
}

/** Adds the end of waiting for the group: the end of the delivery window, or the expiry before the window begins. */
function withEnd({ item, next }: Ending<ClaimedDelivery>, plan: RetryPlan): Ending<ClaimedDelivery> {
  if (next === null) return { item, next };
  const { firstAttemptAt } = next;
  const { expires } = item;
  const endsAt = firstAttemptAt === null ? expires : windowEnd({ firstAttemptAt, expires }, plan).at;
  return { item, next: { ...next, endsAt } };
}
