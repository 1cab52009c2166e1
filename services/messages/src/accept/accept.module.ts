import { Module } from '@nestjs/common';
import { RecipientShields } from '@postmesh/mail-format';
import { MessageContentModule } from '@postmesh/message-content';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import { DomainChangesModule } from '../domain-changes/domain-changes.module.js';
import { RetentionModule } from '../retention/retention.module.js';
import { SuppressionsModule } from '../suppressions/suppressions.module.js';
import { TemplatesModule } from '../templates/templates.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { AcceptOwnContent } from './accept-own-content.js';
import { AcceptSend } from './accept-send.js';
import { AcceptTemplate } from './accept-template.js';
import { OtherSenders } from './other-senders.js';
import { RenderMessages } from './render-messages.js';
import { CommitSends, SendRequestStore, SendRequestWriter } from './send-request-store.js';
import { SendsController } from './sends.controller.js';

/** Accepting sends: checks, rendering, storing. */
@Module({
  imports: [
    DomainChangesModule,
    MessageContentModule,
    RetentionModule,
    SuppressionsModule,
    TemplatesModule,
    UsageModule,
  ],
  controllers: [SendsController],
  providers: [
    AcceptOwnContent,
    AcceptSend,
    AcceptTemplate,
    CommitSends,
    OtherSenders,
    RenderMessages,
    SendRequestWriter,
    SendRequestStore,
    { provide: RecipientShields, inject: [SETTINGS, LOGGER], useFactory: RecipientShields.load },
  ],
  exports: [CommitSends, OtherSenders, RecipientShields, RenderMessages, SendRequestStore, SendRequestWriter],
})
export class AcceptModule {}
