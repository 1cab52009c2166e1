import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import type { AccountId } from '@postmesh/contracts';
import { body, Internal, uuidParam } from '@postmesh/service-host';
import { AttributeDefinitions } from './attribute-definitions.js';
import { AttributeDefinitionBody } from './attribute.schema.js';

/** Attributes of an account's contacts, for operators: v2 has no operation for them (spec 3-marketing §1.2). */
@Internal()
@Controller('operator/accounts/:account_id/attributes')
export class OperatorAttributesController {
  constructor(private readonly definitions: AttributeDefinitions) {}

  @Get()
  async list(@uuidParam('account_id') accountId: AccountId): Promise<object> {
    return { data: await this.definitions.list(accountId) };
  }

  @Post()
  @HttpCode(201)
  create(
    @uuidParam('account_id') accountId: AccountId,
    @Body(body(AttributeDefinitionBody)) input: AttributeDefinitionBody,
  ): Promise<object> {
    return this.definitions.create(accountId, input);
  }

  @Delete(':key')
  async remove(@uuidParam('account_id') accountId: AccountId, @Param('key') key: string): Promise<object> {
    await this.definitions.remove(accountId, key);
    return { message: `attribute ${key} deleted successfully` };
  }
}
