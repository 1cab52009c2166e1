import { Module } from '@nestjs/common';
import { AcceptModule } from './accept/accept.module.js';
import { AccountChangesModule } from './account-changes/account-changes.module.js';
import { AutomaticSuppressionsModule } from './automatic-suppressions/automatic-suppressions.module.js';
import { CampaignSendsModule } from './campaign-sends/campaign-sends.module.js';
import { CancelMessageModule } from './cancel-message/cancel-message.module.js';
import { DoctorModule } from './doctor/doctor.module.js';
import { DomainChangesModule } from './domain-changes/domain-changes.module.js';
import { DomainReportsModule } from './domain-reports/domain-reports.module.js';
import { FeedbackLoopsModule } from './feedback-loops/feedback-loops.module.js';
import { InboundModule } from './inbound/inbound.module.js';
import { ListMessagesModule } from './list-messages/list-messages.module.js';
import { MessageStatusModule } from './message-status/message-status.module.js';
import { PreviewsModule } from './previews/previews.module.js';
import { MessagesController } from './read-message/messages.controller.js';
import { OperatorMessageController } from './read-message/operator-message.controller.js';
import { ReadMessageModule } from './read-message/read-message.module.js';
import { RecentChangesController } from './recent-changes/recent-changes.controller.js';
import { ReportsModule } from './reports/reports.module.js';
import { RetentionModule } from './retention/retention.module.js';
import { SearchAllModule } from './search-all/search-all.module.js';
import { SearchIndexModule } from './search-index/search-index.module.js';
import { StatisticsModule } from './statistics/statistics.module.js';
import { SubmissionsModule } from './submissions/submissions.module.js';
import { SuppressionImportsModule } from './suppression-imports/suppression-imports.module.js';
import { SuppressionsModule } from './suppressions/suppressions.module.js';
import { SendingStateModule } from './sending-state/sending-state.module.js';
import { SystemMailModule } from './system-mail/system-mail.module.js';
import { TemplatesModule } from './templates/templates.module.js';
import { TlsReportsModule } from './tls-reports/tls-reports.module.js';
import { TrackingModule } from './tracking/tracking.module.js';
import { UnsubscribeModule } from './unsubscribe/unsubscribe.module.js';
import { UsageModule } from './usage/usage.module.js';
import { ViewInBrowserModule } from './view-in-browser/view-in-browser.module.js';

@Module({
  imports: [
    AcceptModule,
    CampaignSendsModule,
    SubmissionsModule,
    SystemMailModule,
    InboundModule,
    FeedbackLoopsModule,
    MessageStatusModule,
    ReadMessageModule,
    ListMessagesModule,
    SearchIndexModule,
    SearchAllModule,
    CancelMessageModule,
    ViewInBrowserModule,
    RetentionModule,
    ReportsModule,
    TemplatesModule,
    PreviewsModule,
    SuppressionsModule,
    AutomaticSuppressionsModule,
    SuppressionImportsModule,
    UnsubscribeModule,
    TrackingModule,
    StatisticsModule,
    UsageModule,
    SendingStateModule,
    DomainChangesModule,
    DomainReportsModule,
    TlsReportsModule,
    DoctorModule,
    AccountChangesModule,
  ],
  controllers: [MessagesController, OperatorMessageController, RecentChangesController],
})
export class MessagesModule {}
