import { Controller } from '@nestjs/common';
import type { ApiResponse } from '@postmesh/contracts';
import { ApiCall, Call, Operation } from '@postmesh/service-host';
import { CheckDnsHandler } from './check-dns.handler.js';

@Controller()
export class CheckDnsController {
  constructor(private readonly handler: CheckDnsHandler) {}

  @Operation('domains.check-dns')
  check(@Call() call: ApiCall): Promise<ApiResponse> {
    return this.handler.execute(call);
  }
}
