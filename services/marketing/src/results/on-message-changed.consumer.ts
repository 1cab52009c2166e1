import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { MessageChanged, type MessageChangedEvent } from '@postmesh/messages-contract';
import { Consumes, type EventContext } from '@postmesh/service-host';
import { RecordChanges } from './record-changes.js';

/** Changes of messages move the recipients of campaigns (spec 3-marketing §8.2). */
@Controller()
export class OnMessageChanged {
  constructor(private readonly changes: RecordChanges) {}

  @Consumes(MessageChanged, 'marketing.message-changes')
  async handle(
    @Payload() events: MessageChangedEvent[],
    @Ctx() { tx, afterCommit }: EventContext,
  ): Promise<void> {
    afterCommit(await this.changes.execute(tx, events));
  }
}
