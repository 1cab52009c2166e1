import { Module } from '@nestjs/common';
import { PublicLinksModule } from '../public-links/public-links.module.js';
import { ReadMessageModule } from '../read-message/read-message.module.js';
import { WebCopiesController } from './web-copies.controller.js';
import { WebCopies } from './web-copies.js';

/** Links to the web copy of a message. */
@Module({
  imports: [PublicLinksModule, ReadMessageModule],
  controllers: [WebCopiesController],
  providers: [WebCopies],
})
export class ViewInBrowserModule {}
