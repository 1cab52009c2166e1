import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DebouncedTask, inBatches, pause } from '@postmesh/concurrency';
import { MAX_CAMPAIGN_RECIPIENTS } from '@postmesh/messages-contract';
import { changedRows } from '@postmesh/database';
import type { Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { FINAL_STATUSES } from '../campaign-states/campaign-state.rules.js';
import { CAMPAIGN_COUNTS } from '../results/campaign-counts.js';
import { BEGIN_TRIALS } from '../trials/begin-trials.sql.js';
import { CancelRecipients } from './cancel-recipients.js';

// Interval of the search for changes by other processes while campaigns are sent, and while none is.
const EVERY_MS = 1_000;
const IDLE_MS = 10_000;
// Triggers within this time share one run.
const GATHER_MS = 50;
// Per run and campaign, so that no statement changes many rows.
const MAX_FED = 500;
const MAX_CAMPAIGNS = 1_000;
const MAX_PIECES = 1_000;

/**
 * Makes the next batches of campaigns due as far as their window allows: the window bounds the messages of a campaign
 * that are handed over without a first outcome. Waiting recipients can still be paused or canceled.
 */
@Injectable()
export class CampaignFeeder implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly feeding = new DebouncedTask(
    (signal) => this.run(signal),
    (error) =>
      this.logger.warn({ event: 'campaign.feed_failed', err: error }, 'feeding campaigns failed, will retry'),
  );
  private readonly listeners: (() => void)[] = [];

  constructor(
    private readonly dataSource: DataSource,
    private readonly cancelRecipients: CancelRecipients,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.feeding.every(EVERY_MS, IDLE_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.feeding.stop();
  }

  /** To be called when a campaign's window may allow more: it started or resumed, or had first outcomes. Returns at once. */
  raise(): void {
    this.feeding.trigger();
  }

  /** @param listener called when batches became due */
  onFed(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** @returns whether a campaign is being sent */
  private async run(signal: AbortSignal): Promise<boolean> {
    await pause(GATHER_MS, signal);
    if (signal.aborted || !(await this.isAnySending())) return false;
    if ((await this.feed()) > 0) for (const listener of this.listeners) listener();
    await this.dataSource.query(BEGIN_TRIALS);
    await this.dataSource.query(RAISE_ENDED);
    await this.endCanceled(signal);
    return true;
  }

  private async isAnySending(): Promise<boolean> {
    const [row]: { sending: boolean }[] = await this.dataSource.query(ANY_SENDING);
    return row?.sending === true;
  }

  /** @returns the number of batches that became due */
  private feed(): Promise<number> {
    return this.dataSource.transaction(async (tx) => {
      // two concurrent runs would each fill the same window
      await tx.query(`select pg_advisory_xact_lock(hashtext('campaign feeder'))`);
      return changedRows(tx, FEED, [this.settings.campaignWindow, MAX_CAMPAIGN_RECIPIENTS]);
    });
  }

  /** Cancels the recipients of large canceled campaigns, in batches. */
  private async endCanceled(signal: AbortSignal): Promise<void> {
    const campaigns: { id: string }[] = await this.dataSource.query(CANCELED, [FINAL_STATUSES]);
    for (const { id } of campaigns) {
      const piece = () => this.dataSource.transaction((tx) => this.cancelRecipients.execute(tx, id));
      await inBatches(async () => Number(await piece()), { size: 1, max: MAX_PIECES, signal });
    }
  }
}

const ANY_SENDING = `select exists (select from campaign_batches)
  or exists (select from campaigns where status = 'sending') as sending`;

/** The campaigns with pending batches, found by one index probe each, for any number of batches. */
const WITH_PENDING = `
  with recursive probe as (
    (select campaign_id as id from campaign_batches order by campaign_id limit 1)
    union all
    select (select b.campaign_id from campaign_batches b where b.campaign_id > probe.id order by b.campaign_id limit 1)
    from probe where probe.id is not null),
  campaign as (
    select c.id, c.status from (select id from probe where id is not null limit ${MAX_CAMPAIGNS}) as known
    join campaigns c using (id)
    where exists (select from campaign_batches b where b.campaign_id = c.id and b.state in ('pending', 'held')))`;

// $1 window, $2 recipients of a batch. Batches with taken recipients count in the window already; they come first and
// need no further place in it.
const FEED = `${WITH_PENDING},
  room as materialized (
    select campaign.id, floor(($1::int - ${CAMPAIGN_COUNTS.counted('queued', 'campaign.id')}) / $2::int)::int
        - active.batches as batches
    from campaign
      cross join lateral (select count(*)::int as batches from campaign_batches b
        where b.campaign_id = campaign.id and b.state in ('waiting', 'ready', 'leased')) as active
    where campaign.status = 'sending'),
  fed as materialized (
    select room.id as campaign_id, next.id, next.nth from room cross join lateral (
      (select b.id, 0 as nth from campaign_batches b
       where b.campaign_id = room.id and b.state = 'pending' and b.reserved_day is not null limit ${MAX_FED})
      union all
      (select b.id, row_number() over (order by b.first_position) as nth from campaign_batches b
       where b.campaign_id = room.id and b.state = 'pending' and b.reserved_day is null
       order by b.first_position limit least(greatest(room.batches, 0), ${MAX_FED}))) as next)
  update campaign_batches b set state = 'waiting', reason = 'its campaign has room',
    due_at = now() + fed.nth * interval '1 microsecond'
  from fed where b.id = fed.id and b.state = 'pending'`;

// `failed` and `sent` for completeness: they have no pending batches
const CANCELED = `${WITH_PENDING} select id from campaign where status = any($1::text[])`;

/** Makes campaigns due whose batches have all been handed over: the state machine ends them (T16, T17). */
const RAISE_ENDED = `
  update campaigns c set due_at = now()
  where c.status = 'sending' and (c.due_at is null or c.due_at > now())
    and not exists (select from campaign_batches b where b.campaign_id = c.id)`;
