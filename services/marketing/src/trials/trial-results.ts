import type { EntityManager } from 'typeorm';
import type { RunningTrial, VariantResult } from './trial.rules.js';

/** The results of each variant with the recipients of the trial, by variant. */
export function readResults(
  database: Pick<EntityManager, 'query'>,
  campaignId: string,
  { size, variants }: Pick<RunningTrial, 'size' | 'variants'>,
): Promise<VariantResult[]> {
  return database.query(
    `select given.variant, count(r.position)::int as recipients,
       count(r.position) filter (where r.status = 'delivered')::int as delivered,
       count(r.position) filter (where r.status = 'delivered' and r.opened_at is not null)::int as opened,
       count(r.position) filter (where r.status = 'delivered' and r.clicked_at is not null)::int as clicked
     from generate_series(0, $3::int - 1) as given(variant)
       left join campaign_recipients r on r.campaign_id = $1 and r.position < $2 and r.position % $3::int = given.variant
     group by given.variant order by given.variant`,
    [campaignId, size, variants],
  );
}
