import type { DataSource, EntityManager } from 'typeorm';
import { insertRows } from '@postmesh/database';
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

/** @returns zeros for a campaign that has not begun to send, and for an unknown one */
export async function readCounts(
  database: Pick<DataSource | EntityManager, 'query'>,
  campaignId: string,
): Promise<CampaignStats> {
  const [row]: [CampaignCounts & { updated_at: Date | null }] = await database.query(READ, [campaignId]);
  const { updated_at: updatedAt, ...counts } = row;
  return { counts, updatedAt };
}

const each = (write: (name: Counter) => string): string => COUNTERS.map(write).join(', ');

// One statement, so one snapshot: a folded delta is either in the row or among the deltas, never in both. A bigint is
// returned as text; numbers of recipients fit into a float.
const READ = `
  select ${each((name) => `(coalesce(c.${name}, 0) + d.${name})::float8 as ${name}`)},
    greatest(c.updated_at, d.at) as updated_at
  from (select ${each((name) => `coalesce(sum(${name}), 0) as ${name}`)}, max(created_at) as at
    from campaign_count_deltas where campaign_id = $1) d
    left join campaign_counts c on c.campaign_id = $1`;

// Deltas of a campaign that was deleted with its account are dropped. In the order of ids, so that concurrent folds
// cannot deadlock.
const FOLD_BATCH = `
  with taken as (
    delete from campaign_count_deltas where id = any(array(
      select id from campaign_count_deltas order by id limit $1 for update skip locked))
    returning *),
  sums as (
    select campaign_id, max(created_at) as at, ${each((name) => `sum(${name}) as ${name}`)}
    from taken where exists (select from campaigns k where k.id = taken.campaign_id)
    group by campaign_id order by campaign_id),
  added as (
    insert into campaign_counts as c (campaign_id, updated_at, ${COUNTERS.join(', ')})
    select campaign_id, at, ${COUNTERS.join(', ')} from sums
    on conflict (campaign_id) do update set
      updated_at = greatest(c.updated_at, excluded.updated_at),
      ${each((name) => `${name} = c.${name} + excluded.${name}`)})
  select count(*)::int as taken from taken`;

/** Adds deltas to the counters, exactly once. @returns the number of deltas */
export async function foldCounts(
  database: Pick<DataSource | EntityManager, 'query'>,
  limit: number,
): Promise<number> {
  const [row]: { taken: number }[] = await database.query(FOLD_BATCH, [limit]);
  return row?.taken ?? 0;
}
