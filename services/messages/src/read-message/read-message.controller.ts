import { Controller } from '@nestjs/common';
import type { ApiResponse } from '@postmesh/contracts';
import { ApiCall, Call, Operation } from '@postmesh/service-host';
import { ReadMessageHandler } from './read-message.handler.js';

@Controller()
export class ReadMessageController {
  constructor(private readonly handler: ReadMessageHandler) {}

  @Operation('messages.get')
  read(@Call() call: ApiCall): Promise<ApiResponse> {
    return this.handler.execute(call);
  }
}
