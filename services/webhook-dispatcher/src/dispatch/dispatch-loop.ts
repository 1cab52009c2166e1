import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Metrics, type Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { CallAttempt } from '../attempt/call-attempt.js';
import { HostSlots } from './host-slots.js';
import { OWED_CALLS, type ClaimedCall, type OwedCalls } from './owed-calls.port.js';

// Finds what other dispatchers took in, and calls whose lease ended.
const SWEEP_MS = 1_000;
// Places that become free within this time are filled by one claim instead of one each.
const GATHER_MS = 5;
const LARGEST_CLAIM = 200;
const GRACE_MS = 4_000;

/** Due → claim → attempt, for as long as the dispatcher lives. */
@Injectable()
export class DispatchLoop implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly slots: HostSlots;
  private readonly underWay = new Set<Promise<void>>();
  /** the last claim left due calls behind: every freed place is worth a look */
  private leftBehind = false;
  private stopping = false;
  private pending = false;
  private wakeUp: (() => void) | undefined;
  private loop: Promise<void> = Promise.resolve();

  constructor(
    @Inject(OWED_CALLS) private readonly calls: OwedCalls,
    private readonly attempt: CallAttempt,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.slots = new HostSlots(settings.webhookPerHost);
    metrics.gauge('postmesh_webhook_calls_under_way', 'Webhook calls being made now', [], (gauge) =>
      gauge.set(this.underWay.size),
    );
  }

  onApplicationBootstrap(): void {
    this.loop = this.run();
  }

  /** Something may be due: look now. */
  wake(): void {
    this.pending = true;
    this.wakeUp?.();
  }

  /** Lets running calls end for four seconds; the rest is cut off and made again when its lease ends. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    this.wake();
    await this.loop;
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, GRACE_MS);
    });
    await Promise.race([Promise.all(this.underWay), patience]);
    clearTimeout(timer);
    await this.attempt.abandon();
    await Promise.all(this.underWay);
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      this.pending = false;
      const more = await this.fill();
      if (more) continue;
      await this.pause(GATHER_MS, false);
      if (!this.pending) await this.pause(await this.untilDue(), true);
    }
  }

  /** @returns whether there is room and reason to claim again at once */
  private async fill(): Promise<boolean> {
    const room = this.settings.webhookConcurrency - this.underWay.size;
    if (room <= 0) {
      this.leftBehind = true;
      return false;
    }
    const limit = Math.min(room, LARGEST_CLAIM);
    try {
      const claimed = await this.calls.claim({
        limit,
        rooms: this.slots.rooms(),
        perHost: this.slots.perHost,
      });
      for (const call of claimed) this.begin(call);
      this.leftBehind = claimed.length >= limit || this.slots.anyFull();
      return claimed.length >= LARGEST_CLAIM;
    } catch (error) {
      this.logger.error({ err: error }, 'claiming webhook calls failed; trying again');
      await this.pause(SWEEP_MS, false);
      return false;
    }
  }

  private begin(call: ClaimedCall): void {
    this.slots.take(call.host);
    const made = this.attempt
      .make(call)
      .catch((error: unknown) =>
        this.logger.error(
          { err: error, call_id: call.id },
          'a webhook call was not written down; it is made again when its lease ends',
        ),
      )
      .finally(() => {
        this.underWay.delete(made);
        this.slots.free(call.host);
        if (this.leftBehind) this.wake();
      });
    this.underWay.add(made);
  }

  private async untilDue(): Promise<number> {
    // what is due has no room: a freed place wakes the loop
    if (this.leftBehind) return SWEEP_MS;
    const due = await this.calls.nextDueInMs().catch(() => undefined);
    return Math.min(SWEEP_MS, Math.max(GATHER_MS, due ?? SWEEP_MS));
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
