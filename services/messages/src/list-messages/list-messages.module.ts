import { Module } from '@nestjs/common';
import { ReadMessageModule } from '../read-message/read-message.module.js';
import { ListMessages } from './list-messages.js';
import { MessageSearch } from './message-search.js';
import { MessagesToAddress } from './messages-to-address.js';

/** The search of messages. */
@Module({
  imports: [ReadMessageModule],
  providers: [ListMessages, MessageSearch, MessagesToAddress],
  exports: [ListMessages, MessageSearch, MessagesToAddress],
})
export class ListMessagesModule {}
