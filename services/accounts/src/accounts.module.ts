import { Module } from '@nestjs/common';
import { AccountModule } from './account/account.module.js';
import { ApiKeysModule } from './api-keys/api-keys.module.js';
import { DomainChangesModule } from './domain-changes/domain-changes.module.js';
import { FirstAccount } from './first-account/first-account.js';
import { MembersModule } from './members/members.module.js';
import { OperatorModule } from './operator/operator.module.js';
import { PasskeysModule } from './passkeys/passkeys.module.js';
import { RequestLogModule } from './request-log/request-log.module.js';
import { SessionsModule } from './sessions/sessions.module.js';
import { SesCredentialsModule } from './ses-credentials/ses-credentials.module.js';
import { SignInModule } from './sign-in/sign-in.module.js';
import { SmtpCredentialsModule } from './smtp-credentials/smtp-credentials.module.js';
import { SubAccountsModule } from './sub-accounts/sub-accounts.module.js';

@Module({
  imports: [
    AccountModule,
    ApiKeysModule,
    MembersModule,
    SubAccountsModule,
    SmtpCredentialsModule,
    DomainChangesModule,
    OperatorModule,
    PasskeysModule,
    RequestLogModule,
    SesCredentialsModule,
    SessionsModule,
    SignInModule,
  ],
  providers: [FirstAccount],
})
export class AccountsModule {}
