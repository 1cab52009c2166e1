import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DomainListFile, isListedOrBelow } from '@postmesh/domain-lists';
import type { Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';

/**
 * The operator's ban list: `POSTMESH_BANNED_DOMAINS_FILE`. A listed name bans what is below it as well, or one more
 * label would be a way round.
 */
@Injectable()
export class BannedDomains implements OnApplicationBootstrap {
  private readonly list: DomainListFile | undefined;

  constructor(@Inject(SETTINGS) { bannedDomainsFile }: Settings, @Inject(LOGGER) logger: Logger) {
    if (bannedDomainsFile === undefined) return;
    this.list = new DomainListFile(bannedDomainsFile, {
      onTrouble: (error) => logger.error({ err: error }, 'the ban list cannot be read; the last one stays'),
    });
  }

  /** @throws Error when the file cannot be read: a start without the operator's rules would be a surprise */
  async onApplicationBootstrap(): Promise<void> {
    await this.list?.load();
  }

  /** @returns whether a name is on the list as it is now */
  async current(): Promise<(domain: string) => boolean> {
    const names = await this.list?.current();
    return (domain) => names !== undefined && isListedOrBelow(names, domain);
  }
}
