import { createServer } from 'node:net';
import type { FactoryProvider, OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { LRUCache } from 'lru-cache';
import {
  chooseSource,
  reachableHosts,
  rankSources,
  viaOf,
  type EgressSource,
} from './egress-source.rules.js';

const LOOK_AGAIN_MS = 60_000;
const MAX_RANKINGS = 10_000;

/** The load of a source with an MX group. */
export interface SourceLoad {
  isFull(source: EgressSource): boolean;
  /** nothing may be sent from it to the group for now */
  isSuspended(source: EgressSource): boolean;
}

/** The sender and the MX group for which a source is chosen. */
export interface Leaving {
  readonly senderDomain: string;
  readonly groupKey: string;
  /** id of the source of earlier attempts: greylists know its address */
  readonly kept: string | null;
}

/** The addresses from which messages leave, and which of them this machine has. */
export class EgressSources implements OnApplicationShutdown {
  private readonly rankings = new LRUCache<string, EgressSource[]>({ max: MAX_RANKINGS });
  private gone: ReadonlySet<string> = new Set();
  private timer: NodeJS.Timeout | undefined;

  private constructor(
    readonly all: readonly EgressSource[],
    private readonly logger: Logger,
  ) {}

  /** @throws Error when there are sources and this machine has none of their addresses */
  static async start(settings: Settings, logger: Logger): Promise<EgressSources> {
    const sources = new EgressSources(sourcesOf(settings), logger);
    await sources.look();
    if (sources.gone.size === sources.all.length) {
      throw new Error('POSTMESH_EGRESS_SOURCES: this machine has none of these addresses');
    }
    if (sources.all.some(({ address, via }) => address !== undefined && via === undefined)) {
      sources.timer = setInterval(() => void sources.look(), LOOK_AGAIN_MS).unref();
    }
    return sources;
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  isHere({ id }: EgressSource): boolean {
    return !this.gone.has(id);
  }

  /** @returns the source, and the hosts as it reaches them; undefined when none reaches any of them */
  choose<Host extends { readonly addresses: readonly string[] }>(
    hosts: readonly Host[],
    leaving: Leaving,
    load: SourceLoad,
  ): { source: EgressSource; hosts: readonly Host[] } | undefined {
    const ways = this.ranked(leaving)
      .filter((source) => this.isHere(source))
      .map((source) => ({ source, hosts: reachableHosts(source, hosts) }))
      .filter((way) => way.hosts.length > 0);
    const chosen = chooseSource(
      ways.map(({ source }) => source),
      leaving.kept,
      load,
    );
    return ways.find(({ source }) => source === chosen);
  }

  private ranked(leaving: Leaving): readonly EgressSource[] {
    if (this.all.length < 2) return this.all;
    const key = `${leaving.senderDomain} ${leaving.groupKey}`;
    const known = this.rankings.get(key) ?? rankSources(this.all, leaving);
    this.rankings.set(key, known);
    return known;
  }

  /** An address may be removed from a machine, and come back. */
  private async look(): Promise<void> {
    const here = await Promise.all(this.all.map((source) => hasAddress(source)));
    const gone = new Set(this.all.filter((_, nth) => !here[nth]).map(({ id }) => id));
    for (const { id, address } of this.all) {
      if (gone.has(id) === this.gone.has(id)) continue;
      const event = gone.has(id) ? 'egress.source_gone' : 'egress.source_back';
      this.logger.warn({ event, source: id, address }, 'source address of this machine changed');
    }
    this.gone = gone;
  }
}

function sourcesOf({ egressSources, egressSocksLogins, ehloName, serviceZone }: Settings): EgressSource[] {
  if (egressSources.length === 0) return [{ id: '', ehloName: ehloName ?? `mta.${serviceZone}` }];
  return egressSources.map(({ id, address, ehlo, via }) => ({
    ...{ id, address, ehloName: ehlo },
    via: viaOf(via, egressSocksLogins),
  }));
}

/** Whether a socket may be bound to it; an address of a proxy is not this machine's. */
function hasAddress({ address, via }: EgressSource): Promise<boolean> {
  if (address === undefined || via !== undefined) return Promise.resolve(true);
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host: address, port: 0 }, () => server.close(() => resolve(true)));
  });
}

export const EGRESS_SOURCES: FactoryProvider<EgressSources> = {
  provide: EgressSources,
  inject: [SETTINGS, LOGGER],
  useFactory: (settings: Settings, logger: Logger) => EgressSources.start(settings, logger),
};
