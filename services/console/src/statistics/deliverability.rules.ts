import type { Schemas } from '../api/client';

type Bucket = Schemas['DeliverabilityBucket'];

export const COUNTS = [
  'reception_count',
  'delivered_count',
  'deferred_count',
  'bounced_count',
  'failed_count',
  'suppressed_count',
  'opened_count',
  'clicked_count',
] as const;
export type Count = (typeof COUNTS)[number];

/** The sum of each column. */
export const totalsOf = (buckets: readonly Bucket[]): Record<Count, number> =>
  Object.fromEntries(
    COUNTS.map((name) => [name, buckets.reduce((sum, bucket) => sum + bucket[name], 0)]),
  ) as Record<Count, number>;

/** As a share with one digit; a dash where there is nothing to divide by. */
export function shareText(part: number, whole: number): string {
  if (whole === 0) return '–';
  const percent = (100 * part) / whole;
  return `${percent > 0 && percent < 0.1 ? '< 0.1' : percent.toFixed(percent >= 99.95 || percent === 0 ? 0 : 1)} %`;
}

/** The length of a bucket for a number of days: some tens of points. */
const bucketOf = (days: number): 'hour' | 'day' => (days <= 2 ? 'hour' : 'day');

/** Whole buckets, so that the first is no part of an hour or day. */
export function periodOf(days: number, now: number): { from_time: string; group_by: 'hour' | 'day' } {
  const length = bucketOf(days) === 'hour' ? 3_600_000 : 86_400_000;
  const from = Math.floor((now - days * 86_400_000) / length) * length;
  return { from_time: new Date(from).toISOString(), group_by: bucketOf(days) };
}
