import { Module, type FactoryProvider } from '@nestjs/common';
import { RecipientShields } from '@postmesh/domain-lists';
import { MessageContentModule } from '@postmesh/message-content';
import { LinkTokens } from '@postmesh/public-links';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';

import { AcceptOwnContent } from './accept/accept-own-content.js';
import { AcceptSend } from './accept/accept-send.js';
import { AcceptTemplate } from './accept/accept-template.js';
import { RenderMessages } from './accept/render-messages.js';
import { OtherSenders } from './accept/other-senders.js';
import { CommitSends, SendRequestStore, SendRequestWriter } from './accept/send-request-store.js';
import { SendsController } from './accept/sends.controller.js';
import { AcceptCampaignSend } from './campaign-sends/accept-campaign-send.js';
import { CampaignSendWriter } from './campaign-sends/campaign-send-writer.js';
import { CampaignSendsController } from './campaign-sends/campaign-sends.controller.js';
import { PruneTroubles } from './automatic-suppressions/prune-troubles.js';
import { SuppressRecipients } from './automatic-suppressions/suppress-recipients.js';
import { CancelOpenMessages } from './account-changes/cancel-open-messages.js';
import { OnAccountChanged } from './account-changes/on-account-changed.consumer.js';
import { AuthenticateSender } from './inbound/authenticate-sender.js';
import { OperatorFeedbackController } from './feedback-loops/operator-feedback.controller.js';
import { InboundMessagesController } from './inbound/inbound-messages.controller.js';
import { InboundWriter } from './inbound/inbound-writer.js';
import { ReceiveInbound } from './inbound/receive-inbound.js';
import { ReadRouteBody } from './inbound/route-bodies/read-route-body.js';
import { RouteBodiesController } from './inbound/route-bodies/route-bodies.controller.js';
import { InboundStore } from './inbound/inbound-store.js';
import { AccountDirectory, DomainDirectory } from '@postmesh/sending-domains';
import { OnDomainChanged } from './domain-changes/on-domain-changed.consumer.js';
import { OnDeliveryAttempted } from './message-status/on-delivery-attempted.consumer.js';
import { CancelMessage } from './cancel-message/cancel-message.js';
import { Cancellations } from './cancel-message/cancellations.js';
import { ListMessages } from './list-messages/list-messages.js';
import { MessageSearch } from './list-messages/message-search.js';
import { MessagesToAddress } from './list-messages/messages-to-address.js';
import { MessagesRepository } from './read-message/messages.repository.js';
import { OperatorMessageController } from './read-message/operator-message.controller.js';
import { ReadMessage } from './read-message/read-message.js';
import { MessagesController } from './read-message/messages.controller.js';
import { StoredContents } from './read-message/stored-contents.js';
import { ComposeDsn } from './reports/compose-dsn.js';
import { DsnMailer } from './reports/dsn-mailer.js';
import { HandleReport } from './reports/handle-report.js';
import { RecordReport } from './reports/record-report.js';
import { RequestDsn } from './reports/request-dsn.js';
import { LostMail } from './republish/lost-mail.js';
import { OpenMessages } from './republish/open-messages.js';
import { RepublishMessages } from './republish/republish-messages.js';
import { DropContent } from './retention/drop-content.js';
import { PurgeContent } from './retention/purge-content.js';
import { SweepContent } from './retention/sweep-content.js';
import { KeepSearchIndex } from './search-index/keep-search-index.js';
import { SealSegments } from './search-index/seal-segments.js';
import { SegmentStatuses } from './search-index/segment-statuses.js';
import { OperatorImportsController } from './suppression-imports/operator-imports.controller.js';
import { SuppressionImports } from './suppression-imports/suppression-imports.js';
import { AcceptSubmission } from './submissions/accept-submission.js';
import { JudgeSender } from './submissions/judge-sender.js';
import { SubmissionsController } from './submissions/submissions.controller.js';
import { AccountDomains } from './suppressions/account-domains.js';
import { AddSuppressions } from './suppressions/add-suppressions.js';
import { CreateSuppressions } from './suppressions/create-suppressions.js';
import { DeleteSuppressions } from './suppressions/delete-suppressions.js';
import { PurgeSuppressions } from './suppressions/purge-suppressions.js';
import { SuppressedRecipients } from './suppressions/suppressed-recipients.js';
import { SuppressionPagesController } from './suppressions/suppression-pages.controller.js';
import { SuppressionsController } from './suppressions/suppressions.controller.js';
import { SuppressionsRepository } from './suppressions/suppressions.repository.js';
import { OnSystemMailRequested } from './system-mail/on-system-mail-requested.consumer.js';
import { BounceFiguresController } from './statistics/bounce-figures.controller.js';
import { CountersRepository } from './statistics/counters.repository.js';
import { FoldStatistics } from './statistics/fold-statistics.js';
import { PruneStatistics } from './statistics/prune-statistics.js';
import { ReadStatistics } from './statistics/read-statistics.js';
import { RollUpStatistics } from './statistics/roll-up-statistics.js';
import { StatisticsController } from './statistics/statistics.controller.js';
import { SystemDomain } from './system-mail/system-domain.js';
import { SystemMailer } from './system-mail/system-mailer.js';
import { PreviewCampaign } from './previews/preview-campaign.js';
import { PreviewMessage } from './previews/preview-message.js';
import { PreviewTemplate } from './previews/preview-template.js';
import { CampaignPreviewsController, TemplatePreviewsController } from './previews/previews.controller.js';
import { ApplyTemplateBody } from './templates/apply-template-body.js';
import { CreateTemplate } from './templates/create-template.js';
import { DeleteTemplate } from './templates/delete-template.js';
import { DesignsModule } from '@postmesh/designs';
import { PublishedTemplates } from './templates/published-templates.js';
import { PurgeTemplates } from './templates/purge-templates.js';
import { ReadTemplates } from './templates/read-templates.js';
import { TemplateChanges } from './templates/template-changes.js';
import { TemplateDrafts } from './templates/template-drafts.js';
import { TemplateIssues } from './templates/template-issues.js';
import { TemplatesController } from './templates/templates.controller.js';
import { TemplatesRepository } from './templates/templates.repository.js';
import { UpdateTemplate } from './templates/update-template.js';
import { DecideClicks } from './tracking/decide-clicks.js';
import { FetchBudgets } from './tracking/fetch-budgets.js';
import { RecordFetches } from './tracking/record-fetches.js';
import { TrackedFetchesController } from './tracking/tracked-fetches.controller.js';
import { TrackedMessages } from './tracking/tracked-messages.js';
import { RecordUnsubscribe } from './unsubscribe/record-unsubscribe.js';
import { UnsubscribeController } from './unsubscribe/unsubscribe.controller.js';
import { WebCopies } from './view-in-browser/web-copies.js';
import { WebCopiesController } from './view-in-browser/web-copies.controller.js';
import { FoldUsage } from './usage/fold-usage.js';
import { UsageController } from './usage/usage.controller.js';
import { UsageCounter } from './usage/usage-counter.js';

