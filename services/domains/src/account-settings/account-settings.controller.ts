import { Body, Controller, Get, Inject, Param, Put } from '@nestjs/common';
import { parseBody } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { Internal, LOGGER } from '@postmesh/service-host';
import { readInternalBody, readInternalId } from '../internal-requests/read-internal.js';
import { AccountSettingsBody } from './account-settings.schema.js';
import { AccountSettingsStore } from './account-settings.store.js';

/** The operator's word on the domains of one account. */
@Internal()
@Controller('operator/accounts/:account_id/settings')
export class AccountSettingsController {
  constructor(
    private readonly accounts: AccountSettingsStore,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** As they are in force, defaults filled in. */
  @Get()
  get(@Param('account_id') account: string) {
    return this.accounts.of(readInternalId('account_id', account));
  }

  /** Fields that are not named stay; null = the installation's default. */
  @Put()
  async put(@Param('account_id') account: string, @Body() body: unknown) {
    const accountId = readInternalId('account_id', account);
    const change = parseBody(AccountSettingsBody, readInternalBody(body));
    await this.accounts.change(accountId, change);
    this.logger.info(
      { account_id: accountId, fields: Object.keys(change) },
      'domain settings of an account changed',
    );
    return this.accounts.of(accountId);
  }
}
