import { Body, Controller, Delete, Get, Inject, Param, Put } from '@nestjs/common';
import { z } from 'zod';
import { ApiError, normaliseDomain } from '@postmesh/contracts';
import type { DomainFacts } from '@postmesh/domains-contract';
import type { Logger } from '@postmesh/observability';
import { body, Internal, LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { AccountSettingsStore } from '../domain-store/account-settings.js';
import { domainFacts } from '../domain-store/domain-events.rules.js';
import { DOMAIN_NAME, DomainErrors } from '../sending-domains/domain-errors.js';
import { domainResource, type DomainResource } from '../sending-domains/domain.resource.js';
import { SystemDomain, systemSenderDomain } from './system-domain.js';

const SystemDomainBody = z.object({ domain: z.string() });

@Internal()
@Controller()
export class SystemDomainController {
  constructor(
    private readonly systemDomain: SystemDomain,
    private readonly accounts: AccountSettingsStore,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** The sending domain of the service's own messages; the first request creates it. */
  @Put('internal/system-domain')
  async put(@Body(body(SystemDomainBody)) input: z.infer<typeof SystemDomainBody>): Promise<DomainFacts> {
    const name = normaliseDomain(input.domain);
    if (name === undefined) throw DomainErrors.invalidName();
    return domainFacts(await this.systemDomain.ensure(name));
  }

  /**
   * The domain of `POSTMESH_SYSTEM_SENDER` with the records that an operator has to publish so that receivers trust the
   * service's own messages, also before the first message.
   */
  @Get('operator/system-domain')
  async get(): Promise<DomainResource> {
    const { systemSender, serviceZone } = this.settings;
    const name = systemSenderDomain(systemSender, serviceZone);
    if (name === undefined) throw new ApiError(400, 'POSTMESH_SYSTEM_SENDER names no domain');
    const domain = await this.systemDomain.ensure(name);
    const { records } = await this.accounts.of(domain.accountId);
    return domainResource({ domain, records });
  }

  /** Releases a name that the service no longer sends from, so that accounts can add it. */
  @Delete('operator/system-domain/:domain')
  async delete(@Param('domain', DOMAIN_NAME) domain: string) {
    await this.systemDomain.remove(domain);
    this.logger.info({ event: 'system_domain.deleted', domain }, 'system domain deleted');
    return { message: 'domain deleted successfully' };
  }
}
