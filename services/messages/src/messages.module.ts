import { Module } from '@nestjs/common';
import { AcceptConversationController } from './accept/accept-conversation.controller.js';
import { AcceptConversationHandler } from './accept/accept-conversation.handler.js';
import { SubmissionWriter } from './accept/submission-writer.js';
import { OnDeliveryAttempted } from './delivery-outcomes/on-delivery-attempted.consumer.js';
import { DomainDirectory } from './domain-facts/domain-directory.js';
import { OnDomainChanged } from './domain-facts/on-domain-changed.consumer.js';
import { ReadMessageController } from './read-message/read-message.controller.js';
import { ReadMessageHandler } from './read-message/read-message.handler.js';
import { PurgeContent } from './retention/purge-content.js';
import { ResendUnheard } from './unheard/resend-unheard.js';

@Module({
  controllers: [AcceptConversationController, ReadMessageController, OnDeliveryAttempted, OnDomainChanged],
  providers: [
    AcceptConversationHandler,
    SubmissionWriter,
    DomainDirectory,
    ReadMessageHandler,
    PurgeContent,
    ResendUnheard,
  ],
})
export class MessagesModule {}
