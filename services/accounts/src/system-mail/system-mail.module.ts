import { Module } from '@nestjs/common';
import { Notices } from './notices.js';
import { OnCampaignReviewChanged } from './on-campaign-review-changed.consumer.js';
import { OnDomainAlignmentChanged } from './on-domain-alignment-changed.consumer.js';
import { OnDomainDnsFailed } from './on-domain-dns-failed.consumer.js';
import { OnMailSlowed } from './on-mail-slowed.consumer.js';
import { OnWebhookDisabled } from './on-webhook-disabled.consumer.js';
import { OnWebhookFailing } from './on-webhook-failing.consumer.js';
import { AccountPeople, SystemMail } from './system-mail.js';

@Module({
  controllers: [
    OnCampaignReviewChanged,
    OnDomainAlignmentChanged,
    OnDomainDnsFailed,
    OnMailSlowed,
    OnWebhookDisabled,
    OnWebhookFailing,
  ],
  providers: [AccountPeople, SystemMail, Notices],
  exports: [AccountPeople, SystemMail],
})
export class SystemMailModule {}
