import type { Metrics } from './metrics.js';

const MINUTE_MS = 60_000;
// Labels have no bound but this one: accounts come and go, and only those with most are named.
const TOP = 10;
// More accounts in one minute are not told apart: who has most is among the first ten thousand, or comes next minute.
const MAX_ACCOUNTS = 10_000;

/**
 * How many of something the accounts had in the last whole minute, as a gauge `name{account_id,…}` of the accounts with
 * most of it: per process ten for each value of the other label.
 */
export class TopAccounts {
  private thisMinute = new Map<string, Map<string, number>>();
  private lastMinute = new Map<string, Map<string, number>>();
  private begun: number;

  /** @param metric `label`: what is told apart beside the account, if anything, with few values */
  constructor(
    metrics: Metrics,
    private readonly metric: { name: string; help: string; label?: string },
    private readonly clock: () => number = () => performance.now(),
  ) {
    this.begun = clock();
    const { name, help, label } = metric;
    metrics.gauge(name, help, label === undefined ? ['account_id'] : ['account_id', label], (gauge) => {
      gauge.reset();
      for (const [labels, value] of this.top()) gauge.set(labels, value);
    });
  }

  count(accountId: string, what = '', by = 1): void {
    this.turn();
    let counts = this.thisMinute.get(what);
    if (counts === undefined) this.thisMinute.set(what, (counts = new Map()));
    const known = counts.get(accountId);
    if (known === undefined && counts.size >= MAX_ACCOUNTS) return;
    counts.set(accountId, (known ?? 0) + by);
  }

  private top(): [Record<string, string>, number][] {
    this.turn();
    const { label } = this.metric;
    return [...this.lastMinute].flatMap(([what, counts]) =>
      [...counts]
        .sort(([, one], [, other]) => other - one)
        .slice(0, TOP)
        .map(([account_id, count]): [Record<string, string>, number] => [
          label === undefined ? { account_id } : { account_id, [label]: what },
          count,
        ]),
    );
  }

  private turn(): void {
    const age = this.clock() - this.begun;
    if (age < MINUTE_MS) return;
    this.lastMinute = age < 2 * MINUTE_MS ? this.thisMinute : new Map();
    this.thisMinute = new Map();
    this.begun = this.clock();
  }
}
