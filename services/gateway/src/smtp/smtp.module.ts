import { Module } from '@nestjs/common';
import { RecipientShields } from '@postmesh/mail-format';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import { RefusedRequestsModule } from '../refused-requests/refused-requests.module.js';
import { InboundMail } from './inbound/inbound-mail.js';
import { InboundRecipientDirectory } from './inbound/inbound-recipients.js';
import { CredentialCache } from './login/credential-cache.js';
import { CredentialRehashes } from './login/credential-rehashes.js';
import { Logins } from './login/logins.js';
import { MessageHandOver } from './message/hand-over.js';
import { SenderVerdicts } from './sender-verdicts.js';
import { SmtpListeners } from './smtp-listeners.js';
import { SmtpMetrics } from './smtp-metrics.js';
import { Submissions } from './submissions.js';

/** SMTP: submissions of accounts, and inbound mail. */
@Module({
  imports: [RefusedRequestsModule],
  providers: [
    { provide: RecipientShields, inject: [SETTINGS, LOGGER], useFactory: RecipientShields.load },
    CredentialCache,
    CredentialRehashes,
    InboundMail,
    InboundRecipientDirectory,
    Logins,
    MessageHandOver,
    SenderVerdicts,
    SmtpMetrics,
    Submissions,
    SmtpListeners,
  ],
  exports: [CredentialCache, SmtpListeners],
})
export class SmtpModule {}
