import { Controller, Param } from '@nestjs/common';
import type { AccountId, ApiResponse } from '@postmesh/contracts';
import { Call, Operation, uuidParam, type ApiCall } from '@postmesh/service-host';
import { DOMAIN_NAME } from './domain-errors.js';
import { DomainResponses } from './domain-responses.js';
import { UnpauseDomain } from './unpause-domain.js';

/** Actions of a parent account on the domains of its sub-accounts (spec 1-platform §11.8). */
@Controller()
export class SubAccountDomainsController {
  constructor(
    private readonly unpauseDomain: UnpauseDomain,
    private readonly responses: DomainResponses,
  ) {}

  @Operation('sub-accounts.unpause-domain')
  async unpause(
    @Call() { accountId: parentId, principal }: ApiCall,
    @uuidParam('sub_account_id') childId: AccountId,
    @Param('domain', DOMAIN_NAME) domain: string,
  ): Promise<ApiResponse> {
    const command = { parentId, childId, domain, knownChild: principal.sub_account_id };
    return this.responses.found(await this.unpauseDomain.execute(command));
  }
}