/** Which domains may send, as their owner knows it now. */
@Module({
  controllers: [OnDomainChanged],
  providers: [DomainDirectory],
  exports: [DomainDirectory],
})
class DomainsModule {}

/** What accounts sent, counted in the transaction that accepts it. */
@Module({
  controllers: [UsageController],
  providers: [UsageCounter, FoldUsage],
  exports: [UsageCounter],
})
class UsageModule {}

/** Addresses that domains do not write to. */
@Module({
  controllers: [SuppressionsController, SuppressionPagesController],
  providers: [
    AccountDomains,
    AddSuppressions,
    CreateSuppressions,
    DeleteSuppressions,
    PruneTroubles,
    PurgeSuppressions,
    SuppressRecipients,
    SuppressedRecipients,
    SuppressionsRepository,
  ],
  exports: [AccountDomains, AddSuppressions, DeleteSuppressions, SuppressRecipients, SuppressedRecipients],
})
class SuppressionsModule {}

/** What became of messages, in numbers: the facts are written where they happen, here they are summed up and read. */
@Module({
  imports: [DomainsModule],
  controllers: [StatisticsController, BounceFiguresController],
  providers: [CountersRepository, FoldStatistics, PruneStatistics, ReadStatistics, RollUpStatistics],
})
class StatisticsModule {}

/** Suppression lists that customers bring along. */
@Module({
  imports: [SuppressionsModule],
  controllers: [OperatorImportsController],
  providers: [SuppressionImports],
})
class SuppressionImportsModule {}

/** Transactional templates: drafts, versions, and the published copies that sends use. */
@Module({
  imports: [DesignsModule, DomainsModule],
  controllers: [TemplatesController],
  providers: [
    ApplyTemplateBody,
    CreateTemplate,
    DeleteTemplate,
    PublishedTemplates,
    PurgeTemplates,
    ReadTemplates,
    TemplateChanges,
    TemplateDrafts,
    TemplateIssues,
    TemplatesRepository,
    UpdateTemplate,
  ],
  exports: [PublishedTemplates, PurgeTemplates, ReadTemplates, TemplateIssues],
})
class TemplatesModule {}

