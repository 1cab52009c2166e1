import { Controller } from '@nestjs/common';
import type { ApiResponse } from '@postmesh/contracts';
import { ApiCall, Call, Operation } from '@postmesh/service-host';
import { CreateDomainHandler } from './create-domain.handler.js';

@Controller()
export class CreateDomainController {
  constructor(private readonly handler: CreateDomainHandler) {}

  @Operation('domains.create')
  create(@Call() call: ApiCall): Promise<ApiResponse> {
    return this.handler.execute(call);
  }
}
