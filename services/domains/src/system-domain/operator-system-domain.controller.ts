import { Controller, Delete, Get, Inject, Param } from '@nestjs/common';
import { ApiError } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { Internal, LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { AccountSettingsStore } from '../account-settings/account-settings.store.js';
import { requireDomainName } from '../sending-domain/domain-errors.js';
import { domainResource } from '../sending-domain/domain.resource.js';
import { SystemDomain } from './system-domain.js';
import { systemSenderDomain } from './system-sender.rules.js';

/** What an operator has to publish so that receivers believe the service's own messages. */
@Internal()
@Controller('operator/system-domain')
export class OperatorSystemDomainController {
  constructor(
    private readonly systemDomain: SystemDomain,
    private readonly accounts: AccountSettingsStore,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** The domain of `POSTMESH_SYSTEM_SENDER` with its records, before the first message as well. */
  @Get()
  async get() {
    const { systemSender, serviceZone } = this.settings;
    const name = systemSenderDomain(systemSender, serviceZone);
    if (name === undefined) throw new ApiError(400, 'POSTMESH_SYSTEM_SENDER names no domain');
    const domain = await this.systemDomain.ensure(name);
    const { records } = await this.accounts.of(domain.account_id);
    return domainResource(domain, records);
  }

  /** A name that the service no longer writes from is given free for accounts. */
  @Delete(':domain')
  async delete(@Param('domain') domain: string) {
    const name = requireDomainName(domain);
    await this.systemDomain.remove(name);
    this.logger.info({ domain: name }, 'system domain deleted');
    return { message: 'domain deleted successfully' };
  }
}
