import { Body, Controller } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { body, Call, Operation, type ApiCall } from '@postmesh/service-host';
import { AttributeDefinitions } from './attribute-definitions.js';
import { AttributeDefinitionBody, type AttributeResource } from './attribute.schema.js';

/** Attributes of an account's contacts, for members in the console: an import may need new ones. */
@Controller()
export class AttributesController {
  constructor(private readonly definitions: AttributeDefinitions) {}

  @Operation('contact-attributes.list')
  async list(@Call() { accountId }: ApiCall): Promise<ApiResponse> {
    const data = (await this.definitions.list(accountId)).map(resourceOf);
    return apiResponse(200, { data });
  }

  @Operation('contact-attributes.create')
  async create(
    @Call() { accountId }: ApiCall,
    @Body(body(AttributeDefinitionBody)) input: AttributeDefinitionBody,
  ): Promise<ApiResponse> {
    return apiResponse(201, resourceOf(await this.definitions.create(accountId, input)));
  }
}

const resourceOf = ({ key, type }: AttributeResource): AttributeResource => ({ key, type });
