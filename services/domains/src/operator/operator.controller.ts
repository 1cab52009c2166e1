import { Body, Controller, Get, Inject, Put, Query } from '@nestjs/common';
import type { AccountId, ApiResponse } from '@postmesh/contracts';
import { parsePageQuery, type Page, type PageQuery } from '@postmesh/http';
import type { Logger } from '@postmesh/observability';
import { body, Internal, LOGGER, query, uuidParam } from '@postmesh/service-host';
import {
  AccountSettingsBody,
  AccountSettingsStore,
  type AccountSettings,
} from '../domain-store/account-settings.js';
import { DkimRotations, DkimRotationsQuery, type DkimRotation } from './dkim-rotations.js';
import { PublishedZone } from './published-zone.js';

/** The operator's settings for the domains of one account, the records of the installation's zone, and DKIM keys. */
@Internal()
@Controller('operator')
export class OperatorController {
  constructor(
    private readonly accounts: AccountSettingsStore,
    private readonly zone: PublishedZone,
    private readonly rotations: DkimRotations,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** The settings in force, with defaults. */
  @Get('accounts/:account_id/settings')
  getSettings(@uuidParam('account_id') accountId: AccountId): Promise<AccountSettings> {
    return this.accounts.of(accountId);
  }

  /** Absent fields stay unchanged; null = the installation's default. */
  @Put('accounts/:account_id/settings')
  async putSettings(
    @uuidParam('account_id') accountId: AccountId,
    @Body(body(AccountSettingsBody)) change: AccountSettingsBody,
  ): Promise<AccountSettings> {
    const settings = await this.accounts.change(accountId, change);
    const line = { event: 'account_settings.changed', account_id: accountId, fields: Object.keys(change) };
    this.logger.info(line, 'domain settings of an account changed');
    return settings;
  }

  /** DKIM keys of managed domains, and how far their rotation is. */
  @Get('dkim-rotations')
  listRotations(
    @Query(query(parsePageQuery, DkimRotationsQuery)) [page, filters]: [PageQuery, DkimRotationsQuery],
  ): Promise<Page<DkimRotation>> {
    return this.rotations.list(filters, page);
  }

  @Get('dkim-rotations/counts')
  countRotations(): Promise<Record<string, number>> {
    return this.rotations.counts();
  }

  @Get('zone')
  getZone(): Promise<ApiResponse> {
    return this.zone.get();
  }
}
