import { Module } from '@nestjs/common';
import { Notices } from './notices.js';
import { OnDomainDnsFailed } from './on-domain-dns-failed.consumer.js';
import { OnWebhookDisabled } from './on-webhook-disabled.consumer.js';
import { AccountPeople, SystemMail } from './system-mail.js';

@Module({
  controllers: [OnDomainDnsFailed, OnWebhookDisabled],
  providers: [AccountPeople, SystemMail, Notices],
  exports: [AccountPeople, SystemMail],
})
export class SystemMailModule {}
