import { Module } from '@nestjs/common';
import { ListMessagesModule } from '../list-messages/list-messages.module.js';
import { ReadMessageModule } from '../read-message/read-message.module.js';
import { SearchAllController } from './search-all.controller.js';
import { SearchAll } from './search-all.js';

@Module({
  imports: [ListMessagesModule, ReadMessageModule],
  controllers: [SearchAllController],
  providers: [SearchAll],
})
export class SearchAllModule {}