/** What templates and campaigns would send. */
@Module({
  imports: [MessageContentModule, TemplatesModule],
  controllers: [TemplatePreviewsController, CampaignPreviewsController],
  providers: [PreviewCampaign, PreviewMessage, PreviewTemplate],
})
class PreviewsModule {}

/** Content that is not to be kept. */
@Module({ providers: [DropContent], exports: [DropContent] })
class RetentionModule {}

const LINK_TOKENS: FactoryProvider<LinkTokens> = {
  provide: LinkTokens,
  inject: [SETTINGS],
  useFactory: ({ secretKeys }: Settings) => new LinkTokens(secretKeys),
};

/** Links by which recipients unsubscribe. */
@Module({
  imports: [SuppressionsModule],
  controllers: [UnsubscribeController],
  providers: [RecordUnsubscribe, LINK_TOKENS],
})
class UnsubscribeModule {}

/** From a request to stored messages. */
@Module({
  imports: [
    DomainsModule,
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
    { provide: RecipientShields, inject: [SETTINGS, LOGGER], useFactory: RecipientShields.load },
    OtherSenders,
    RenderMessages,
    SendRequestWriter,
    SendRequestStore,
  ],
  exports: [CommitSends, OtherSenders, RecipientShields, RenderMessages, SendRequestStore, SendRequestWriter],
})
class AcceptModule {}

/** Mail of campaigns, which the marketing service hands over. */
@Module({
  imports: [AcceptModule, DomainsModule],
  controllers: [CampaignSendsController],
  providers: [AcceptCampaignSend, CampaignSendWriter],
})
class CampaignSendsModule {}

/** The domain of the service itself, and the mail that senders get from there about theirs. */
@Module({
  imports: [AcceptModule, DomainsModule, MessageContentModule],
  providers: [ComposeDsn, DsnMailer, MessagesRepository, RequestDsn, StoredContents, SystemDomain],
  exports: [DsnMailer, MessagesRepository, RequestDsn, StoredContents, SystemDomain],
})
class SenderReportsModule {}

/** Mail that others send to customers, and reports about what went out. */
@Module({
  imports: [AcceptModule, SenderReportsModule, SuppressionsModule],
  controllers: [InboundMessagesController, OperatorFeedbackController, RouteBodiesController],
  providers: [
    AuthenticateSender,
    HandleReport,
    RecordReport,
    AccountDirectory,
    InboundStore,
    InboundWriter,
    ReadRouteBody,
    ReceiveInbound,
  ],
  exports: [InboundStore],
})
class InboundModule {}

/** Mail that clients submit by SMTP. */
@Module({
  imports: [AcceptModule, DomainsModule, UsageModule],
  controllers: [SubmissionsController],
  providers: [AcceptSubmission, JudgeSender],
})
class SubmissionsModule {}

/** Mail of Postmesh itself. */
@Module({
  imports: [AcceptModule, SenderReportsModule],
  controllers: [OnSystemMailRequested],
  providers: [SystemMailer],
})
class SystemMailModule {}

/** Fetches of pixels and links in messages. */
@Module({
  controllers: [TrackedFetchesController],
  providers: [DecideClicks, FetchBudgets, RecordFetches, TrackedMessages],
})
class TrackingModule {}

/** What becomes of a stored message until it is purged. */
@Module({
  imports: [
    DomainsModule,
    MessageContentModule,
    RetentionModule,
    SenderReportsModule,
    SuppressionsModule,
    TemplatesModule,
  ],
  controllers: [
    MessagesController,
    OperatorMessageController,
    WebCopiesController,
    OnDeliveryAttempted,
    OnAccountChanged,
  ],
  providers: [
    CancelOpenMessages,
    CancelMessage,
    Cancellations,
    KeepSearchIndex,
    LINK_TOKENS,
    ListMessages,
    MessageSearch,
    MessagesToAddress,
    ReadMessage,
    OpenMessages,
    LostMail,
    RepublishMessages,
    PurgeContent,
    SweepContent,
    SealSegments,
    SegmentStatuses,
    WebCopies,
  ],
})
class StoredMessagesModule {}

@Module({
  imports: [
    AcceptModule,
    CampaignSendsModule,
    InboundModule,
    SuppressionImportsModule,
    PreviewsModule,
    SystemMailModule,
    StatisticsModule,
    StoredMessagesModule,
    SubmissionsModule,
    UnsubscribeModule,
    TrackingModule,
  ],
})
export class MessagesModule {}
