import type { Metrics } from './metrics.js';

const SLOT_MS = 10_000;
const SLOTS = 6;
// The only bound of the labels: accounts come and go, and only the top ones are named.
const TOP = 10;
// The most accounts counted in ten seconds; the account with the highest count is among them, or in the next slot.
const MAX_ACCOUNTS = 10_000;

type Counts = Map<string, Map<string, number>>;

/**
 * Counts per account in the last minute, as a gauge `name{account_id,…}` of the accounts with the highest counts: ten
 * per process and value of the other label.
 */
export class TopAccounts {
  /** newest first, each ten seconds long: by the other label, by account */
  private slots: Counts[] = [new Map()];
  private begun: number;

  /** @param metric `label`: an optional second label, with few values */
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
    const slot = this.slot();
    let counts = slot.get(what);
    if (counts === undefined) slot.set(what, (counts = new Map()));
    const known = counts.get(accountId);
    if (known === undefined && counts.size >= MAX_ACCOUNTS) return;
    counts.set(accountId, (known ?? 0) + by);
  }

  private top(): [Record<string, string>, number][] {
    this.slot();
    const sums: Counts = new Map();
    for (const slot of this.slots) for (const [what, counts] of slot) addTo(sums, what, counts);
    const { label } = this.metric;
    return [...sums].flatMap(([what, counts]) =>
      [...counts]
        .sort(([, one], [, other]) => other - one)
        .slice(0, TOP)
        .map(([account_id, count]): [Record<string, string>, number] => [
          label === undefined ? { account_id } : { account_id, [label]: what },
          count,
        ]),
    );
  }

  /** The current slot. */
  private slot(): Counts {
    const passed = Math.floor((this.clock() - this.begun) / SLOT_MS);
    if (passed > 0) {
      const fresh = Array.from({ length: Math.min(passed, SLOTS) }, (): Counts => new Map());
      this.slots = [...fresh, ...this.slots].slice(0, SLOTS);
      this.begun += passed * SLOT_MS;
    }
    return this.slots[0] as Counts;
  }
}

function addTo(sums: Counts, what: string, counts: ReadonlyMap<string, number>): void {
  const sum = sums.get(what) ?? new Map<string, number>();
  for (const [account, count] of counts) sum.set(account, (sum.get(account) ?? 0) + count);
  sums.set(what, sum);
}
