import { Controller, Param } from '@nestjs/common';
import type { ApiResponse } from '@postmesh/contracts';
import { Call, Operation, type ApiCall } from '@postmesh/service-host';
import { DOMAIN_NAME } from './domain-errors.js';
import { DomainResponses } from './domain-responses.js';
import { HoldDomain } from './hold-domain.js';

/** The pause of a domain by a member of its account, in the console. */
@Controller()
export class HoldDomainController {
  constructor(
    private readonly holdDomain: HoldDomain,
    private readonly responses: DomainResponses,
  ) {}

  @Operation('domains.pause')
  async pause(
    @Call() { principal }: ApiCall,
    @Param('domain', DOMAIN_NAME) domain: string,
  ): Promise<ApiResponse> {
    return this.responses.found(await this.holdDomain.pause({ principal, domain }));
  }

  @Operation('domains.resume')
  async resume(
    @Call() { principal }: ApiCall,
    @Param('domain', DOMAIN_NAME) domain: string,
  ): Promise<ApiResponse> {
    return this.responses.found(await this.holdDomain.resume({ principal, domain }));
  }
}
