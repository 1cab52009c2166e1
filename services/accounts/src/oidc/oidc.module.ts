import { Module } from '@nestjs/common';
import { AccountModule } from '../account/account.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { RevocationModule } from '../revocation/revocation.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { GroupMembers } from './group-members.js';
import { OidcFlows } from './oidc-flows.js';
import { OidcProvider } from './oidc-provider.js';
import { WaysIn } from './ways-in.js';

@Module({
  imports: [AccountModule, AuditModule, RevocationModule, SessionsModule],
  providers: [GroupMembers, OidcFlows, OidcProvider, WaysIn],
  exports: [GroupMembers, OidcFlows, OidcProvider, WaysIn],
})
export class OidcModule {}
