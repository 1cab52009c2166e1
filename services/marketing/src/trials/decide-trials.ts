import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import { Periodic } from '@postmesh/work';
import { CampaignFeeder } from '../sending/campaign-feeder.js';
import { BEGIN_TRIALS } from './begin-trials.sql.js';
import { readResults } from './trial-results.js';
import { winnerOf, type Metric } from './trial.rules.js';

// A paused campaign decides nothing, as its recipients wait all the same. One whose recipients were all in the trial is sent.
const DECIDING = ['sending', 'sent'];
/** Per run; the next run continues. */
const MAX_TRIALS = 100;

interface DueTrial {
  readonly campaignId: string;
  readonly metric: Metric;
  readonly size: number;
  readonly variants: number;
}

/**
 * Decides trials whose time has come, and lets the rest of the recipients go. Each in one transaction: a kill before its
 * commit leaves everything as it was, and a second run finds the trial decided.
 */
@Injectable()
export class DecideTrials {
  constructor(
    private readonly dataSource: DataSource,
    private readonly feeder: CampaignFeeder,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Periodic({ name: 'decide-trials', everyMs: 15_000, timeoutMs: 300_000 })
  async decideDue(signal: AbortSignal): Promise<void> {
    await this.dataSource.query(BEGIN_TRIALS);
    await this.dataSource.query(CLOSE);
    const due: { id: string }[] = await this.dataSource.query(DUE, [DECIDING]);
    for (const { id } of due) {
      if (signal.aborted) return;
      await this.decide(id);
    }
  }

  /** @returns the winner; undefined when the trial is not due any more */
  async decide(campaignId: string): Promise<number | undefined> {
    const decided = await this.dataSource.transaction(async (tx) => {
      // the campaign first, like every transaction that changes its batches
      const sending: unknown[] = await tx.query(
        'select from campaigns where id = $1 and status = any($2::text[]) for no key update',
        [campaignId, DECIDING],
      );
      const [trial]: DueTrial[] = sending.length === 0 ? [] : await tx.query(LOCK, [campaignId]);
      if (!trial) return undefined;
      const results = await readResults(tx, campaignId, trial);
      const winner = winnerOf(results, trial.metric);
      await tx.query('update campaign_trials set winner = $2, decided_at = now() where campaign_id = $1', [
        campaignId,
        winner,
      ]);
      await tx.query(RELEASE, [campaignId]);
      return { winner, results };
    });
    if (!decided) return undefined;
    this.logger.info(
      { event: 'campaign.trial_decided', campaign_id: campaignId, ...decided },
      'the trial of a campaign is decided',
    );
    this.feeder.raise();
    return decided.winner;
  }
}

const DUE = `
  select t.campaign_id as id from campaign_trials t join campaigns c on c.id = t.campaign_id and c.status = any($1::text[])
  where t.decided_at is null and t.decides_at <= now() order by t.decides_at limit ${MAX_TRIALS}`;

// Without a winner: nothing waits for one.
const CLOSE = `
  update campaign_trials t set decided_at = now() from campaigns c
  where c.id = t.campaign_id and c.status in ('canceled', 'failed') and t.size is not null and t.decided_at is null`;

const LOCK = `
  select t.campaign_id as "campaignId", t.metric, t.size,
    1 + (select count(*)::int from campaign_variants v where v.campaign_id = t.campaign_id) as variants
  from campaign_trials t
  where t.campaign_id = $1 and t.decided_at is null and t.decides_at <= now() for update of t`;

const RELEASE = `update campaign_batches set state = 'pending', reason = 'waits until its campaign has room'
  where campaign_id = $1 and state = 'held'`;
