import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { databaseNow } from '@postmesh/database';
import { DataSource } from 'typeorm';
import { DebouncedTask, endsWithin } from '@postmesh/concurrency';
import { failureKind } from '@postmesh/contracts';
import { Metrics, type Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import {
  claimCampaigns,
  nextDueMs,
  LeaseLost,
  releaseCampaign,
  RENEW_MS,
  renewLeases,
  type Claimed,
} from './campaign-claims.js';
import { SENDING_LOOK_MS } from './pause.rules.js';
import { ValidateCampaign } from './validate-campaign.js';
import { WatchCampaign } from './watch-campaign.js';

/** Interval of the search for campaigns that became due by time. */
export const SWEEP_MS = 1_000;
// The same where none is sent and none is due before: it finds writes of other processes.
const IDLE_MS = 5_000;
/** Campaigns processed concurrently per process. A check of many contacts, or a snapshot, delays no quick run. */
const LANES = { slow: 3, quick: 4 } as const;
type Lane = keyof typeof LANES;
// The delay after a claim whose step sets no other one: it failed, or its process was killed.
const AGAIN_MS = 15_000;
const AGAIN_AFTER_BUG_MS = 60_000;
/** Spec 3-marketing §4.1: a check without progress for this time is restarted. */
export const MAX_SILENCE_MS = 30 * 60_000;
const STOP_MS = 2_000;

interface InFlight extends Claimed {
  readonly lane: Lane;
  progressedAt: number;
}

/**
 * Processes due campaigns by the table of transitions. Due times are stored in the rows; a run is leased, and applies
 * its effects in one transaction that checks the lease. So it is safe to run in several processes, to be killed at any
 * point, and to repeat everything.
 */
@Injectable()
export class CampaignMachine implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly inFlight = new Map<string, InFlight>();
  private readonly running = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  private readonly task: DebouncedTask;
  private renewing: NodeJS.Timeout | undefined;
  private readonly looks;

  constructor(
    private readonly dataSource: DataSource,
    private readonly validation: ValidateCampaign,
    private readonly watch: WatchCampaign,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.task = new DebouncedTask(
      () => this.begin(),
      (error) =>
        logger.warn({ event: 'campaigns.claim_failed', err: error }, 'claiming campaigns failed, will retry'),
    );
    this.looks = metrics.counter(
      'postmesh_campaign_looks_total',
      'Looks of the state machine at campaigns, by their status and how the look ended',
      ['status', 'result'],
    );
    metrics.gauge('postmesh_campaign_looks_in_flight', 'Campaigns that are processed now', [], (gauge) =>
      gauge.set(this.inFlight.size),
    );
  }

  onApplicationBootstrap(): void {
    this.task.trigger();
    this.task.every(SWEEP_MS, IDLE_MS);
    this.renewing = setInterval(() => void this.renew(), RENEW_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.renewing);
    this.stopping.abort();
    await this.task.stop();
    await endsWithin(Promise.all(this.running), STOP_MS);
    await endsWithin(this.giveBack(), STOP_MS);
  }

  /** Releases all claims for another process. A run that is still active finds its token gone. */
  private async giveBack(): Promise<void> {
    if (this.inFlight.size === 0) return;
    const now = await databaseNow(this.dataSource);
    await Promise.all([...this.inFlight.values()].map((one) => releaseCampaign(this.dataSource, one, now)));
  }

  /** To be called after the commit of a transaction that made a campaign due. Returns at once. */
  trigger(): void {
    this.task.trigger();
  }

  /** @returns whether a campaign is due or is sent; those that could not be begun are found by the next search */
  private async begin(): Promise<boolean> {
    const dueMs = await nextDueMs(this.dataSource);
    if (dueMs === undefined) return false;
    if (dueMs > 0) {
      if (dueMs < IDLE_MS) this.task.triggerIn(dueMs);
      return dueMs <= SENDING_LOOK_MS;
    }
    for (const lane of ['quick', 'slow'] as const) {
      const mine = [...this.inFlight.values()].filter((one) => one.lane === lane);
      const limit = LANES[lane] - mine.length;
      if (limit <= 0 || this.stopping.signal.aborted) continue;
      const busyAccounts = mine.map(({ campaign }) => campaign.accountId);
      for (const claimed of await claimCampaigns(this.dataSource, {
        lane,
        limit,
        busyAccounts,
        againMs: AGAIN_MS,
      })) {
        this.start({ ...claimed, lane, progressedAt: performance.now() });
      }
    }
    return true;
  }

  private start(one: InFlight): void {
    // an expired lease that was claimed again here: the older run finds its token gone
    const key = `${one.campaign.id}/${one.campaign.leaseToken}`;
    this.inFlight.set(key, one);
    const ended = this.look(one).finally(() => {
      this.inFlight.delete(key);
      this.running.delete(ended);
      this.trigger();
    });
    this.running.add(ended);
  }

  private async look(one: InFlight): Promise<void> {
    const { status } = one.campaign;
    try {
      await this.step(one);
      this.looks.inc({ status, result: 'done' });
    } catch (error) {
      this.looks.inc({ status, result: error instanceof LeaseLost ? 'lost' : failureKind(error) });
      await this.failed(one, error);
    }
  }

  private step(one: InFlight): Promise<void> {
    switch (one.campaign.status) {
      case 'validating':
        return this.validation.execute(one, {
          progressed: () => (one.progressedAt = performance.now()),
          signal: this.stopping.signal,
        });
      case 'scheduled':
        return this.watch.scheduled(one);
      case 'waiting_for_review':
        return this.watch.waiting(one);
      case 'sending':
        return this.watch.sending(one);
      case 'paused':
        return this.watch.paused(one);
      case 'canceled':
        return this.watch.canceled(one);
      default:
        return releaseCampaign(this.dataSource, one, null);
    }
  }

  private async failed(one: InFlight, error: unknown): Promise<void> {
    if (error instanceof LeaseLost) return;
    const { id, accountId, status } = one.campaign;
    const line = {
      event: 'campaign.look_failed',
      campaign_id: id,
      account_id: accountId,
      status,
      err: error,
    };
    const isBug = failureKind(error) !== 'transient' && !this.stopping.signal.aborted;
    if (isBug) this.logger.error(line, 'processing a campaign failed, will retry in a minute');
    else this.logger.warn(line, 'processing a campaign failed, will retry');
    const again = this.stopping.signal.aborted ? 0 : isBug ? AGAIN_AFTER_BUG_MS : AGAIN_MS;
    // when this fails too, the lease expires
    await databaseNow(this.dataSource)
      .then((now) => releaseCampaign(this.dataSource, one, later(now, again)))
      .catch(() => undefined);
  }

  /** Renews the leases of runs with progress; the others expire for another process. */
  private async renew(): Promise<void> {
    const alive = [...this.inFlight.values()].filter(
      ({ progressedAt }) => performance.now() - progressedAt < MAX_SILENCE_MS,
    );
    await renewLeases(this.dataSource, alive).catch((error: unknown) =>
      this.logger.warn(
        { event: 'campaigns.renew_failed', err: error },
        'renewing campaign leases failed, will retry',
      ),
    );
  }
}

const later = (now: Date, ms: number): Date => new Date(now.getTime() + ms);
