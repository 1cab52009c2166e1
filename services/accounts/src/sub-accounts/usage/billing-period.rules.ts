/** Half-open: from the start up to, not including, the end. */
export interface BillingPeriod {
  start: Date;
  end: Date;
  /** `2024-01`, as the messages service counts */
  month: string;
}

/** The calendar month in UTC (spec 1-platform §10.5 rule 1). */
export function billingPeriod(now: Date): BillingPeriod {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  const start = new Date(Date.UTC(year, month, 1));
  return { start, end: new Date(Date.UTC(year, month + 1, 1)), month: start.toISOString().slice(0, 7) };
}
