import { createServer } from 'node:net';
import type { FactoryProvider, OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { LRUCache } from 'lru-cache';
import { Ways } from '../ways/ways.js';
import type { PoolInUse } from '../ways/ways.rules.js';
import { reachableHosts, rankSources, type EgressSource } from './egress-source.rules.js';

const LOOK_AGAIN_MS = 60_000;
const MAX_RANKINGS = 10_000;

/** The sender and the MX group for which a source is chosen. */
export interface Leaving {
  readonly senderDomain: string;
  readonly groupKey: string;
}

/** A source, and the hosts of a destination as it reaches them. */
export interface SourceWay<Host> {
  readonly source: EgressSource;
  readonly hosts: readonly Host[];
}

/** The addresses from which messages leave, and which of them this machine has. */
export class EgressSources implements OnApplicationShutdown {
  private readonly rankings = new LRUCache<string, EgressSource[]>({ max: MAX_RANKINGS });
  private gone: ReadonlySet<string> = new Set();
  private readonly timer: NodeJS.Timeout;

  private constructor(
    private readonly ways: Ways,
    private readonly logger: Logger,
  ) {
    ways.onChanged(() => {
      this.rankings.clear();
      void this.look();
    });
    this.timer = setInterval(() => void this.look(), LOOK_AGAIN_MS).unref();
  }

  /** @throws Error when the settings name sources and this machine has none of their addresses */
  static async start(ways: Ways, settings: Settings, logger: Logger): Promise<EgressSources> {
    const sources = new EgressSources(ways, logger);
    await sources.look();
    const named = settings.egressSources;
    if (named.length > 0 && named.every(({ id }) => sources.gone.has(id))) {
      sources.onApplicationShutdown();
      throw new Error('POSTMESH_EGRESS_SOURCES: this machine has none of these addresses');
    }
    return sources;
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  get all(): readonly EgressSource[] {
    return this.ways.sources;
  }

  isHere({ id }: Pick<EgressSource, 'id'>): boolean {
    return !this.gone.has(id);
  }

  /** The sources of a pool that this machine has and that reach a host, in the order of preference. */
  reaching<Host extends { readonly addresses: readonly string[] }>(
    pool: PoolInUse,
    hosts: readonly Host[],
    leaving: Leaving,
  ): SourceWay<Host>[] {
    return this.ranked(pool, leaving)
      .filter((source) => this.isHere(source))
      .map((source) => ({ source, hosts: reachableHosts(source, hosts) }))
      .filter((way) => way.hosts.length > 0);
  }

  private ranked({ id, sources }: PoolInUse, leaving: Leaving): readonly EgressSource[] {
    if (sources.length < 2) return sources;
    const key = `${id} ${leaving.senderDomain} ${leaving.groupKey}`;
    const known = this.rankings.get(key) ?? rankSources(sources, leaving);
    this.rankings.set(key, known);
    return known;
  }

  /** An address may be removed from a machine, and come back. */
  private async look(): Promise<void> {
    const { all } = this;
    // an address of a proxy is not this machine's
    const here = await Promise.all(all.map(({ address, via }) => via !== undefined || hasAddress(address)));
    const gone = new Set(all.filter((_, nth) => !here[nth]).map(({ id }) => id));
    for (const { id, address } of all) {
      if (gone.has(id) === this.gone.has(id)) continue;
      const event = gone.has(id) ? 'egress.source_gone' : 'egress.source_back';
      this.logger.warn({ event, source: id, address }, 'source address of this machine changed');
    }
    this.gone = gone;
  }
}

/** Whether a socket may be bound to it; undefined: the system chooses. */
export function hasAddress(address: string | undefined): Promise<boolean> {
  if (address === undefined) return Promise.resolve(true);
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host: address, port: 0 }, () => server.close(() => resolve(true)));
  });
}

export const EGRESS_SOURCES: FactoryProvider<EgressSources> = {
  provide: EgressSources,
  inject: [Ways, SETTINGS, LOGGER],
  useFactory: (ways: Ways, settings: Settings, logger: Logger) => EgressSources.start(ways, settings, logger),
};
