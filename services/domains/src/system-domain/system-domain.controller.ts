import { Body, Controller, Put } from '@nestjs/common';
import { z } from 'zod';
import { ApiError, normaliseDomain, type DomainFacts } from '@postmesh/contracts';
import { Internal } from '@postmesh/service-host';
import { readInternalBody } from '../internal-requests/read-internal.js';
import { domainFacts } from '../sending-domain/domain-facts.rules.js';
import { DomainErrors } from '../sending-domain/domain-errors.js';
import { SystemDomain } from './system-domain.js';

const SystemDomainBody = z.object({ domain: z.string() });

/** What the service's own messages are sent from; it is there after the first request. */
@Internal()
@Controller('internal/system-domain')
export class SystemDomainController {
  constructor(private readonly systemDomain: SystemDomain) {}

  @Put()
  async put(@Body() body: unknown): Promise<DomainFacts> {
    const parsed = SystemDomainBody.safeParse(readInternalBody(body));
    if (!parsed.success) throw new ApiError(400, z.prettifyError(parsed.error));
    const name = normaliseDomain(parsed.data.domain);
    if (name === undefined) throw DomainErrors.invalidName();
    return domainFacts(await this.systemDomain.ensure(name));
  }
}
