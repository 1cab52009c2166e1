import { Body, Controller } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { SUBSTITUTION_RULES } from '@postmesh/messages-contract';
import { body, Call, Operation, type ApiCall } from '@postmesh/service-host';
import { AcceptOwnContent } from './accept-own-content.js';
import { AcceptTemplate } from './accept-template.js';
import { toSendResponse, type AcceptedSend } from './send-result.js';
import {
  ConversationBody,
  REGULAR_RULES,
  RegularBody,
  TEMPLATE_RULES,
  TemplateSendBody,
} from './send.schema.js';
import { requireSenderScope, requireTemplateSenderScope } from './sending-domain.rules.js';

/** The three ways to send (spec 2-messages §1.2 to §1.4). */
@Controller()
export class SendsController {
  constructor(
    private readonly ownContent: AcceptOwnContent,
    private readonly template: AcceptTemplate,
  ) {}

  @Operation('messages.send', { beforeReplay: requireSenderScope })
  send(
    @Call() call: ApiCall,
    @Body(body(RegularBody, REGULAR_RULES)) input: RegularBody,
  ): Promise<ApiResponse> {
    const { principal, trace, signal } = call;
    const command = { principal, trace, signal, input };
    return call.respond((remember) => this.ownContent.execute(command, remember), sendResponse);
  }

  @Operation('messages.send-conversation', { beforeReplay: requireSenderScope })
  sendConversation(
    @Call() call: ApiCall,
    @Body(body(ConversationBody, SUBSTITUTION_RULES)) input: ConversationBody,
  ): Promise<ApiResponse> {
    const { principal, trace, signal } = call;
    const command = { principal, trace, signal, input };
    return call.respond((remember) => this.ownContent.execute(command, remember), sendResponse);
  }

  @Operation('messages.send-template', { beforeReplay: requireTemplateSenderScope })
  sendTemplate(
    @Call() call: ApiCall,
    @Body(body(TemplateSendBody, TEMPLATE_RULES)) input: TemplateSendBody,
  ): Promise<ApiResponse> {
    const { principal, trace, signal } = call;
    const command = { principal, trace, signal, input };
    return call.respond((remember) => this.template.execute(command, remember), sendResponse);
  }
}

const sendResponse = (accepted: AcceptedSend): ApiResponse => apiResponse(202, toSendResponse(accepted));
