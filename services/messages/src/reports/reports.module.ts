import { Module } from '@nestjs/common';
import { AcceptModule } from '../accept/accept.module.js';
import { ReadMessageModule } from '../read-message/read-message.module.js';
import { SystemMailModule } from '../system-mail/system-mail.module.js';
import { ComposeDsn } from './compose-dsn.js';
import { DsnMailer } from './dsn-mailer.js';
import { RequestDsn } from './request-dsn.js';

/** Reports to senders about their messages (RFC 3464). */
@Module({
  imports: [AcceptModule, ReadMessageModule, SystemMailModule],
  providers: [ComposeDsn, DsnMailer, RequestDsn],
  exports: [DsnMailer, RequestDsn],
})
export class ReportsModule {}
