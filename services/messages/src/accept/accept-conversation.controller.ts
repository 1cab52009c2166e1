import { Body, Controller } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { body, Call, Operation, type ApiCall } from '@postmesh/service-host';
import { AcceptConversation } from './accept-conversation.js';
import type { AcceptedConversation } from './conversation.rules.js';
import { ConversationBody } from './conversation.schema.js';
import { toSendResponse } from './send-result.js';
import { requireSenderScope } from './sending-domain.rules.js';

/** `POST …/messages/conversation`: one message with visible recipients (spec 2-messages §1.3). */
@Controller()
export class AcceptConversationController {
  constructor(private readonly acceptConversation: AcceptConversation) {}

  @Operation('messages.send-conversation', { beforeReplay: requireSenderScope })
  accept(@Call() call: ApiCall, @Body(body(ConversationBody)) input: ConversationBody): Promise<ApiResponse> {
    const command = { principal: call.principal, input };
    return call.respond((remember) => this.acceptConversation.execute(command, remember), sendResponse);
  }
}

const sendResponse = (accepted: AcceptedConversation): ApiResponse =>
  apiResponse(202, toSendResponse(accepted));
