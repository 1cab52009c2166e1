import { Module } from '@nestjs/common';
import { AcceptConversationController } from './accept/accept-conversation.controller.js';
import { AcceptConversationHandler } from './accept/accept-conversation.handler.js';
import { SendRequestStore } from './accept/send-request-store.js';
import { SendRequestWriter } from './accept/send-request-writer.js';
import { CancelOpenMessages } from './account-deletion/cancel-open-messages.js';
import { OnAccountChanged } from './account-deletion/on-account-changed.consumer.js';
import { OnDeliveryAttempted } from './delivery-outcomes/on-delivery-attempted.consumer.js';
import { DomainDirectory } from './domain-facts/domain-directory.js';
import { OnDomainChanged } from './domain-facts/on-domain-changed.consumer.js';
import { ReadMessageController } from './read-message/read-message.controller.js';
import { ReadMessageHandler } from './read-message/read-message.handler.js';
import { RecipientShields } from './recipient-shields/recipient-shields.js';
import { PurgeContent } from './retention/purge-content.js';
import { OnSystemMailRequested } from './system-mail/on-system-mail-requested.consumer.js';
import { SystemMailer } from './system-mail/system-mailer.js';
import { ResendUnheard } from './unheard/resend-unheard.js';
import { FoldUsage } from './usage/fold-usage.js';
import { UsageController } from './usage/usage.controller.js';
import { UsageCounter } from './usage/usage-counter.js';

@Module({
  controllers: [AcceptConversationController, ReadMessageController, UsageController],
  providers: [
    OnDeliveryAttempted,
    OnDomainChanged,
    OnAccountChanged,
    OnSystemMailRequested,
    AcceptConversationHandler,
    SendRequestWriter,
    SendRequestStore,
    UsageCounter,
    FoldUsage,
    RecipientShields,
    SystemMailer,
    CancelOpenMessages,
    DomainDirectory,
    ReadMessageHandler,
    PurgeContent,
    ResendUnheard,
  ],
})
export class MessagesModule {}
