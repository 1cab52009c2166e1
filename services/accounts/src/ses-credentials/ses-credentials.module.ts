import { Module } from '@nestjs/common';
import { AccountModule } from '../account/account.module.js';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { RevocationModule } from '../revocation/revocation.module.js';
import { CreateSesCredential } from './create-ses-credential.js';
import { DeleteSesCredential } from './delete-ses-credential.js';
import { SesCredentialLookup, SesCredentialLookupController } from './ses-credential-lookup.js';
import { SesCredentialsController } from './ses-credentials.controller.js';

@Module({
  imports: [AccountModule, ApiKeysModule, AuditModule, RevocationModule],
  controllers: [SesCredentialsController, SesCredentialLookupController],
  providers: [CreateSesCredential, DeleteSesCredential, SesCredentialLookup],
})
export class SesCredentialsModule {}
