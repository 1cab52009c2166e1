import { Body, Controller, Param, Query } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { parsePageQuery, type PageQuery } from '@postmesh/http';
import { body, Call, Operation, query, type ApiCall } from '@postmesh/service-host';
import type { z } from 'zod';
import { CheckDns } from './check-dns.js';
import { CreateDomain } from './create-domain.js';
import { CreateDomainBody, type CreateDomainInput } from './create-domain.rules.js';
import { DeleteDomain } from './delete-domain.js';
import { DOMAIN_NAME } from './domain-errors.js';
import { DomainResource } from './domain.resource.js';
import { DomainResponses } from './domain-responses.js';
import { GetDomain } from './get-domain.js';
import { ListDomains, ListDomainsQuery } from './list-domains.js';
import { UpdateDomain } from './update-domain.js';
import { UpdateDomainBody, type UpdateDomainInput } from './update-domain.rules.js';

// fields that neither create nor update accepts may not be written (spec 1-platform §1.4 rule 5)
const RULES = { readOnly: Object.keys(DomainResource.shape) };

/** An account's sending domains (spec 1-platform §11). */
@Controller()
export class DomainsController {
  constructor(
    private readonly listDomains: ListDomains,
    private readonly createDomain: CreateDomain,
    private readonly getDomain: GetDomain,
    private readonly updateDomain: UpdateDomain,
    private readonly deleteDomain: DeleteDomain,
    private readonly checkDns: CheckDns,
    private readonly responses: DomainResponses,
  ) {}

  @Operation('domains.list')
  async list(
    @Call() { accountId }: ApiCall,
    @Query(query(parsePageQuery, ListDomainsQuery))
    [page, filters]: [PageQuery, z.infer<typeof ListDomainsQuery>],
  ): Promise<ApiResponse> {
    return apiResponse(200, await this.listDomains.execute({ accountId, page, filters }));
  }

  @Operation('domains.create')
  create(
    @Call() call: ApiCall,
    @Body(body(CreateDomainBody, RULES)) input: CreateDomainInput,
  ): Promise<ApiResponse> {
    const command = { principal: call.principal, input };
    return call.respond((remember) => this.createDomain.execute(command, remember), this.responses.created);
  }

  @Operation('domains.get')
  async get(
    @Call() { accountId }: ApiCall,
    @Param('domain', DOMAIN_NAME) domain: string,
  ): Promise<ApiResponse> {
    return this.responses.found(await this.getDomain.execute({ accountId, domain }));
  }

  @Operation('domains.update')
  async update(
    @Call() { principal }: ApiCall,
    @Param('domain', DOMAIN_NAME) domain: string,
    @Body(body(UpdateDomainBody, RULES)) input: UpdateDomainInput,
  ): Promise<ApiResponse> {
    return this.responses.found(await this.updateDomain.execute({ principal, domain, input }));
  }

  @Operation('domains.delete')
  async delete(
    @Call() { principal }: ApiCall,
    @Param('domain', DOMAIN_NAME) domain: string,
  ): Promise<ApiResponse> {
    await this.deleteDomain.execute({ principal, domain });
    return apiResponse(200, { message: 'domain deleted successfully' });
  }

  @Operation('domains.check-dns')
  async check(
    @Call() { principal }: ApiCall,
    @Param('domain', DOMAIN_NAME) domain: string,
  ): Promise<ApiResponse> {
    return this.responses.found(await this.checkDns.execute({ principal, domain }));
  }
}
