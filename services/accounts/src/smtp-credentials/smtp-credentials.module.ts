import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountModule } from '../account/account.module.js';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { RevocationModule } from '../revocation/revocation.module.js';
import { CreateSmtpCredential } from './create-smtp-credential.js';
import { DeleteSmtpCredential } from './delete-smtp-credential.js';
import { SmtpCredentialEntity } from './smtp-credential.entity.js';
import { SmtpCredentialLookup, SmtpCredentialLookupController } from './smtp-credential-lookup.js';
import { SmtpCredentialsController } from './smtp-credentials.controller.js';
import { SmtpCredentialsRepository } from './smtp-credentials.repository.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([SmtpCredentialEntity]),
    AccountModule,
    ApiKeysModule,
    AuditModule,
    RevocationModule,
  ],
  controllers: [SmtpCredentialsController, SmtpCredentialLookupController],
  providers: [SmtpCredentialsRepository, CreateSmtpCredential, DeleteSmtpCredential, SmtpCredentialLookup],
})
export class SmtpCredentialsModule {}
