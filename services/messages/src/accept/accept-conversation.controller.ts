import { Controller } from '@nestjs/common';
import type { ApiResponse } from '@postmesh/contracts';
import { ApiCall, Call, Operation } from '@postmesh/service-host';
import { requireSenderScope } from '../domain-facts/sending-domain.rules.js';
import { AcceptConversationHandler } from './accept-conversation.handler.js';

@Controller()
export class AcceptConversationController {
  constructor(private readonly handler: AcceptConversationHandler) {}

  @Operation('messages.send-conversation', { beforeReplay: requireSenderScope })
  accept(@Call() call: ApiCall): Promise<ApiResponse> {
    return this.handler.execute(call);
  }
}
