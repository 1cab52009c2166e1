import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { endsWithin, pause, Permits, PollPace } from '@postmesh/concurrency';
import { Metrics, type Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import { DeliveryQueue } from '../queue/delivery-queue.js';
import { NO_ROUTE_GROUP } from '../mx/group-key.rules.js';
import { MxGroups } from '../mx/mx-groups.js';
import { MxResolver } from '../mx/mx-resolver.js';
import { UnknownGroups, type UnknownGroup } from './unknown-groups.js';

// Most look-ups of this worker. Names with silent servers hold a look-up for half a minute.
const MAX_LOOKUPS = 200;
const MAX_PER_ACCOUNT = 20;
// Further look-ups for accounts that have none in flight: ten hostile accounts fill the others.
const RESERVE = 20;
// Finds rows whose signal was lost, and rows that other workers left; less often while there are none.
const SWEEP_MS = 5_000;
const IDLE_SWEEP_MS = 20_000;
// While look-ups run, those that end within this time are replaced by one query instead of one each.
const GATHER_MS = 10;
const RETRY_MS = 1_000;
const STOP_MS = 1_000;
// Most pages of one run, each of other accounts; the next signal continues where it stopped.
const MAX_LOOKS = 10;

/**
 * Looks up the domains that deliveries wait for, and moves these to their MX group, or to `none` where DNS gave no
 * route. No delivery is claimed before that (`d:` has a limit of 0), so names without an answer hold no attempt and
 * delay no other mail; and no account's names hold up another's.
 */
@Injectable()
export class ResolveGroups implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly permits = new Permits(MAX_PER_ACCOUNT, MAX_LOOKUPS + RESERVE);
  /** by group key */
  private readonly inFlight = new Map<string, Promise<void>>();
  private readonly stopping = new AbortController();
  private readonly lookups;
  private readonly pace = new PollPace(SWEEP_MS, IDLE_SWEEP_MS);
  private loop: Promise<void> = Promise.resolve();

  constructor(
    private readonly unknown: UnknownGroups,
    private readonly groups: MxGroups,
    private readonly mx: MxResolver,
    private readonly deliveries: DeliveryQueue,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    deliveries.onUnclaimable = () => groups.unknown.raise();
    this.lookups = metrics.counter(
      'postmesh_mx_lookups_total',
      'Look-ups of domains whose MX group was not known, by result',
      ['result'],
    );
    metrics.gauge('postmesh_mx_lookups_in_flight', 'Domains that are being looked up now', [], (gauge) =>
      gauge.set(this.inFlight.size),
    );
  }

  onApplicationBootstrap(): void {
    this.loop = this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    this.groups.unknown.close();
    this.mx.close();
    await endsWithin(Promise.all([this.loop, ...this.inFlight.values()]), STOP_MS);
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      this.groups.unknown.lower();
      for (let looks = 0; looks < MAX_LOOKS && !signal.aborted; looks++) if (!(await this.begin())) break;
      await this.groups.unknown.wait(this.pace.next(), signal);
      if (this.inFlight.size > 0) await pause(GATHER_MS, signal);
    }
  }

  /** @returns whether to poll again at once */
  private async begin(): Promise<boolean> {
    const limit = this.free();
    if (limit <= 0) return false;
    try {
      const { found, more } = await this.unknown.next({
        limit,
        maxPerAccount: MAX_PER_ACCOUNT,
        used: new Map(this.permits.entries()),
        full: this.fullAccounts(),
        inFlight: [...this.inFlight.keys()],
      });
      if (found.length > 0) this.pace.quicken();
      for (const one of found) this.start(one);
      return more;
    } catch (error) {
      this.logger.warn(
        { event: 'mx_groups.look_failed', err: error },
        'polling for unknown domains failed, will retry',
      );
      await pause(RETRY_MS, this.stopping.signal);
      this.groups.unknown.raise();
      return false;
    }
  }

  /** The reserve is for accounts without a look-up. */
  private free(): number {
    const { inUse } = this.permits;
    return inUse < MAX_LOOKUPS ? MAX_LOOKUPS - inUse : MAX_LOOKUPS + RESERVE - inUse;
  }

  private fullAccounts(): string[] {
    const most = this.permits.inUse < MAX_LOOKUPS ? MAX_PER_ACCOUNT : 1;
    return [...this.permits.entries()].filter(([, used]) => used >= most).map(([account]) => account);
  }

  private start(one: UnknownGroup): void {
    if (this.inFlight.has(one.groupKey)) return;
    this.permits.occupy(one.accountId);
    const ended = this.resolve(one)
      .catch((error: unknown) =>
        this.logger.warn(
          { event: 'mx_groups.resolve_failed', err: error },
          'looking up a domain failed, will retry',
        ),
      )
      .finally(() => {
        this.inFlight.delete(one.groupKey);
        this.permits.release(one.accountId);
        this.groups.unknown.raise();
      });
    this.inFlight.set(one.groupKey, ended);
  }

  private async resolve({ groupKey, destination, known }: UnknownGroup): Promise<void> {
    const group = known ?? this.groups.groupOf(destination) ?? (await this.lookUp(destination));
    let isMore = true;
    while (isMore && !this.stopping.signal.aborted) {
      const { more, count, singles } = await this.unknown.move(groupKey, group);
      isMore = more;
      if (count > 0) this.deliveries.queue.regrouped(singles.map((accountId) => ({ accountId, key: group })));
    }
  }

  private async lookUp(destination: string): Promise<string> {
    const result = await this.mx.resolve(destination);
    this.lookups.inc({ result: result.kind });
    return result.kind === 'route' ? result.groupKey : NO_ROUTE_GROUP;
  }
}
