import { readFile, stat } from 'node:fs/promises';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { isListed, readBanList } from './banned-domains.rules.js';

// An operator's change counts after this long without a restart.
const LOOK_AGAIN_MS = 5_000;

/** The operator's ban list: `POSTMESH_BANNED_DOMAINS_FILE`, one name per line. */
@Injectable()
export class BannedDomains implements OnApplicationBootstrap {
  private names: ReadonlySet<string> = new Set();
  private readAs = '';
  private lookedAt = 0;

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  /** @throws Error when the file cannot be read: a start without the operator's rules would be a surprise */
  async onApplicationBootstrap(): Promise<void> {
    await this.current();
  }

  /** @returns whether a name is on the list as it is now */
  async current(): Promise<(domain: string) => boolean> {
    const file = this.settings.bannedDomainsFile;
    if (file !== undefined && Date.now() - this.lookedAt > LOOK_AGAIN_MS) await this.look(file);
    return (domain) => isListed(this.names, domain);
  }

  private async look(file: string): Promise<void> {
    const { mtimeMs, size } = await stat(file);
    const seen = `${mtimeMs}/${size}`;
    if (seen !== this.readAs) this.names = readBanList(await readFile(file, 'utf8'));
    this.readAs = seen;
    this.lookedAt = Date.now();
  }
}
