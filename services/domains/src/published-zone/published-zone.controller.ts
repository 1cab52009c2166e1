import { Controller, Get, Inject } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { Internal, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { AccountSettingsStore } from '../account-settings/account-settings.store.js';
import { SendingDomains } from '../sending-domain/sending-domains.repository.js';
import { publishedZone } from './published-zone.rules.js';

/**
 * Everything that DNS should say for this installation, for whoever publishes it: local-internet, or an
 * operator's robot at a DNS provider. It is asked often and changes seldom, so the answer is kept as bytes
 * for as long as nothing changed.
 */
@Internal()
@Controller('operator/zone')
export class PublishedZoneController {
  private kept: { version: string; zone: ApiResponse } | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly domains: SendingDomains,
    private readonly accounts: AccountSettingsStore,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  async get(): Promise<ApiResponse> {
    const version = await this.version();
    if (this.kept?.version === version) return this.kept.zone;
    const zone = await this.render();
    // read before the rows: a change in between makes the next request render again, never skip
    this.kept = { version, zone };
    return zone;
  }

  private async render(): Promise<ApiResponse> {
    const [domains, accountOf] = await Promise.all([this.domains.all(), this.accounts.ofMany()]);
    const { serviceZone, sendingAddresses } = this.settings;
    const ehloName = this.settings.ehloName ?? `mta.${serviceZone}`;
    return apiResponse(200, publishedZone(domains, accountOf, { serviceZone, ehloName, sendingAddresses }));
  }

  /**
   * Every visible change of a domain raises its revision; a domain that comes or goes changes the count or,
   * with another at the same moment, the newest id.
   */
  private async version(): Promise<string> {
    const rows: { version: string }[] = await this.dataSource.query(
      `select concat_ws('/', count(*), sum(revision), max(updated_at), max(id::text),
         (select concat_ws('/', count(*), max(updated_at)) from account_settings)) as version from domains`,
    );
    return rows[0]?.version ?? '';
  }
}
