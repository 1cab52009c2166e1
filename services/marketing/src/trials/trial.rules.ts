/** The results that decide a trial. */
export const METRICS = ['opened', 'clicked'] as const;
export type Metric = (typeof METRICS)[number];

/** The trial of a campaign that has begun to send, as far as recipients need it. */
export interface RunningTrial {
  /** the number of recipients of the trial: those at the first positions */
  readonly size: number;
  /** with the campaign's own content, which is variant 0 */
  readonly variants: number;
  readonly winner: number | null;
}

/** The results of a variant with the recipients of the trial. */
export interface VariantResult {
  readonly variant: number;
  readonly recipients: number;
  readonly delivered: number;
  readonly opened: number;
  readonly clicked: number;
}

/** @param share in percent. @returns one recipient of each variant at least, as far as there are any */
export const trialSize = (recipients: number, { share, variants }: { share: number; variants: number }) =>
  Math.min(recipients, Math.max(variants, Math.ceil((recipients * share) / 100)));

/**
 * The variant of a recipient, the same in every attempt: positions of a campaign with a trial are in random order, and
 * the rest is not handed over before the winner is known.
 */
export function variantOf(position: number, trial: RunningTrial | null): number {
  if (trial === null) return 0;
  return position < trial.size ? position % trial.variants : (trial.winner ?? 0);
}

/** The variant with the highest share of the delivered messages; of equal ones the first. */
export function winnerOf(results: readonly VariantResult[], metric: Metric): number {
  const share = (result: VariantResult) => (result.delivered === 0 ? 0 : result[metric] / result.delivered);
  const ordered = [...results].sort((one, other) => one.variant - other.variant);
  const best = ordered.reduce<VariantResult | undefined>(
    (leader, next) => (leader === undefined || share(next) > share(leader) ? next : leader),
    undefined,
  );
  return best?.variant ?? 0;
}
