import { Module } from '@nestjs/common';
import { DomainChangesModule } from '../domain-changes/domain-changes.module.js';
import { LostMail } from './lost-mail.js';
import { OpenMessages } from './open-messages.js';
import { RepublishMessages } from './republish-messages.js';

/** Republishes messages whose events were lost. */
@Module({
  imports: [DomainChangesModule],
  providers: [LostMail, OpenMessages, RepublishMessages],
})
export class RepublishModule {}
