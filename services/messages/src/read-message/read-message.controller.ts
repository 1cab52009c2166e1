import { Controller } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { Call, Operation, type ApiCall } from '@postmesh/service-host';
import { ReadMessage } from './read-message.js';

@Controller()
export class ReadMessageController {
  constructor(private readonly readMessage: ReadMessage) {}

  @Operation('messages.get')
  async read(@Call() call: ApiCall): Promise<ApiResponse> {
    const query = { principal: call.principal, reference: call.param('message_id') };
    return apiResponse(200, await this.readMessage.execute(query));
  }
}
