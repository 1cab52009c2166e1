import { Module } from '@nestjs/common';
import { AcceptModule } from '../accept/accept.module.js';
import { SystemMailModule } from '../system-mail/system-mail.module.js';
import { CollectTlsSessions } from './collect-tls-sessions.js';
import { SendTlsReports } from './send-tls-reports.js';

/** Reports about the TLS of our sessions, to the domains that want them. */
@Module({
  imports: [AcceptModule, SystemMailModule],
  providers: [CollectTlsSessions, SendTlsReports],
})
export class TlsReportsModule {}
