import { Module } from '@nestjs/common';
import { MessageContentModule } from '@postmesh/message-content';
import { DomainChangesModule } from '../domain-changes/domain-changes.module.js';
import { MessagesRepository } from './messages.repository.js';
import { ReadMessage } from './read-message.js';
import { StoredContents } from './stored-contents.js';
import { WaitingDeliveries } from './waiting-deliveries.js';

/** Stored messages, with their contents. */
@Module({
  imports: [DomainChangesModule, MessageContentModule],
  providers: [MessagesRepository, ReadMessage, StoredContents, WaitingDeliveries],
  exports: [MessagesRepository, ReadMessage, StoredContents, WaitingDeliveries],
})
export class ReadMessageModule {}
