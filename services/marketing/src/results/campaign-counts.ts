import type { DataSource, EntityManager } from 'typeorm';
import { Counters, insertRows } from '@postmesh/database';
import { RECIPIENT_STATUSES } from './recipient-outcomes.rules.js';

/** The counters of a campaign (spec 3-marketing §8.1): statuses of its recipients, and their actions. */
export const COUNTERS = [
  ...RECIPIENT_STATUSES,
  'opened',
  'opens',
  'clicked',
  'clicks',
  'unsubscribed',
  'complained',
] as const;
type Counter = (typeof COUNTERS)[number];

/** The amounts added to the counters of a campaign; negative when a recipient leaves a status. */
export type CountDelta = { readonly campaignId: string } & { readonly [C in Counter]?: number };

type CampaignCounts = Record<Counter, number>;

const DELTA_COLUMNS = {
  campaign_id: ['uuid', (sum: CountSum) => sum.campaignId],
  created_at: ['timestamptz', (sum: CountSum) => sum.at],
  ...(Object.fromEntries(
    COUNTERS.map((name) => [name, ['int', (sum: CountSum) => sum.counts[name]] as const]),
  ) as Record<Counter, readonly ['int', (sum: CountSum) => number]>),
} as const;

interface CountSum {
  readonly campaignId: string;
  readonly at: Date;
  readonly counts: CampaignCounts;
}

/**
 * In the transaction of the counted changes, so that both commit together: one statement for any number. Writers do not
 * wait for each other: each one adds a row of its own, and a job folds them.
 */
export async function addCounts(tx: EntityManager, deltas: readonly CountDelta[]): Promise<void> {
  await insertRows(tx, 'campaign_count_deltas', DELTA_COLUMNS, sumPerCampaign(deltas, new Date()));
}

/** One sum per campaign; zero sums are left out. */
function sumPerCampaign(deltas: readonly CountDelta[], at: Date): CountSum[] {
  const sums = new Map<string, CountSum>();
  for (const delta of deltas) {
    const sum = sums.get(delta.campaignId) ?? { campaignId: delta.campaignId, at, counts: noCounts() };
    for (const name of COUNTERS) sum.counts[name] += delta[name] ?? 0;
    sums.set(delta.campaignId, sum);
  }
  return [...sums.values()].filter(({ counts }) => COUNTERS.some((name) => counts[name] !== 0));
}

const noCounts = (): CampaignCounts =>
  Object.fromEntries(COUNTERS.map((name) => [name, 0])) as CampaignCounts;

/** `updatedAt`: null before sending */
export interface CampaignStats {
  readonly counts: CampaignCounts;
  readonly updatedAt: Date | null;
}

/** The row of totals is made with the snapshot of recipients, before anything of a campaign is counted. */
export const CAMPAIGN_COUNTS = new Counters({
  deltas: 'campaign_count_deltas',
  deltaKey: 'campaign_id',
  totals: 'campaign_counts',
  totalKey: 'campaign_id',
  sums: Object.fromEntries(COUNTERS.map((name) => [name, name])) as Record<Counter, string>,
  latest: { updated_at: 'created_at' },
});

/** @returns zeros for a campaign that has not begun to send, and for an unknown one */
export async function readCounts(
  database: Pick<DataSource | EntityManager, 'query'>,
  campaignId: string,
): Promise<CampaignStats> {
  const { updated_at: updatedAt, ...counts } = await CAMPAIGN_COUNTS.read(database, campaignId);
  return { counts, updatedAt };
}

/** By campaign. */
export async function readCountsOf(
  database: Pick<DataSource | EntityManager, 'query'>,
  campaignIds: readonly string[],
): Promise<ReadonlyMap<string, CampaignCounts>> {
  const rows = await CAMPAIGN_COUNTS.readEach(database, campaignIds);
  return new Map(rows.map((row) => [row.key, row]));
}
