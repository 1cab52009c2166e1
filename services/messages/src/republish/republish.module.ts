import { Module } from '@nestjs/common';
import { DomainChangesModule } from '../domain-changes/domain-changes.module.js';
import { LostMail } from './lost-mail.js';
import { OpenMessages } from './open-messages.js';
import { RepublishMessages } from './republish-messages.js';

/** Messages whose events were lost are published again. */
@Module({
  imports: [DomainChangesModule],
  providers: [LostMail, OpenMessages, RepublishMessages],
})
export class RepublishModule {}
