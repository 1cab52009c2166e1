import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { WorkerLease } from './worker-lease.js';

const EVERY_MS = 2_000;
// A lease is renewed at a third of its time, so that two beats may fail.
const RENEW_AT = 1 / 3;
// Longer than every time-out of SMTP over five hosts together: what takes longer has met a bug and is given up.
const LONGEST_ATTEMPT_MS = 3 * 3_600_000;

/** An attempt that this worker is making. */
export interface HeldDelivery {
  readonly id: string;
  /** on the clock of `performance.now()` */
  readonly since: number;
}

export interface UpkeepParts {
  /** the attempts under way */
  held: () => Iterable<HeldDelivery>;
  /** deliveries of others were freed: something is due */
  onFreed: () => void;
}

/** Every two seconds: says that this worker lives, keeps its leases, frees what dead workers left behind. */
@Injectable()
export class LeaseUpkeep {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private renewedAt = performance.now();

  constructor(
    private readonly lease: WorkerLease,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  get workerId(): string {
    return this.lease.id;
  }

  /** @throws the database's error: a worker that cannot say that it lives must not begin */
  async start(parts: UpkeepParts): Promise<void> {
    await this.lease.heartbeat();
    await this.lease.freeAbandoned();
    this.timer = setInterval(() => {
      // a slow database gets one question at a time
      this.running ??= this.keep(parts).finally(() => (this.running = undefined));
    }, EVERY_MS);
  }

  /** Leaves: what the worker still holds is free for others at once. */
  async leave(): Promise<void> {
    clearInterval(this.timer);
    try {
      // a beat that comes after the leave would bring the worker back
      await this.running;
      await this.lease.leave();
    } catch (error) {
      this.logger.warn({ err: error }, 'the worker could not sign off; others notice its silence');
    }
  }

  private async keep({ held, onFreed }: UpkeepParts): Promise<void> {
    try {
      await this.lease.heartbeat();
      await this.renew(held());
      if ((await this.lease.freeAbandoned()) > 0) onFreed();
    } catch (error) {
      this.logger.error({ err: error }, 'heartbeat failed');
    }
  }

  private async renew(held: Iterable<HeldDelivery>): Promise<void> {
    const now = performance.now();
    const every = this.settings.deliveryLeaseSeconds * 1_000 * RENEW_AT;
    if (now - this.renewedAt < every) return;
    const old = [...held].filter(({ since }) => now - since >= every && now - since < LONGEST_ATTEMPT_MS);
    if (old.length > 0) {
      await this.lease.renew(
        old.map(({ id }) => id),
        this.settings.deliveryLeaseSeconds,
      );
    }
    this.renewedAt = now;
  }
}
