import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Metrics, type Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { StatesAtStart } from '../account-states/states-at-start.js';
import { DeliveryClaims, type ClaimedDelivery } from '../claim/delivery-claims.js';
import { DestinationRooms } from '../claim/destination-rooms.js';
import { LeaseUpkeep, type HeldDelivery } from '../lease/lease-upkeep.js';
import { atMost } from './at-most.js';
import { DeliveryAttempt } from './delivery-attempt.js';
import { WakeCall } from './wake-call.js';

// Finds what other workers took in, and whatever became due without a word.
const SWEEP_MS = 1_000;
// Deliveries that come, and places that become free, within this time are met by one claim instead of one each.
const GATHER_MS = 5;
const GATHER_BUSY_MS = 10;
const LARGEST_CLAIM = 200;
// An attempt may wait for a connection; this many per connection keep the connections busy.
const ATTEMPTS_PER_CONNECTION = 8;
// Behind a backlog that has no room, others are looked for this often.
const SPREAD_MS = 100;
// A stop has seven seconds in all (worker thread), and its last writes need some of them.
const GRACE_MS = 5_000;
const STOP_MS = 5_800;
const FAREWELL_MS = 300;
const SIGN_OFF_MS = 500;

interface UnderWay extends HeldDelivery {
  ended: Promise<void>;
}

/**
 * Due → claim → attempt, for as long as the worker lives. Woken by the intake and by freed places; otherwise the
 * clock and the next due time rule. Retries need no alarm of their own: the due time in the row is swept.
 */
