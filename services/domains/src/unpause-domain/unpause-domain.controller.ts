import { Controller } from '@nestjs/common';
import type { ApiResponse } from '@postmesh/contracts';
import { ApiCall, Call, Operation } from '@postmesh/service-host';
import { UnpauseDomainHandler } from './unpause-domain.handler.js';

@Controller()
export class UnpauseDomainController {
  constructor(private readonly handler: UnpauseDomainHandler) {}

  @Operation('sub-accounts.unpause-domain')
  unpause(@Call() call: ApiCall): Promise<ApiResponse> {
    return this.handler.execute(call);
  }
}
