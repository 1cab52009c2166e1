import { Controller, Query } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { parsePageQuery, type PageQuery } from '@postmesh/http';
import type { z } from 'zod';
import { Call, Operation, query, type ApiCall } from '@postmesh/service-host';
import { CancelMessage } from '../cancel-message/cancel-message.js';
import { ListMessages } from '../list-messages/list-messages.js';
import {
  GetMessageQuery,
  readMessageFilters,
  type MessageFilters,
} from '../list-messages/message-filters.rules.js';
import { messageAttempts } from './message-attempts.schema.js';
import { ReadMessage } from './read-message.js';
import { WaitingDeliveries } from './waiting-deliveries.js';

const EMPTY = Buffer.alloc(0);

/** Stored messages, for their account (spec 2-messages §2). */
@Controller()
export class MessagesController {
  constructor(
    private readonly listMessages: ListMessages,
    private readonly readMessage: ReadMessage,
    private readonly cancelMessage: CancelMessage,
    private readonly waiting: WaitingDeliveries,
  ) {}

  @Operation('messages.list')
  async list(
    @Call() { principal }: ApiCall,
    @Query(query(parsePageQuery, readMessageFilters)) [page, filters]: [PageQuery, MessageFilters],
  ): Promise<ApiResponse> {
    return apiResponse(200, await this.listMessages.execute({ principal, filters, page }));
  }

  @Operation('messages.get')
  async read(
    @Call() call: ApiCall,
    @Query(query(GetMessageQuery)) { recipient }: z.infer<typeof GetMessageQuery>,
  ): Promise<ApiResponse> {
    const read = await this.readMessage.execute({
      principal: call.principal,
      reference: call.param('message_id'),
      recipient,
    });
    return 'json' in read ? { status: 200, bytes: EMPTY, stream: read.json } : apiResponse(200, read.message);
  }

  /** In the console: each attempt with its server, and the reason of a wait. */
  @Operation('message-attempts.list')
  async attempts(
    @Call() call: ApiCall,
    @Query(query(GetMessageQuery)) { recipient }: z.infer<typeof GetMessageQuery>,
  ): Promise<ApiResponse> {
    const now = new Date();
    const about = { principal: call.principal, reference: call.param('message_id'), recipient };
    const message = await this.readMessage.stored(about, now);
    const wait = await this.waiting.waitOf(message, now);
    return apiResponse(200, messageAttempts(message.attempts, wait));
  }

  @Operation('messages.cancel')
  async cancel(@Call() call: ApiCall): Promise<ApiResponse> {
    await this.cancelMessage.execute({ principal: call.principal, reference: call.param('message_id') });
    return apiResponse(200, { message: 'message cancelled successfully' });
  }
}
