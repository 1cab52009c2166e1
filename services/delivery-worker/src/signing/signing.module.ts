import { Module } from '@nestjs/common';
import { MessageContentModule } from '@postmesh/message-content';
import { DomainChangeFeed } from './domain-change-feed.js';
import { LargeMessages } from './large-messages.js';
import { OnDomainChanged } from './on-domain-changed.consumer.js';
import { PreparedMessages } from './prepared-messages.js';
import { SigningDirectory } from './signing-directory.js';

/** Messages as they are sent: prepared and signed. */
@Module({
  imports: [MessageContentModule],
  controllers: [OnDomainChanged],
  providers: [PreparedMessages, LargeMessages, SigningDirectory, DomainChangeFeed],
  exports: [PreparedMessages, LargeMessages, SigningDirectory],
})
export class SigningModule {}
