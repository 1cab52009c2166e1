/** The time of a trial begins when all of its recipients are handed over. */
export const BEGIN_TRIALS = `
  update campaign_trials t set decides_at = now() + make_interval(mins => t.wait_minutes)
  where t.size is not null and t.decides_at is null and t.decided_at is null
    and not exists (select from campaign_batches b where b.campaign_id = t.campaign_id and b.first_position < t.size)`;
