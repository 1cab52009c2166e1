import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { OidcModule } from '../oidc/oidc.module.js';
import { PasskeysModule } from '../passkeys/passkeys.module.js';
import { RevocationModule } from '../revocation/revocation.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { SystemMailModule } from '../system-mail/system-mail.module.js';
import { OidcController } from './oidc.controller.js';
import { SignIn } from './sign-in.js';
import { SignInController } from './sign-in.controller.js';
import { SignInLinks } from './sign-in-links.js';

@Module({
  imports: [AuditModule, OidcModule, PasskeysModule, RevocationModule, SessionsModule, SystemMailModule],
  controllers: [OidcController, SignInController],
  providers: [SignIn, SignInLinks],
  exports: [SignInLinks],
})
export class SignInModule {}
