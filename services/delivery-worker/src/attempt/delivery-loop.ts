import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Metrics, type Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { DeliveryClaims, type ClaimedDelivery } from '../claim/delivery-claims.js';
import { WorkerLease } from '../lease/worker-lease.js';
import { DeliveryAttempt } from './delivery-attempt.js';

const SWEEP_MS = 1_000;
const UPKEEP_MS = 2_000;
// Deliveries that come within this time are claimed with one statement instead of one each.
const GATHER_MS = 5;
const LARGEST_CLAIM = 200;
// An attempt may wait for a connection slot; this many per slot keep the slots busy.
const ATTEMPTS_PER_CONNECTION = 4;
const STOP_MS = 6_000;

/**
 * Due → claim → attempt, for as long as the worker lives. Woken by the intake and by freed slots; a sweep
 * every second finds whatever became due without a word. Retries need no alarm of their own: the due time in
 * the row is swept.
 */
@Injectable()
export class DeliveryLoop implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly underWay = new Map<string, Promise<void>>();
  private readonly perDestination = new Map<string, number>();
  private stopping = false;
  private pending = false;
  private wakeUp: (() => void) | undefined;
  private loop: Promise<void> = Promise.resolve();
  private upkeepTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly claims: DeliveryClaims,
    private readonly lease: WorkerLease,
    private readonly attempt: DeliveryAttempt,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    metrics.gauge('postmesh_deliveries_under_way', 'Attempts that this worker is making now', [], (gauge) =>
      gauge.set(this.underWay.size),
    );
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.lease.heartbeat();
    await this.lease.freeAbandoned();
    this.upkeepTimer = setInterval(() => void this.upkeep(), UPKEEP_MS);
    this.loop = this.run();
  }

  /** Something may be due: look now. */
  wake(): void {
    this.pending = true;
    this.wakeUp?.();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    clearInterval(this.upkeepTimer);
    this.wake();
    await this.loop;
    await Promise.race([
      Promise.all(this.underWay.values()),
      new Promise((resolve) => setTimeout(resolve, STOP_MS).unref()),
    ]);
    // whatever is still under way is found by its missing worker and tried again
    await this.lease.leave();
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      this.pending = false;
      const room = this.settings.deliveryConcurrency - this.underWay.size;
      const claimed = room > 0 ? await this.claim(Math.min(room, LARGEST_CLAIM)) : [];
      for (const delivery of claimed) this.begin(delivery);
      if (claimed.length >= LARGEST_CLAIM) continue;
      await this.pause(GATHER_MS, false);
      if (!this.pending) await this.pause(await this.untilDue(), true);
    }
  }

  private async claim(limit: number): Promise<ClaimedDelivery[]> {
    try {
      return await this.claims.claim({
        worker: this.lease.id,
        limit,
        leaseSeconds: this.settings.deliveryLeaseSeconds,
        busy: this.busyDestinations(),
      });
    } catch (error) {
      this.logger.error({ err: error }, 'claiming deliveries failed; trying again');
      await this.pause(SWEEP_MS, false);
      return [];
    }
  }

  private begin(delivery: ClaimedDelivery): void {
    const { id, destination } = delivery;
    this.perDestination.set(destination, (this.perDestination.get(destination) ?? 0) + 1);
    const attempt = this.attempt
      .run(delivery)
      .catch((error: unknown) =>
        this.logger.error({ err: error, message_id: id }, 'an attempt was not written down'),
      )
      .finally(() => this.end(id, destination));
    this.underWay.set(id, attempt);
  }

  private end(id: string, destination: string): void {
    this.underWay.delete(id);
    const left = (this.perDestination.get(destination) ?? 1) - 1;
    if (left > 0) this.perDestination.set(destination, left);
    else this.perDestination.delete(destination);
    // a slot is free: whoever waits for one may go
    this.wake();
  }

  private busyDestinations(): string[] {
    const most = this.settings.deliveryPerDestination * ATTEMPTS_PER_CONNECTION;
    return [...this.perDestination].filter(([, count]) => count >= most).map(([destination]) => destination);
  }

  private async untilDue(): Promise<number> {
    const room = this.settings.deliveryConcurrency > this.underWay.size;
    const due = room ? await this.claims.nextDueInMs().catch(() => SWEEP_MS) : undefined;
    return Math.min(SWEEP_MS, Math.max(GATHER_MS, due ?? SWEEP_MS));
  }

  private async upkeep(): Promise<void> {
    try {
      await this.lease.heartbeat();
      if ((await this.lease.freeAbandoned()) > 0) this.wake();
    } catch (error) {
      this.logger.error({ err: error }, 'heartbeat failed');
    }
  }

  private pause(ms: number, wakeable: boolean): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.wakeUp = undefined;
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.wakeUp = () => {
        if (this.stopping || wakeable) done();
      };
      if (this.stopping || (wakeable && this.pending)) done();
    });
  }
}
