import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiError, apiResponse, type AccountId, type ApiResponse, type Principal } from '@postmesh/contracts';
import {
  body,
  Call,
  Internal,
  Operation,
  OperatorName,
  uuidParam,
  type ApiCall,
} from '@postmesh/service-host';
import type { z } from 'zod';
import { DOMAIN_NAME, requireActive } from '../sending-domains/domain-errors.js';
import { RotationBody, toDnsChanges, toDnsHost, TokenBody, WriteBody } from './dns-host.schema.js';
import { ManageTokens } from './manage-tokens.js';
import { PublishRecords } from './publish-records.js';

const ADMINISTRATORS_ONLY = () => new ApiError(403, 'only Administrators manage tokens of DNS hosts');

/** A token can change a whole zone: the keys of a program and other roles do not manage it. */
function administrator({ member }: Principal): string {
  if (member?.role !== 'Administrator') throw ADMINISTRATORS_ONLY();
  return `member ${member.user_id}`;
}

/** Tokens of DNS hosts, and what is written with them, for the members of an account. */
@Controller()
export class DnsHostsController {
  constructor(
    private readonly tokens: ManageTokens,
    private readonly publish: PublishRecords,
  ) {}

  @Operation('dns-hosts.list')
  async list(@Call() { principal }: ApiCall): Promise<ApiResponse> {
    administrator(principal);
    const rows = await this.tokens.list(principal.account_id);
    return apiResponse(200, { object: 'list', data: rows.map(toDnsHost) });
  }

  @Operation('dns-hosts.create')
  async create(
    @Call() { principal }: ApiCall,
    @Body(body(TokenBody)) given: TokenBody,
  ): Promise<ApiResponse> {
    const by = administrator(principal);
    requireActive(principal);
    return apiResponse(201, toDnsHost(await this.tokens.put(principal.account_id, by, given)));
  }

  @Operation('dns-hosts.update')
  async update(
    @Call() { principal }: ApiCall,
    @uuidParam('dns_host_id') id: string,
    @Body(body(RotationBody)) { allow_rotation: isAllowed }: z.infer<typeof RotationBody>,
  ): Promise<ApiResponse> {
    administrator(principal);
    return apiResponse(200, toDnsHost(await this.tokens.allowRotation(principal.account_id, id, isAllowed)));
  }

  @Operation('dns-hosts.remove')
  async remove(@Call() { principal }: ApiCall, @uuidParam('dns_host_id') id: string): Promise<ApiResponse> {
    administrator(principal);
    await this.tokens.remove(principal.account_id, id);
    return apiResponse(200, { message: 'token deleted' });
  }

  @Operation('dns-changes.get')
  async get(
    @Call() { accountId }: ApiCall,
    @Param('domain', DOMAIN_NAME) domain: string,
  ): Promise<ApiResponse> {
    return apiResponse(200, toDnsChanges(await this.publish.difference({ accountId, domain })));
  }

  @Operation('dns-changes.write')
  async write(
    @Call() { principal, accountId }: ApiCall,
    @Param('domain', DOMAIN_NAME) domain: string,
    @Body(body(WriteBody)) { digest }: z.infer<typeof WriteBody>,
  ): Promise<ApiResponse> {
    requireActive(principal);
    return apiResponse(200, toDnsChanges(await this.publish.write({ accountId, domain, digest })));
  }
}

/** The same for operators, who give tokens for accounts that they set up. */
@Internal()
@Controller('operator/accounts/:account_id/dns-hosts')
export class OperatorDnsHostsController {
  constructor(private readonly tokens: ManageTokens) {}

  @Get()
  async list(@uuidParam('account_id') accountId: AccountId) {
    return { data: (await this.tokens.list(accountId)).map(toDnsHost) };
  }

  @Post()
  async create(
    @OperatorName() by: string,
    @uuidParam('account_id') accountId: AccountId,
    @Body(body(TokenBody)) given: TokenBody,
  ) {
    return toDnsHost(await this.tokens.put(accountId, `operator ${by}`, given));
  }

  @Delete(':dns_host_id')
  @HttpCode(200)
  async remove(@uuidParam('account_id') accountId: AccountId, @uuidParam('dns_host_id') id: string) {
    await this.tokens.remove(accountId, id);
    return { removed: id };
  }
}