@Injectable()
export class DeliveryLoop implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /** being made or written down */
  private readonly underWay = new Set<UnderWay>();
  /** being made */
  private busy = 0;
  private readonly rooms: DestinationRooms;
  /** the last claim left due deliveries behind: every place that becomes free is worth a look */
  private leftBehind = false;
  /** when to look behind a backlog again, Unix ms */
  private spreadAt = 0;
  /** a claim failed, so it may have taken deliveries without our hearing of it */
  private inDoubt = false;
  private stopping = false;
  private readonly wakeCall = new WakeCall();
  private loop: Promise<void> = Promise.resolve();

  constructor(
    private readonly claims: DeliveryClaims,
    private readonly upkeep: LeaseUpkeep,
    private readonly attempt: DeliveryAttempt,
    private readonly statesAtStart: StatesAtStart,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.rooms = new DestinationRooms(settings.deliveryPerDestination * ATTEMPTS_PER_CONNECTION);
    metrics.gauge('postmesh_deliveries_under_way', 'Attempts that this worker is making now', [], (gauge) =>
      gauge.set(this.busy),
    );
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.upkeep.start({ held: () => this.underWay, onFreed: () => this.wake() });
    this.loop = this.run();
  }

  /** Something may be due: look now. */
  wake(): void {
    this.wakeCall.call();
  }

  /**
   * Begins nothing more, lets what is with a server end for five seconds, puts back the rest. What is not written
   * down then is found by its missing worker and tried again.
   */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    this.wakeCall.stop();
    await atMost(STOP_MS, this.end());
    await atMost(SIGN_OFF_MS, this.signOff());
  }

  private async end(): Promise<void> {
    const stopped = this.attempt.stop(GRACE_MS);
    // a claim that was under way brings its deliveries; they are put back one by one
    await this.loop;
    await Promise.all([...this.underWay].map(({ ended }) => ended));
    // what is left are farewells
    await atMost(FAREWELL_MS, stopped);
  }

  private async signOff(): Promise<void> {
    if (this.inDoubt || this.underWay.size > 0) {
      await this.giveBack().catch((error: unknown) =>
        this.logger.warn({ err: error }, 'deliveries could not be given back'),
      );
    }
    await this.upkeep.leave();
  }

  private async run(): Promise<void> {
    await this.statesAtStart.learn(
      (ms) => this.wakeCall.gather(ms),
      () => this.stopping,
    );
    while (!this.stopping) {
      this.wakeCall.clear();
      if (!(await this.fill())) await this.rest();
    }
  }

  /** @returns whether there is room and reason to claim again at once */
  private async fill(): Promise<boolean> {
    const room = this.room();
    this.leftBehind = true;
    if (room <= 0) return false;
    try {
      if (this.inDoubt) await this.giveBack();
      const { deliveries, leftBehind, clogged } = await this.claims.oldest(this.request());
      this.begin(deliveries);
      const spread = clogged ? await this.spread() : 0;
      this.leftBehind = leftBehind || this.room() <= 0;
      return deliveries.length + spread >= LARGEST_CLAIM;
    } catch (error) {
      this.inDoubt = true;
      this.logger.error({ err: error }, 'claiming deliveries failed; trying again');
      await this.wakeCall.gather(SWEEP_MS);
      return false;
    }
  }

  /** The head of the queue belongs to destinations without room: takes others out of turn. */
  private async spread(): Promise<number> {
    if (this.room() <= 0 || Date.now() < this.spreadAt) return 0;
    const request = this.request();
    const deliveries = await this.claims.spread(request);
    this.begin(deliveries);
    this.spreadAt = deliveries.length >= request.limit ? 0 : Date.now() + SPREAD_MS;
    return deliveries.length;
  }

  private begin(deliveries: readonly ClaimedDelivery[]): void {
    for (const delivery of deliveries) {
      const { id, destination } = delivery;
      const underWay = { id, since: performance.now(), ended: Promise.resolve() };
      this.rooms.take(destination);
      this.busy++;
      this.underWay.add(underWay);
      underWay.ended = this.work(delivery)
        .catch((error: unknown) =>
          this.logger.error({ err: error, message_id: id }, 'an attempt was not written down'),
        )
        .finally(() => {
          this.underWay.delete(underWay);
          this.placeFreed();
        });
    }
  }

  /** The next message takes the place while this one is being written down. */
  private async work(delivery: ClaimedDelivery): Promise<void> {
    const made = await this.attempt.make(delivery).finally(() => {
      this.busy--;
      this.rooms.free(delivery.destination);
      this.placeFreed();
    });
    await this.attempt.write(made);
    // due before the loop would look by itself
    const { nextAttemptAt } = made.record;
    if (nextAttemptAt !== null && nextAttemptAt.getTime() - Date.now() < SWEEP_MS) this.wake();
  }

  private placeFreed(): void {
    if (this.leftBehind) this.wake();
  }

  /** Nobody claims ahead of a database that cannot keep up with writing. */
  private room(): number {
    const most = this.settings.deliveryConcurrency;
    return Math.min(most - this.busy, most * 2 - this.underWay.size);
  }

  private request() {
    const room = this.room();
    return {
      worker: this.upkeep.workerId,
      limit: Math.min(room, LARGEST_CLAIM),
      leaseSeconds: this.settings.deliveryLeaseSeconds,
      rooms: this.rooms.rooms(room),
    };
  }

  /** Whatever this worker holds without knowing, or has not begun to send. */
  private async giveBack(): Promise<void> {
    const begun = [...this.underWay].filter(({ id }) => !this.stopping || this.attempt.hasBegun(id));
    await this.claims.giveBack(
      this.upkeep.workerId,
      begun.map(({ id }) => id),
    );
    this.inDoubt = false;
  }

  /** Until something is due, or may be. */
  private async rest(): Promise<void> {
    await this.wakeCall.gather(this.busy > 0 ? GATHER_BUSY_MS : GATHER_MS);
    while (!this.wakeCall.pending) {
      const due = await this.untilDue();
      if (due <= 0) return;
      await this.wakeCall.rest(Math.min(due, SWEEP_MS));
      if (due <= SWEEP_MS) return;
    }
  }

  private async untilDue(): Promise<number> {
    if (this.leftBehind) {
      const spreadIn = this.spreadAt - Date.now();
      return spreadIn > 0 ? spreadIn : SWEEP_MS;
    }
    // nobody else knows what is due: this is the only question of an idle worker
    return (await this.claims.nextDueInMs().catch(() => SWEEP_MS)) ?? Number.POSITIVE_INFINITY;
  }
}
