import { Controller } from '@nestjs/common';
import type { ApiResponse } from '@postmesh/contracts';
import { ApiCall, Call, Operation } from '@postmesh/service-host';
import { DeleteDomainHandler } from './delete-domain.handler.js';

@Controller()
export class DeleteDomainController {
  constructor(private readonly handler: DeleteDomainHandler) {}

  @Operation('domains.delete')
  delete(@Call() call: ApiCall): Promise<ApiResponse> {
    return this.handler.execute(call);
  }
}
